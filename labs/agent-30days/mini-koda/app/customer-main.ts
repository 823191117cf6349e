/** Day 14's customer, with a user to each run. Settings: `GATEWAY_URL`, `RUNS`. */

import 'day-14-compose-multi-worker/app/customer-main.ts'
