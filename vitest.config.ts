import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Worlds run in child processes of their own; a test waits for those, never for virtual time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Two cores are what this must do with; vitest alone would leave one of them idle.
    maxWorkers: 2,
  },
})
