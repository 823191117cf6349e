/**
 * Wrong solutions that look right, and right ones that look different: each check must tell them
 * apart. One file of the solution is replaced, and only its own check is run.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import type { CheckVerdict } from '../../../src/judge/verdict.ts'
import { labDirOf, type Variant, verdictsOnVariants } from '../worlds.ts'

const solution = (file: string) => readFileSync(join(labDirOf(lab), 'solution', file), 'utf8')

/** The solution's file with one piece replaced; the piece must be there. */
function edited(file: string, ...edits: readonly (readonly [from: string, to: string])[]): string {
  return edits.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`)
    return text.replaceAll(from, () => to)
  }, solution(file))
}

const alive = (what: string, body: string): Variant => {
  const source = edited('heartbeat.ts', ['return nowMs - beatAtMs <= staleMs', body])
  return { check: 2, what, file: 'heartbeat.ts', source }
}

const PANEL_BODY = solution('panel.ts').split('export function summarize')[1]!.split('\n}\n')[0]!
const panel = (what: string, body: string, ...edits: readonly [string, string][]): Variant => {
  const whole = `(workers: readonly WorkerLine[]): Panel {\n${body}`
  return {
    check: 3,
    what,
    file: 'panel.ts',
    source: edited('panel.ts', [PANEL_BODY, whole], ...edits),
  }
}
const COUNTED = `const total = workers.length
const alive = workers.filter((worker) => worker.alive).length
const stale = total - alive
`
const READY = 'return gateway.redis && gateway.store'

const leaving = (what: string, body: string, head = ''): Variant => {
  const [before] = solution('shutdown.ts').split('async function leave')
  const source = `${head}${before}async function leave(duties: Duties, ceilingMs: number): Promise<void> {
const { redis, workerId, heartbeat } = duties
const release = async () => {
  for (const lease of duties.leases()) await releaseIfOwner(redis, lease)
}
${body}
}
`
  return { check: 4, what, file: 'shutdown.ts', source }
}
const DRAIN = `const ceiling = setTimeout(() => duties.abortRun(), ceilingMs)
await duties.runInHand()
clearTimeout(ceiling)
`
const GIVE_BACK = `duties.stopRenewing()
await release()
`
const FORGET = `await heartbeat.stop()
await forget(redis, workerId)
`
const CLOSE = 'duties.close()'
const TAKE_NOTHING = 'duties.takeNothingNew()\n'
const WHOLE = `${TAKE_NOTHING}${DRAIN}${GIVE_BACK}${FORGET}${CLOSE}`
const JOIN = `const underWay = leaving.get(duties) ?? leave(duties, ceilingMs)
  leaving.set(duties, underWay)
  return underWay`
const entry = (what: string, how: string): Variant => {
  return { check: 4, what, file: 'shutdown.ts', source: edited('shutdown.ts', [JOIN, how]) }
}

const env = (what: string, ...edits: readonly (readonly [string, string])[]): Variant => {
  return { check: 5, what, file: 'env.ts', source: edited('env.ts', ...edits) }
}
const NAME = `return \`\${space}\${env}:\${key}\``

const WRONG: readonly Variant[] = [
  alive('exactly the limit is stale', 'return nowMs - beatAtMs < staleMs'),
  alive('by the clock of this process', 'return Date.now() - beatAtMs <= staleMs'),
  alive('a limit of its own', 'return nowMs - beatAtMs <= 15_000'),
  alive('twice the limit', 'return nowMs - beatAtMs <= 2 * staleMs'),
  alive('whole seconds', 'return Math.floor((nowMs - beatAtMs) / 1000) <= staleMs / 1000'),
  alive('missed beats of five seconds', 'return (nowMs - beatAtMs) / 5000 < staleMs / 5000 + 0.5'),
  alive('the wrong way round', 'return nowMs - beatAtMs >= staleMs'),
  alive('as soon as it is silent', 'return nowMs - beatAtMs <= staleMs / 2'),
  alive('nobody', 'return nowMs < 0'),
  alive('the age instead of an answer', 'return (nowMs - beatAtMs <= staleMs ? 1 : 0) as never'),
  alive(
    'stale once, stale for ever',
    'dead ||= nowMs - beatAtMs > staleMs\n  return !dead\n}\nlet dead = false\nexport function unused() {',
  ),

  panel(
    'ok while one is alive',
    `${COUNTED}return { status: alive > 0 ? 'ok' : 'degraded', total, alive, stale, workers }`,
  ),
  panel(
    'degraded below the half',
    `${COUNTED}return { status: alive < total / 2 ? 'degraded' : 'ok', total, alive, stale, workers }`,
  ),
  panel(
    'by the age beside the flag',
    `const stale = workers.filter(({ lastBeatMs }) => lastBeatMs > 15_000).length
const total = workers.length
return { status: stale ? 'degraded' : 'ok', total, alive: total - stale, stale, workers }`,
  ),
  panel(
    'stale lines left out',
    `const live = workers.filter((worker) => worker.alive)
const stale = workers.length - live.length
return { status: stale ? 'degraded' : 'ok', total: live.length, alive: live.length, stale, workers: live }`,
  ),
  panel(
    'stale lines last',
    `${COUNTED}const sorted = [...workers].sort((a, b) => Number(b.alive) - Number(a.alive))
return { status: stale ? 'degraded' : 'ok', total, alive, stale, workers: sorted }`,
  ),
  panel(
    'without the version',
    `${COUNTED}const lines = workers.map(({ version: _, ...line }) => line) as never
return { status: stale ? 'degraded' : 'ok', total, alive, stale, workers: lines }`,
  ),
  panel(
    'runs in hand counted for workers',
    `const alive = workers.reduce((sum, { inFlight }) => sum + inFlight, 0)
const total = workers.length
return { status: alive < total ? 'degraded' : 'ok', total, alive, stale: total - alive, workers }`,
  ),
  panel(
    'degraded without workers',
    `${COUNTED}return { status: total && !stale ? 'ok' : 'degraded', total, alive, stale, workers }`,
  ),
  panel(
    'a word of its own for it',
    `${COUNTED}return { status: stale ? 'down' : 'ok', total, alive, stale, workers } as never`,
  ),
  panel(
    'not ready while degraded',
    `${COUNTED}degraded = stale > 0
return { status: degraded ? 'degraded' : 'ok', total, alive, stale, workers }`,
    [READY, `${READY} && !degraded\n}\nlet degraded = false\nexport function unused() {`],
  ),
  panel(
    'not ready without a worker that is alive',
    `${COUNTED}none = alive === 0
return { status: stale ? 'degraded' : 'ok', total, alive, stale, workers }`,
    [READY, `${READY} && !none\n}\nlet none = false\nexport function unused() {`],
  ),
  panel(
    'ready by one of two',
    `${COUNTED}return { status: stale ? 'degraded' : 'ok', total, alive, stale, workers }`,
    [READY, 'return gateway.redis || gateway.store'],
  ),

  leaving('close and go', CLOSE),
  leaving('process.exit', 'process.exit(0)'),
  leaving('reads on', `${DRAIN}${GIVE_BACK}${FORGET}${CLOSE}`),
  leaving('reads on until the run is over', `${DRAIN}${TAKE_NOTHING}${GIVE_BACK}${FORGET}${CLOSE}`),
  leaving(
    'gives back before the run is over',
    `${TAKE_NOTHING}${GIVE_BACK}${DRAIN}${FORGET}${CLOSE}`,
  ),
  leaving('does not wait for the run', `${TAKE_NOTHING}${GIVE_BACK}${FORGET}${CLOSE}`),
  leaving(
    'aborts at once',
    `${TAKE_NOTHING}duties.abortRun()\nawait duties.runInHand()\n${GIVE_BACK}${FORGET}${CLOSE}`,
  ),
  leaving(
    'waits for ever',
    `${TAKE_NOTHING}await duties.runInHand()\n${GIVE_BACK}${FORGET}${CLOSE}`,
  ),
  leaving(
    'goes at the ceiling without aborting',
    `${TAKE_NOTHING}await Promise.race([duties.runInHand(), new Promise((go) => setTimeout(go, ceilingMs))])\n${GIVE_BACK}${FORGET}${CLOSE}`,
  ),
  leaving(
    'does not wait for what it has aborted',
    `${TAKE_NOTHING}await Promise.race([duties.runInHand(), new Promise((go) => setTimeout(go, ceilingMs))])\nduties.abortRun()\n${GIVE_BACK}${FORGET}${CLOSE}`,
  ),
  leaving('seconds for milliseconds', WHOLE.replace('ceilingMs)', 'ceilingMs * 1000)')),
  leaving('a ceiling of its own', WHOLE.replace('ceilingMs)', '5_000)')),
  leaving(
    'acknowledges what it has not done',
    `${TAKE_NOTHING}const pending = await redis.xpending(runsStream(), GROUP, '-', '+', 10) as string[][]
for (const [id] of pending) await redis.xack(runsStream(), GROUP, id!)
${GIVE_BACK}${FORGET}${CLOSE}`,
    "import { GROUP, runsStream } from './env.ts'\n",
  ),
  leaving(
    'removes whatever lease is there',
    WHOLE.replace('await release()', 'for (const { key } of duties.leases()) await redis.del(key)'),
  ),
  leaving(
    'looks, then removes',
    WHOLE.replace(
      'await release()',
      'for (const { key, value } of duties.leases()) if (await redis.get(key) === value) await redis.del(key)',
    ),
  ),
  leaving(
    'an owner without a token',
    WHOLE.replace(
      'await release()',
      'for (const { key } of duties.leases()) if ((await redis.get(key))?.startsWith(workerId)) await redis.del(key)',
    ),
  ),
  leaving('keeps the lease', `${TAKE_NOTHING}${DRAIN}duties.stopRenewing()\n${FORGET}${CLOSE}`),
  leaving(
    'does not wait for the lease',
    `${TAKE_NOTHING}${DRAIN}duties.stopRenewing()\nheartbeat.stop()\nredis.hdel('x', 'y')\nvoid release()\n${CLOSE}`,
  ),
  leaving(
    'removes the row before the last beat',
    `${TAKE_NOTHING}${DRAIN}${GIVE_BACK}await forget(redis, workerId)\nawait heartbeat.stop()\n${CLOSE}`,
  ),
  leaving(
    'does not wait for the last beat',
    `${TAKE_NOTHING}${DRAIN}${GIVE_BACK}void heartbeat.stop()\nawait forget(redis, workerId)\n${CLOSE}`,
  ),
  leaving('leaves its row', `${TAKE_NOTHING}${DRAIN}${GIVE_BACK}await heartbeat.stop()\n${CLOSE}`),
  leaving('beats on', `${TAKE_NOTHING}${DRAIN}${GIVE_BACK}await forget(redis, workerId)\n${CLOSE}`),
  leaving(
    'stops beating first',
    `${TAKE_NOTHING}await heartbeat.stop()\n${DRAIN}${GIVE_BACK}await forget(redis, workerId)\n${CLOSE}`,
  ),
  leaving(
    'stops renewing first',
    `${TAKE_NOTHING}duties.stopRenewing()\n${DRAIN}await release()\n${FORGET}${CLOSE}`,
  ),
  leaving('renews on', `${TAKE_NOTHING}${DRAIN}await release()\n${FORGET}${CLOSE}`),
  leaving('never closes', `${TAKE_NOTHING}${DRAIN}${GIVE_BACK}${FORGET}`),
  leaving('ends with an error code', `${WHOLE}\nprocess.exit(1)`),
  entry('each signal for itself', 'return leave(duties, ceilingMs)'),
  entry(
    'the second signal ends it',
    `if (leaving.has(duties)) process.exit(0)
  const underWay = leave(duties, ceilingMs)
  leaving.set(duties, underWay)
  return underWay`,
  ),
  entry(
    'the second call does not wait',
    `if (leaving.has(duties)) return Promise.resolve()
  const underWay = leave(duties, ceilingMs)
  leaving.set(duties, underWay)
  return underWay`,
  ),

  env('prod only', [NAME, `return \`\${space}\${env === 'prod' ? 'prod:' : ''}\${key}\``]),
  env('behind the key', [NAME, `return \`\${space}\${key}:\${env}\``]),
  env('another separator', [NAME, `return \`\${space}\${env}-\${key}\``]),
  env('of this process, whatever was asked', [NAME, `return \`\${space}\${appEnv()}:\${key}\``]),
  env('without the key space', [NAME, `return \`\${env}:\${key}\``]),
  env('before the key space', [NAME, `return \`\${env}:\${space}\${key}\``]),
  env('for what begins with koda', [
    NAME,
    `return \`\${space}\${key.startsWith('koda:') ? \`\${env}:\` : ''}\${key}\``,
  ]),
  env('for streams only', [
    NAME,
    `return \`\${space}\${key.endsWith('runs') ? \`\${env}:\` : ''}\${key}\``,
  ]),
  env('not for leases', [
    `return namespaced(\`lease:shard:\${shard}\`, env)`,
    `return \`lease:shard:\${shard}\``,
  ]),
  env('not for the counter', ["return namespaced('lease:fence', env)", "return 'lease:fence'"]),
  env('not for marks', [
    `return namespaced(\`koda:published:\${runId}\`, env)`,
    `return \`koda:published:\${runId}\``,
  ]),
  env('not for rows', ["return namespaced('koda:workers', env)", "return 'koda:workers'"]),
  env('not for the stream', ["return namespaced('koda:runs', env)", "return 'koda:runs'"]),
  env('an empty APP_ENV is dev', ['if (value === undefined)', 'if (!value)']),
  env('whatever is unknown is dev', [
    `throw new Error(\`APP_ENV: expected dev, prod, or no such variable, got \${JSON.stringify(value)}.\`)`,
    "return 'dev'",
  ]),
  env('capitals and spaces forgiven', [
    'const value = variables.APP_ENV',
    'const value = variables.APP_ENV?.trim().toLowerCase()',
  ]),
  env('anything with prod in it is prod', [
    "if (value === 'dev' ||",
    "if (value.includes('prod')) return 'prod'\n  if (value === 'dev' ||",
  ]),
  env('prod where nothing is set', [
    "if (value === undefined) return 'dev'",
    "if (value === undefined) return 'prod'",
  ]),
  env('prod in memory is fine', ["if (env !== 'prod' || mode === 'real') return", 'return']),
  env('dev in memory is refused', [
    "if (env !== 'prod' || mode === 'real') return",
    "if (mode === 'real') return",
  ]),
]

const RIGHT: readonly Variant[] = [
  alive('the other side of the comparison', 'return beatAtMs >= nowMs - staleMs'),
  alive('not older', 'return !(nowMs - beatAtMs > staleMs)'),
  alive('never younger than now', 'return Math.max(0, nowMs - beatAtMs) <= staleMs'),

  panel(
    'by some',
    `const stale = workers.filter(({ alive }) => !alive)
const status = workers.some(({ alive }) => !alive) ? 'degraded' : 'ok'
return { status, total: workers.length, alive: workers.length - stale.length, stale: stale.length, workers: [...workers] }`,
  ),
  panel(
    'in a loop, with lines of its own',
    `let alive = 0
const lines: WorkerLine[] = []
for (const { version, inFlight, lastBeatMs, alive: lives, workerId } of workers) {
  if (lives) alive += 1
  lines.push({ version, workerId, alive: lives, lastBeatMs, inFlight })
}
const stale = lines.length - alive
return { workers: lines, stale, alive, total: lines.length, status: stale > 0 ? 'degraded' : 'ok' }`,
  ),
  panel(
    'readiness written out',
    `${COUNTED}return { status: stale ? 'degraded' : 'ok', total, alive, stale, workers }`,
    [READY, 'if (!gateway.redis) return false\n  return gateway.store'],
  ),

  leaving(
    'a race, and an exit',
    `${TAKE_NOTHING}const late = Symbol()
let timer: NodeJS.Timeout | undefined
const first = await Promise.race([duties.runInHand(), new Promise((go) => { timer = setTimeout(go, ceilingMs, late) })])
clearTimeout(timer)
if (first === late) {
  duties.abortRun()
  await duties.runInHand()
}
${GIVE_BACK}${FORGET}${CLOSE}
process.exit(0)`,
  ),
  leaving(
    'a signal that times out',
    `${TAKE_NOTHING}const signal = AbortSignal.timeout(ceilingMs)
let over = false
signal.addEventListener('abort', () => { if (!over) duties.abortRun() })
await duties.runInHand()
over = true
${GIVE_BACK}${FORGET}${CLOSE}`,
  ),
  leaving(
    'lease and heartbeat side by side',
    `${TAKE_NOTHING}${DRAIN}duties.stopRenewing()
await Promise.all([release(), heartbeat.stop()])
await forget(redis, workerId)
${CLOSE}`,
  ),
  leaving(
    'a script of its own',
    `${TAKE_NOTHING}${DRAIN}duties.stopRenewing()
for (const { key, value } of duties.leases()) {
  await redis.eval("local v = redis.call('get', KEYS[1]) if v and v == ARGV[1] then redis.call('unlink', KEYS[1]) end return 'ok'", 1, key, value)
}
${FORGET}${CLOSE}`,
  ),
  entry(
    'one promise for the process',
    'ending ??= leave(duties, ceilingMs)\n  return ending\n}\nlet ending: Promise<void> | undefined\nexport function unused() {',
  ),

  env('joined', [NAME, "return [space + env, key].join(':')"]),
  env('added up', [NAME, "return space + env + ':' + key"]),
  env(
    'a list of environments',
    [
      "if (value === 'dev' || value === 'prod') return value",
      "const known = (['dev', 'prod'] as const).find((each) => each === value)\n  if (known) return known",
    ],
    [
      "if (env !== 'prod' || mode === 'real') return",
      "if (!(env === 'prod' && mode === 'memory')) return",
    ],
  ),
]

describe.each([
  ['a wrong solution is violated', WRONG, 'violated'],
  ['a right solution holds', RIGHT, 'held'],
] as const)('%s', (_, variants, status) => {
  let found: readonly CheckVerdict[] = []

  beforeAll(async () => {
    found = await verdictsOnVariants(lab, variants)
  }, 240_000)

  it.each(variants.map(({ check, what }, n) => [check, what, n] as const))(
    'check %i: %s',
    (_, __, n) => {
      const { status: got, got: figures, hint } = found[n]!
      expect({ status: got, figures: got === status ? '' : figures }).toEqual({
        status,
        figures: '',
      })
      if (status === 'violated') expect(hint).not.toBeNull()
    },
  )
})

it('each exercise has its five wrong solutions and its two right ones', () => {
  for (const { id } of lab.checks.filter(({ exercise }) => exercise !== null)) {
    expect(WRONG.filter(({ check }) => check === id).length).toBeGreaterThanOrEqual(5)
    expect(RIGHT.filter(({ check }) => check === id).length).toBeGreaterThanOrEqual(2)
  }
})
