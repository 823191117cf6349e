/** Whether tests against a real redis-server are to run, and how they are asked for. */

export const withRealRedis = process.env.LEASELAB_REAL_REDIS === '1'

export const HOW_TO_RUN =
  'LEASELAB_REAL_REDIS=1 pnpm test runs it; it needs redis-server (apt-get install redis-server)'
