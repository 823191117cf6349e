/**
 * Whether tests of the real arm are to run, and how they are asked for. They go by real time, so they
 * run by themselves: other tests beside them would take the processor that they are timed by.
 */

export const withRealRedis = process.env.LEASELAB_REAL_ARM === '1'

export const HOW_TO_RUN =
  'LEASELAB_REAL_ARM=1 pnpm vitest run test/arm/real runs it; it needs redis-server (apt-get install redis-server)'
