/** Exercise 1: the heartbeat of a worker, and who counts as alive. */

export interface Heartbeat {
  /** No beat after this; resolves when a beat that is under way has come to its end. */
  stop(): Promise<void>
}

/**
 * Calls `beat` now and then every `everyMs`; never twice at once, and a beat that fails is a beat that
 * is missing. The timer does not keep the process alive.
 */
export function startHeartbeat(beat: () => Promise<void>, everyMs: number): Heartbeat {
  let underWay: Promise<void> | null = null
  const tick = () => {
    underWay ??= beat()
      .catch(() => {})
      .finally(() => {
        underWay = null
      })
  }
  const timer = setInterval(tick, everyMs)
  timer.unref()
  tick()
  return {
    async stop() {
      clearInterval(timer)
      await underWay
    },
  }
}

/**
 * Whether a worker counts as alive: its last beat is at most `staleMs` old. `beatAtMs` and `nowMs` are
 * both read from the clock of the Redis server, in milliseconds.
 */
export function isAlive(beatAtMs: number, _nowMs: number, _staleMs: number): boolean {
  // TODO exercise 1: whoever has beaten once is alive for ever here. How old may the last beat be?
  return beatAtMs > 0
}
