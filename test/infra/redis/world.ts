/** An engine with a clock that a test moves, and replies as plain values. */
import { type EngineEffect, RedisEngine, type Session } from '../../../src/infra/redis/engine.ts'
import { loadLua } from '../../../src/infra/redis/lua.ts'
import type { ReplyValue } from '../../../src/trace/events.ts'
import { replyToValue } from '../../../src/wire/resp.ts'

/** Where the tests' clocks begin: whole milliseconds since the Unix epoch. */
export const START_MS = 1_790_000_000_000

export class World {
  readonly engine: RedisEngine
  readonly effects: EngineEffect[] = []
  readonly session: Session
  nowMs = START_MS

  constructor(lua: Awaited<ReturnType<typeof loadLua>>) {
    this.engine = new RedisEngine({
      lua,
      random: () => 0.5,
      onEffect: (effect) => this.effects.push(effect),
    })
    this.session = this.engine.open()
  }

  static async create(): Promise<World> {
    return new World(await loadLua())
  }

  /** `'blocked'` when the command waits. */
  run(...args: readonly (string | number | Buffer)[]): ReplyValue | 'blocked' {
    return this.runOn(this.session, ...args)
  }

  runOn(session: Session, ...args: readonly (string | number | Buffer)[]): ReplyValue | 'blocked' {
    const bytes = args.map((arg) =>
      Buffer.isBuffer(arg) ? arg : Buffer.from(String(arg), 'latin1'),
    )
    const outcome = this.engine.execute(session, bytes, this.nowMs * 1000)
    return outcome.kind === 'reply' ? replyToValue(outcome.reply) : 'blocked'
  }

  tick(): void {
    this.engine.tick(this.nowMs * 1000)
  }

  woken(): { session: Session; reply: ReplyValue }[] {
    return this.engine
      .takeWoken()
      .map(({ session, reply }) => ({ session, reply: replyToValue(reply) }))
  }
}
