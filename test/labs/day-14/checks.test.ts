/**
 * Each check's judge on traces written by hand: one that holds, those that do not, and those that
 * prove nothing.
 */

import { describe, expect, it } from 'vitest'
import {
  AGES,
  judgeAlive,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/alive.ts'
import { judgeDrain } from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/drain.ts'
import {
  CASES,
  judgePanel,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/panel.ts'
import {
  ENVIRONMENTS,
  judgePrefix,
  SAFETY,
} from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/prefix.ts'
import { VIRTUAL } from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/setting.ts'
import { judgeShare } from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/share.ts'
import { judgeTogether } from '../../../labs/agent-30days/day-14-compose-multi-worker/checks/together.ts'
import lab from '../../../labs/agent-30days/day-14-compose-multi-worker/lab.ts'
import { History } from '../../../src/trace/history.ts'
import { TraceScript } from '../../trace/trace-script.ts'

const A = 'worker-a'
const B = 'worker-b'
const C = 'worker-c'
const STREAM = 'dev:koda:runs'
const WORKERS = 'dev:koda:workers'
const LEASE = 'dev:lease:shard:0'

const history = (script: TraceScript) => new History(script.events)

const accept = (script: TraceScript, n: number, text = `task ${n}`, runId = `run-${n}`) =>
  script.post('customer', 'gateway', '/runs', { text }, 202, { runId, status: 'queued' })

const deliver = (script: TraceScript, to: string, n: number, stream = STREAM) => {
  const entry = [`${n}-0`, ['runId', `run-${n}`, 'text', `task ${n}`]]
  const argv = ['XREADGROUP', 'GROUP', 'workers', to, 'COUNT', '1', 'STREAMS', stream, '>']
  return script.redis(to, argv, [[stream, [entry]]])
}

const begin = (script: TraceScript, who: string, n: number) =>
  script.post(who, 'store', '/runs/begin', { runId: `run-${n}`, workerId: who }, 200, {
    runId: `run-${n}`,
    status: 'running',
  })

const finish = (script: TraceScript, who: string, n: number, outcome = 'accepted') =>
  script.post(who, 'store', '/runs/finish', { runId: `run-${n}`, workerId: who }, 200, {
    runId: `run-${n}`,
    status: 'done',
    outcome,
  })

const acknowledge = (script: TraceScript, who: string, n: number) =>
  script.redis(who, ['XACK', STREAM, 'workers', `${n}-0`], 1)

const handle = (script: TraceScript, who: string, n: number) => {
  deliver(script, who, n)
  begin(script, who, n)
  finish(script, who, n)
  return acknowledge(script, who, n)
}

const beat = (script: TraceScript, who: string) =>
  script.redis(who, ['EVAL', 'script', '1', WORKERS, who, '0', '1.0.0'], 1)

describe('check 1, share', () => {
  /** Nine runs and a tenth order with a known key. `of` says who handles the nth. */
  const shared = (of: (n: number) => string | null, again = 'run-9') => {
    const script = new TraceScript()
    for (let n = 1; n <= 9; n += 1) accept(script, n)
    accept(script, 9, 'task 9', again)
    for (let n = 1; n <= 9; n += 1) {
      const who = of(n)
      if (who) handle(script, who, n)
    }
    return script
  }
  const inTurn = (n: number) => [A, B, C][n % 3]!
  const judge = (script: TraceScript) => judgeShare(history(script))

  it('holds when each handled at least one, nine in all', () => {
    expect(judge(shared(inTurn))).toMatchObject({
      status: 'held',
      got: 'each replica handled at least one, 9 in all, 9 distinct',
    })
  })

  it('is violated when one replica handled none', () => {
    const finding = judge(shared((n) => (n % 2 ? A : B)))
    expect(finding).toMatchObject({
      status: 'violated',
      got: '5 + 4 + 0 runs, 9 in all, 9 distinct',
    })
  })

  it('is violated when the idempotency key made a second run', () => {
    const finding = judge(shared(inTurn, 'run-10'))
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('made 10 runs')
  })

  it('is violated when a run was handed out twice', () => {
    const script = shared(inTurn)
    expect(judge(deliver(script, A, 4))).toMatchObject({
      status: 'violated',
      got: 'task 4 was handed out 2 times',
    })
  })

  it('is violated when a run stayed undone', () => {
    expect(judge(shared((n) => (n === 5 ? null : inTurn(n)))).status).toBe('violated')
  })

  it('is violated when a run was not acknowledged', () => {
    const script = shared((n) => (n === 9 ? null : inTurn(n)))
    deliver(script, A, 9)
    finish(script, A, 9)
    const finding = judge(script)
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('not all acknowledged')
  })

  it('proves nothing when the orders did not come in', () => {
    expect(judge(new TraceScript()).status).toBe('inconclusive')
  })
})

const lines = (silent: 'alive' | 'stale', who = B) =>
  [A, B, C].map((workerId) => ({
    workerId,
    alive: workerId !== who || silent === 'alive',
    lastBeatMs: 0,
    inFlight: 0,
    version: '1.0.0',
  }))

const page = (status: string, alive: number, stale: number, workers = lines('stale')) => {
  return { status, total: alive + stale, alive, stale, workers }
}

describe('check 2, alive', () => {
  interface Story {
    readonly early?: 'alive' | 'stale'
    readonly late?: 'alive' | 'stale'
    readonly who?: string
    readonly answers?: (alive: boolean, at: number) => boolean | null
    readonly lives?: boolean
    readonly lateAtMs?: number
  }
  const judge = (story: Story) => {
    const { early = 'alive', late = 'stale', who = B, lives = true, lateAtMs = 21_000 } = story
    const script = new TraceScript()
    for (const [k, [, alive]] of AGES.entries()) {
      const answer = story.answers ? story.answers(alive, k) : alive
      if (answer !== null) script.said('probe', 'alive.answer', { alive: answer })
    }
    for (const ms of [0, 5000, 10_000, 15_000, 20_000]) {
      script.at(ms)
      for (const name of [A, B, C]) if (name !== B || ms <= 5000) beat(script, name)
      if (ms !== 15_000) continue
      script.get('early-visitor', 'gateway', '/admin/workers', 200, { workers: lines(early) })
    }
    script.at(lateAtMs)
    script.get('late-visitor', 'gateway', '/admin/workers', 200, { workers: lines(late, who) })
    if (lives) script.at(lateAtMs + 1).redis(B, ['XREADGROUP'], null)
    return judgeAlive(history(script), 15_000)
  }

  it('holds when its row is stale after 15 s, and only then', () => {
    expect(judge({})).toMatchObject({
      status: 'held',
      got: 'its row is stale after 15,000 ms, 1 stale in all',
    })
  })

  it('is violated when nobody is ever stale', () => {
    const finding = judge({ late: 'alive' })
    expect(finding).toMatchObject({ status: 'violated' })
    expect(finding.got).toContain('0 stale')
  })

  it('is violated when it is stale too early', () => {
    expect(judge({ early: 'stale' }).status).toBe('violated')
  })

  it('is violated when another one is stale', () => {
    expect(judge({ who: C }).status).toBe('violated')
  })

  it('is violated by a wrong answer at the very limit', () => {
    const finding = judge({ answers: (alive, k) => (k === 2 ? !alive : alive) })
    expect(finding.status).toBe('violated')
    expect(finding.got).toContain('asked directly')
  })

  it('proves nothing when the replica did not live on, was visited too early, or was not asked', () => {
    expect(judge({ lives: false }).status).toBe('inconclusive')
    expect(judge({ lateAtMs: 19_000, late: 'alive' }).status).toBe('inconclusive')
    expect(judge({ answers: (alive, k) => (k === AGES.length - 1 ? null : alive) }).status).toBe(
      'inconclusive',
    )
    expect(judgeAlive(history(new TraceScript()), 15_000).status).toBe('inconclusive')
  })
})

describe('check 3, panel', () => {
  const RIGHT = [1, 0, 0, 0]
  interface Story {
    readonly late?: object
    readonly ready?: number
    readonly health?: number
    readonly told?: (panel: Record<string, unknown>, at: number) => object | null
    readonly readiness?: readonly number[]
  }
  const judge = (story: Story) => {
    const script = new TraceScript()
    const visit = (who: string, panel: object, ready = 200, health = 200) => {
      script.get(who, 'gateway', '/admin/workers', 200, panel)
      script.get(who, 'gateway', '/readyz', ready, {})
      script.get(who, 'gateway', '/healthz', health, {})
    }
    for (const [k, workers] of CASES.entries()) {
      const stale = workers.filter(({ alive }) => !alive).length
      const right = page(stale ? 'degraded' : 'ok', workers.length - stale, stale)
      const panel = story.told ? story.told({ ...right, workers }, k) : { ...right, workers }
      if (panel === null) continue
      script.said('probe', 'panel.answer', { panel: JSON.stringify(panel) })
      script.said('probe', 'readiness.answer', { answers: story.readiness ?? RIGHT })
    }
    visit('early-visitor', page('ok', 3, 0))
    visit('late-visitor', story.late ?? page('degraded', 2, 1), story.ready, story.health)
    return judgePanel(history(script))
  }

  it('holds when the panel is degraded and the gateway ready', () => {
    expect(judge({})).toMatchObject({
      status: 'held',
      got: 'degraded, 3 in all, 2 alive, 1 stale; /readyz 200',
    })
  })

  it.each([
    ['says ok', page('ok', 2, 1)],
    ['counts all as alive', page('ok', 3, 0)],
    ['counts one too many', page('degraded', 1, 2)],
    ['leaves a line out', { ...page('degraded', 2, 1), workers: lines('stale').slice(1) }],
  ])('is violated when it %s', (_, late) => {
    expect(judge({ late }).status).toBe('violated')
  })

  it('is violated when a stale worker takes the gateway out of traffic', () => {
    const finding = judge({ ready: 503 })
    expect(finding).toMatchObject({ status: 'violated' })
    expect(finding.got).toContain('/readyz 503')
    expect(judge({ health: 503 }).got).toContain('/healthz 503')
  })

  it('is violated by a wrong answer for fixed lines', () => {
    expect(judge({ told: (panel, k) => (k === 1 ? { ...panel, stale: 1 } : panel) }).status).toBe(
      'violated',
    )
    expect(judge({ told: (panel) => ({ ...panel, workers: [] }) }).status).toBe('violated')
  })

  it('is violated when readiness goes by anything else', () => {
    expect(judge({ readiness: [1, 1, 0, 0] }).status).toBe('violated')
    expect(judge({ readiness: [0, 0, 0, 0] }).status).toBe('violated')
  })

  it('proves nothing when the pages were not seen, or the probe not ended', () => {
    expect(judge({ told: (panel, k) => (k === 4 ? null : panel) }).status).toBe('inconclusive')
    expect(judgePanel(history(new TraceScript())).status).toBe('inconclusive')
  })
})

describe('check 4, drain', () => {
  const claim = (script: TraceScript, who: string, token: number, untilMs: number, key = LEASE) =>
    script.redis(who, ['EVAL', 'claim', '2', key], token, {
      op: 'set',
      key,
      value: `${who}|${token}`,
      expireAtMs: untilMs,
    })
  const gone = (script: TraceScript, who: string, key = LEASE) =>
    script.redis(who, ['EVAL', 'release', '1', key], 1, { op: 'del', key })
  const forget = (script: TraceScript, who: string) => script.redis(who, ['HDEL', WORKERS, who], 1)

  const PLANS = ['idle', 'run', 'ceiling', 'late'] as const
  type Plan = (typeof PLANS)[number]
  type Move = (script: TraceScript, plan: Plan) => unknown
  /** What a right shutdown does, plan by plan, as named moves in their order. */
  const MOVES: Readonly<Record<string, Move>> = {
    take: (script, plan) => step(script, plan, 'takes nothing new'),
    again: (script, plan) => {
      if (plan === 'run') step(script.at(atMs(plan) + 1000), plan, 'asked to go again')
    },
    abort: (script, plan) => {
      if (plan === 'ceiling') step(script.at(atMs(plan) + 20_000), plan, 'run aborted')
    },
    end: (script, plan) => {
      if (plan === 'run') step(script.at(atMs(plan) + 3000), plan, 'run ended')
      if (plan === 'ceiling') step(script.at(atMs(plan) + 21_000), plan, 'run ended')
    },
    renewing: (script, plan) => step(script, plan, 'renewing stops'),
    lease: (script, plan) => {
      if (plan !== 'late') gone(script, probe(plan), leaseOf(plan))
    },
    heart: (script, plan) => step(script, plan, 'heartbeat stops'),
    last: (script, plan) => {
      beat(script, probe(plan))
      step(script, plan, 'last beat written')
    },
    forget: (script, plan) => forget(script, probe(plan)),
    close: (script, plan) => step(script, plan, 'closed'),
    second: (script, plan) => {
      if (plan === 'run') step(script, plan, 'second call ends')
    },
    first: (script, plan) => step(script, plan, 'first call ends'),
  }
  const ORDER = Object.keys(MOVES)
  const probe = (plan: Plan) => `probe-${plan}`
  const leaseOf = (plan: Plan) => `dev:lease:shard:${900 + 2 * PLANS.indexOf(plan)}`
  const lostOf = (plan: Plan) => `dev:lease:shard:${901 + 2 * PLANS.indexOf(plan)}`
  const atMs = (plan: Plan) => 20_000 + 100_000 * PLANS.indexOf(plan)
  const step = (script: TraceScript, plan: Plan, what: string) =>
    script.said(probe(plan), 'shutdown.step', { what })

  const probes = (script: TraceScript, order: readonly string[] = ORDER, extra?: Move) => {
    for (const plan of PLANS) {
      const who = probe(plan)
      script.at(atMs(plan))
      claim(script, who, 7, 900_000, leaseOf(plan))
      claim(script, who, 9, 900_000, lostOf(plan))
      beat(script, who)
      if (plan === 'late') claim(script, 'thief', 99, 900_000, leaseOf(plan))
      step(script, plan, 'asked to go')
      for (const name of order) MOVES[name]?.(script, plan)
      extra?.(script, plan)
    }
    return script
  }

  /** The cluster's story, move by move; a test changes one of them. */
  const CLUSTER = {
    start: (script: TraceScript) => {
      claim(script.at(1), A, 1, 30_000)
      beat(script, A)
      accept(script.at(10), 1)
      deliver(script.at(11), A, 1)
      begin(script.at(12), A, 1)
    },
    term: (script: TraceScript) => script.at(13).bit('term-a', 'term', A),
    next: (script: TraceScript) => accept(script.at(14), 2),
    beat: (script: TraceScript) => beat(script.at(5001), A),
    standby: (script: TraceScript) => script.at(5100).said(B, 'worker.ready'),
    renew: (script: TraceScript) =>
      script.at(10_001).redis(A, ['EVAL', 'renew', '1', LEASE], 1, {
        op: 'expire',
        key: LEASE,
        expireAtMs: 40_001,
      }),
    finish: (script: TraceScript) => finish(script.at(12_012), A, 1),
    acknowledge: (script: TraceScript) => acknowledge(script.at(12_013), A, 1),
    release: (script: TraceScript) => gone(script.at(12_014), A),
    forget: (script: TraceScript) => forget(script.at(12_015), A),
    exit: (script: TraceScript) => script.at(12_016).exited(A),
    successor: (script: TraceScript) => {
      claim(script.at(15_000), B, 2, 45_000)
      handle(script.at(15_001), B, 2)
    },
    visit: (script: TraceScript) =>
      script.at(16_000).get('visitor', 'gateway', '/admin/workers', 200, {
        workers: [{ workerId: B, alive: true }],
      }),
  } satisfies Readonly<Record<string, (script: TraceScript) => unknown>>
  type Moves = { -readonly [K in keyof typeof CLUSTER]?: ((script: TraceScript) => unknown) | null }

  const drained = (changes: Moves = {}) => {
    const script = new TraceScript()
    for (const move of Object.values({ ...CLUSTER, ...changes })) move?.(script)
    return script
  }
  const judge = (script: TraceScript) => judgeDrain(history(script), VIRTUAL)

  it('holds when the run ends and all is handed over', () => {
    expect(judge(probes(drained()))).toMatchObject({
      status: 'held',
      got: 'the run ended done and acknowledged, later ones untouched; lease handed back, taken by B',
    })
  })

  it.each<[string, Moves, RegExp]>([
    ['the run is left running', { finish: null, acknowledge: null }, /left the run running/],
    [
      'a successor has to do it',
      { finish: (script) => finish(script.at(27_000), B, 1), acknowledge: null },
      /worker-b had to do it again/,
    ],
    ['it is not acknowledged', { acknowledge: null }, /did not acknowledge/],
    [
      'one that was left is taken over after SIGTERM',
      {
        exit: (script) => {
          const argv = ['XAUTOCLAIM', STREAM, 'workers', A, '15000', '0-0', 'COUNT', '1']
          const entry = ['2-0', ['runId', 'run-2', 'text', 'task 2']]
          script.at(12_016).redis(A, argv, ['0-0', [entry], []])
        },
      },
      /took a new run/,
    ],
    [
      'another one is taken after SIGTERM',
      { exit: (script) => deliver(script.at(12_016), A, 2) },
      /took a new run/,
    ],
    ['the lease is kept', { release: null }, /kept the lease/],
    [
      'the lease goes first',
      { beat: (script) => gone(script.at(100), A), release: null },
      /while its run was still in hand/,
    ],
    ['nothing is renewed meanwhile', { renew: null }, /stopped renewing/],
    ['nothing is beaten meanwhile', { beat: null }, /stopped beating/],
    ['it never ends', { exit: null }, /never ended/],
    ['it ends with an error', { exit: (script) => script.at(12_016).exited(A, 1) }, /ended with 1/],
    [
      'it ends when the platform has lost patience',
      { exit: (script) => script.at(26_000).exited(A) },
      /25,987 ms after SIGTERM/,
    ],
    [
      'its row is left',
      {
        visit: (script) =>
          script.at(16_000).get('visitor', 'gateway', '/admin/workers', 200, {
            workers: [{ workerId: A, alive: true }],
          }),
      },
      /its row is still in the panel/,
    ],
  ])('is violated when %s', (_, changes, got) => {
    const finding = judge(probes(drained(changes)))
    expect(finding.status).toBe('violated')
    expect(finding.got).toMatch(got)
    expect(finding.hint).toBeTruthy()
  })

  const without = (name: string) => ORDER.filter((each) => each !== name)
  const moved = (name: string, before: string) => {
    const rest = without(name)
    return rest.toSpliced(rest.indexOf(before), 0, name)
  }
  it.each<[string, readonly string[], RegExp]>([
    ['nothing new is taken too late', moved('take', 'renewing'), /before ‘takes nothing new’/],
    [
      'the run is not waited for',
      moved('end', 'close'),
      /‘renewing stops’ came before ‘run ended’/,
    ],
    ['the lease goes before the run', moved('lease', 'end'), /‘lease’ came before ‘run ended’/],
    ['the heart stops before the run', moved('heart', 'end'), /‘heartbeat stops’ came before/],
    ['the ceiling is not kept', without('abort'), /left without being aborted/],
    ['the lease is kept', without('lease'), /not given back/],
    ['the heart beats on', without('heart'), /missing: heartbeat stops/],
    ['renewing goes on', without('renewing'), /missing: renewing stops/],
    ['nothing is closed', without('close'), /missing: closed/],
    ['it closes before the last beat', moved('close', 'last'), /‘closed’ came before ‘last beat/],
    ['it closes before the lease is given back', moved('close', 'lease'), /‘closed’ came before/],
    ['the row goes before the last beat', moved('forget', 'last'), /its row is there again/],
    ['the row stays', without('forget'), /its row is there again/],
    ['it resolves too early', moved('first', 'close'), /‘first call ends’ came before ‘closed’/],
    ['the second call does not wait', moved('second', 'end'), /second call did not wait/],
  ])('is violated when, asked directly, %s', (_, order, got) => {
    const finding = judge(probes(drained(), order))
    expect(finding.status).toBe('violated')
    expect(finding.got).toMatch(got)
  })

  it.each<[string, Move, RegExp]>([
    [
      'the second call does it all again',
      (script, plan) => plan === 'run' && step(script, plan, 'takes nothing new'),
      /twice: takes nothing new/,
    ],
    ['a foreign lease goes', (script, plan) => gone(script, probe(plan), lostOf(plan)), /not ours/],
    [
      'a lease goes that was lost on the way',
      (script, plan) => plan === 'late' && gone(script, probe(plan), leaseOf(plan)),
      /not ours any more/,
    ],
    [
      'a call fails',
      (script, plan) => step(script, plan, 'first call fails: Connection is closed.'),
      /Connection is closed/,
    ],
    [
      'a run is aborted that was not there',
      (script, plan) => plan === 'idle' && step(script, plan, 'run aborted'),
      /the run was aborted/,
    ],
  ])('is violated when, asked directly, %s', (_, extra, got) => {
    const finding = judge(probes(drained(), ORDER, extra))
    expect(finding.status).toBe('violated')
    expect(finding.got).toMatch(got)
  })

  it('is violated by a ceiling of its own', () => {
    const script = drained()
    const early: Move = (each, plan) => {
      if (plan === 'ceiling') step(each.at(atMs(plan) + 5000), plan, 'run aborted')
    }
    const order = ['take', 'early', ...ORDER.slice(3)]
    const kept = MOVES.early
    Object.assign(MOVES, { early })
    const finding = judge(probes(script, order))
    Object.assign(MOVES, { early: kept })
    expect(finding).toMatchObject({ status: 'violated' })
    expect(finding.got).toContain('aborted after 5.0 s, not after 20.0 s')
  })

  it.each<[string, Moves]>([
    ['A had no run in hand', { start: null }],
    ['SIGTERM never came', { term: null }],
    ['no other run was waiting', { next: null, successor: null }],
    ['B did not take over', { successor: null }],
    ['the panel was not seen', { visit: null }],
    [
      'B came when the lease would have lapsed',
      {
        successor: (script) => {
          claim(script.at(41_000), B, 2, 71_000)
        },
      },
    ],
  ])('proves nothing when %s', (_, changes) => {
    expect(judge(probes(drained(changes))).status).toBe('inconclusive')
  })

  it('proves nothing when shutdown was not asked to the end', () => {
    expect(judge(drained()).status).toBe('inconclusive')
  })
})

describe('check 5, prefix', () => {
  interface Story {
    readonly dev?: (key: string) => string
    readonly prod?: (key: string) => string
    readonly space?: (name: string) => string
    readonly own?: string
    readonly read?: boolean
    readonly stray?: string
    readonly app?: (value: string | null, answer: string | null) => string | null
    readonly safety?: (asked: string, answer: string | null) => string | null
    readonly put?: boolean
    readonly works?: boolean
  }
  const KEYS = ['koda:runs', 'koda:workers', 'lease:shard:2', 'a:b', 'koda:runs']
  const judge = (story: Story) => {
    const dev = story.dev ?? ((key: string) => `dev:${key}`)
    const prod = story.prod ?? ((key: string) => `prod:${key}`)
    const space = story.space ?? ((name: string) => `run-7:${name}`)
    const script = new TraceScript()
    for (const [env, nameOf] of [
      ['dev', dev],
      ['prod', prod],
    ] as const) {
      for (const key of KEYS) {
        script.said('probe', 'name', { env, name: nameOf(key) })
        script.said('probe-in-space', 'name', { env, name: space(nameOf(key)) })
      }
    }
    script.said('probe', 'name', { env: 'own', name: story.own ?? dev('koda:runs') })
    for (const [asked, answer] of ENVIRONMENTS) {
      script.said('probe', 'app-env', { asked, answer: story.app?.(asked, answer) ?? answer })
    }
    for (const [asked, answer] of SAFETY) {
      script.said('probe', 'prod-safety', {
        asked,
        answer: story.safety?.(asked, answer) ?? answer,
      })
    }
    script.redis('gateway', ['EVAL'], '1-0', {
      op: 'set',
      key: story.stray ?? 'dev:koda:published',
    })
    if (story.works !== false) handle(script, A, 1)
    const stream = prod('koda:runs')
    if (story.put !== false) {
      script.redis('probe', ['XADD', stream, '*', 'runId', 'run-of-prod'], '9-0')
    }
    if (story.read) {
      const argv = ['XREADGROUP', 'GROUP', 'workers', A, 'STREAMS', stream, '>']
      script.redis(A, argv, [[stream, [['9-0', ['runId', 'run-of-prod']]]]])
    }
    script.said('probe', 'env.probed')
    return judgePrefix(history(script))
  }

  it('holds when the names differ and dev reads nothing of prod', () => {
    expect(judge({})).toMatchObject({
      status: 'held',
      got: 'dev:koda:runs and prod:koda:runs; a message for prod was read 0 times by dev',
    })
  })

  it('is violated by one name for both', () => {
    const finding = judge({ dev: (key) => key, prod: (key) => key, read: true })
    expect(finding).toMatchObject({
      status: 'violated',
      got: 'dev and prod both have koda:runs; a message for prod was read 1 time by dev',
    })
  })

  it.each<[string, Story]>([
    ['a prefix for prod only', { dev: (key) => key }],
    ['a prefix in one key only', { dev: (key) => (key === 'koda:runs' ? `dev:${key}` : key) }],
    ['another separator', { prod: (key) => `prod-${key}` }],
    ['no key space', { space: (name) => name }],
    ['another name where none is asked for', { own: 'prod:koda:runs' }],
    ['a key that goes around it', { stray: 'koda:published' }],
    ['an empty APP_ENV that is dev', { app: (value, answer) => (value === '' ? 'dev' : answer) }],
    ['prod allowed in memory', { safety: (_, answer) => answer ?? 'allowed' }],
  ])('is violated by %s', (_, story) => {
    const finding = judge(story)
    expect(finding.status).toBe('violated')
    expect(finding.hint).toBeTruthy()
  })

  it('proves nothing when nothing was put there, or dev did no work of its own', () => {
    expect(judge({ put: false }).status).toBe('inconclusive')
    expect(judge({ works: false }).status).toBe('inconclusive')
    expect(judgePrefix(history(new TraceScript())).status).toBe('inconclusive')
  })
})

describe('all together', () => {
  const story = (
    doneByA: number,
    doneByB: number,
    status = 'ok',
    left: readonly string[] = [B],
  ) => {
    const script = new TraceScript()
    for (let n = 1; n <= 4; n += 1) accept(script, n)
    begin(script, A, 1)
    script.bit('term-a', 'term', A)
    for (let n = 1; n <= doneByA; n += 1) finish(script, A, n)
    for (let n = doneByA + 1; n <= doneByA + doneByB; n += 1) finish(script, B, n)
    const workers = left.map((workerId) => ({ workerId, alive: true }))
    script.get('visitor', 'gateway', '/admin/workers', 200, { status, total: left.length, workers })
    script.get('visitor', 'gateway', '/readyz', 200, {})
    return judgeTogether(history(script))
  }

  it('holds when A ends what it has and B does the rest', () => {
    expect(story(1, 3).status).toBe('held')
  })

  it('is violated when A drops its run, a run is lost, or A leaves its row', () => {
    expect(story(0, 4).status).toBe('violated')
    expect(story(1, 2).status).toBe('violated')
    expect(story(1, 3, 'degraded').status).toBe('violated')
    expect(story(1, 3, 'ok', [A, B]).status).toBe('violated')
  })

  it('proves nothing without a run in hand', () => {
    expect(judgeTogether(history(new TraceScript())).status).toBe('inconclusive')
  })
})

describe('every judge', () => {
  it.each([...lab.checks.map(({ judge }) => judge), lab.together.judge].map((judge) => [judge]))(
    'answers with a status, whatever the trace',
    (judge) => {
      const odd = new TraceScript()
        .said('probe', 'panel.answer', { panel: '{' })
        .said('probe', 'alive.answer', {})
        .said('probe', 'readiness.answer', {})
        .get('early-visitor', 'gateway', '/admin/workers', 200, page('ok', 3, 0))
        .get('early-visitor', 'gateway', '/readyz', 200, {})
        .get('early-visitor', 'gateway', '/healthz', 200, {})
        .get('late-visitor', 'gateway', '/admin/workers', 200, page('degraded', 2, 1))
        .get('late-visitor', 'gateway', '/readyz', 200, {})
        .get('late-visitor', 'gateway', '/healthz', 200, {})
        .get('visitor', 'gateway', '/admin/workers', 200, { workers: [null, 1, {}] })
        .post('customer', 'gateway', '/runs', {}, 202, { runId: 7 })
        .redis(A, ['XREADGROUP', STREAM], { error: 'NOGROUP' })
        .redis(A, ['XREADGROUP', STREAM], [[STREAM, [['1-0', null]]]])
      for (const trace of [new History([]), history(odd)]) {
        expect(['violated', 'inconclusive']).toContain(judge(trace).status)
      }
    },
  )
})
