/** Check 5: a worker wakes up after its lease is gone, and writes. The store must refuse it. */

import {
  type Append,
  appends,
  type Check,
  complaint,
  type Evidence,
  ended,
  endedByItself,
  type Finding,
  type History,
  held,
  inconclusive,
  meddling,
  plants,
  said,
  seen,
  start,
  violated,
} from '../../../../src/judge/index.ts'
import {
  A,
  B,
  customerProcess,
  gatewayProcess,
  LEASE,
  NEIGHBOUR,
  SHARD,
  STORE,
  storeProcess,
  type Times,
  USER,
  workerProcess,
} from './setting.ts'

const FILE = 'store.ts'
const FREEZE = 'freeze-a'
const PROBE = 'probe'
/** What the probe sends, in order, and how a fence answers. Tokens are numbers, not texts. */
export const PROBE_WRITES: readonly (readonly [
  shard: number,
  token: number,
  seq: number,
  answer: Append['outcome'],
])[] = [
  [7, 9, 1, 'accepted'],
  [7, 10, 2, 'accepted'],
  [7, 9, 3, 'refused'],
  [7, 10, 4, 'accepted'],
  [8, 3, 5, 'accepted'],
  [7, 12, 6, 'accepted'],
  [7, 10, 7, 'refused'],
  [7, 2_147_483_650, 8, 'accepted'],
  [7, 12, 9, 'refused'],
  [7, 2_147_483_650, 1, 'duplicate'],
]

export function fenceCheck(times: Times): Check {
  const env = { SHARDS: String(SHARD), SELF_STOP: 'off' }
  return {
    id: 5,
    exercise: 4,
    title: 'a worker that wakes up without its lease writes nothing',
    note: 'self-stop off',
    scenario: {
      processes: {
        [STORE]: storeProcess,
        gateway: gatewayProcess,
        customer: customerProcess(
          [
            [USER, 'cancel the order'],
            [NEIGHBOUR, 'where is my parcel?'],
          ],
          'timeline',
        ),
        [PROBE]: {
          program: 'app/probe-fence.ts',
          begins: 'timeline',
          env: {
            ...storeUrl(),
            WRITES: JSON.stringify(PROBE_WRITES.map(([shard, token, seq]) => [shard, token, seq])),
          },
        },
        [A]: workerProcess(A, times, 'timeline', {
          ...env,
          HANDLE_MS: String(times.whileMs),
        }),
        // It works for long enough that A wakes up after B's token is planted and before B writes.
        [B]: workerProcess(B, times, 'timeline', {
          ...env,
          SWEEP_MS: String(times.sweepMs / 2),
          HANDLE_MS: String(times.sweepMs + 3 * times.whileMs),
        }),
      },
      timeline: [
        { id: 'probe', when: { on: said(STORE, 'store.ready') }, do: start(PROBE) },
        { id: 'customer', when: { on: ended(PROBE) }, do: start('customer') },
        { id: 'start-a', when: { on: ended('customer') }, do: start(A) },
        {
          id: FREEZE,
          when: { on: said(A, 'handler.start'), plusMs: times.settleMs },
          do: { verb: 'freeze', process: A, forMs: times.freezeMs },
        },
        { id: 'start-b', when: { step: FREEZE }, do: start(B) },
      ],
      until: {
        on: {
          kind: 'http.response',
          where: { process: B, from: STORE, path: '/messages' },
        },
        plusMs: times.whileMs,
      },
      limitMs: times.limitMs,
    },
    judge: judgeFence,
  }
}

function storeUrl() {
  return { STORE_URL: `http://${STORE}:${storeProcess.env?.PORT}` }
}

export function judgeFence(history: History): Finding {
  const expected = 'A’s late renewal refused, A’s late write refused, B’s write accepted'
  const evidence: Evidence[] = []
  const fail = (got: string, hint: string) =>
    violated({ expected, got, evidence, hint, file: FILE })
  const early = endedByItself(history, [STORE], expected, FILE)
  if (early) return early
  const written = appends(history, STORE)
  const probed = written.filter(({ by }) => by === PROBE)
  /** A fence that is wrong in itself can also keep the story from coming about. */
  const unclear = (got: string) => probeFails() ?? inconclusive({ expected, got, evidence })
  const probeFails = (): Finding | null => {
    const at = PROBE_WRITES.findIndex(([, , , answer], k) => {
      return probed[k] !== undefined && probed[k].outcome !== answer
    })
    if (at < 0) return null
    const sent = PROBE_WRITES.slice(0, at + 1).map(([shard, token]) => `${shard}:${token}`)
    const [, , , wanted] = PROBE_WRITES[at]!
    for (const append of probed) evidence.push(answerTo(append, history.endUs))
    return fail(
      `shard:token ${sent.join(', ')} one after another: the last was ${probed[at]!.outcome}, not ${wanted}`,
      'The store must remember for each shard the highest token that has written: refuse a smaller one, let an equal one pass, move up with a larger one, and say duplicate of what is there already. Tokens are compared as numbers.',
    )
  }
  const silent = written.find(({ by, outcome }) => by === PROBE && outcome === 'silent')
  if (silent) {
    evidence.push(seen(silent.exchange.request, PROBE, `writes with token ${silent.token}`))
    return fail(strange('the first write', silent), SPEAK)
  }
  const begun = history.output.said(A, 'handler.start')[0]
  const freeze = history.lives.biteOf(FREEZE)
  if (!begun || !freeze) return unclear(`A never began a message.${complaint(history, A)}`)
  const token = Number(begun.fields.token)
  evidence.push(seen(begun, A, `begins a message, token ${token}`), seen(freeze, A, 'freezes'))

  const successor = history.leases.terms(LEASE).find((term) => term.by === B)
  const plant = plants(history, STORE).find(({ by, shard }) => by === B && shard === SHARD)
  const thaw = history.lives.thawOf(A)
  if (!successor) return unclear('B did not take over')
  evidence.push(seen({ t: successor.from }, B, `claims the shard: ${successor.value}`))
  if (!plant?.planted || !thaw || plant.exchange.response!.i > thaw.i) {
    return unclear(`B’s token was not planted before A woke up.${complaint(history, B)}`)
  }
  evidence.push(
    seen(plant.exchange.response!, B, `has planted token ${plant.token} at the store`),
    seen(thaw, A, 'thaws'),
  )

  const stale = written.find(({ by, token: with_, exchange }) => {
    return by === A && with_ === token && exchange.request.i > thaw.i
  })
  if (!stale) return unclear('A’s late write never reached the store')
  evidence.push(seen(stale.exchange.request, A, `writes message ${stale.seq}, token ${token}`))
  evidence.push(answerTo(stale, history.endUs))

  const mine = `${A}|${token}`
  const renewal = history.redis.exchanges(A).find(({ command, answer }) => {
    const { argv } = command
    return command.i > thaw.i && argv.includes(LEASE) && argv.includes(mine) && answer !== null
  })
  const reply = renewal?.answer?.reply
  if (renewal?.answer) {
    evidence.push(seen(renewal.answer, 'redis', `answers A’s late renewal: ${String(reply)}`))
  }
  if (meddling(successor).some(({ by }) => by === A) || (reply !== undefined && reply === 1)) {
    return fail(
      'A’s late renewal went through',
      'B’s lease was changed by A. A renewal compares and extends in one script.',
    )
  }
  if (reply === undefined) return unclear('A’s late renewal never reached Redis')

  if (stale.wrote) {
    return fail(
      `A’s late write landed with token ${token}, although the store knew ${plant.token}`,
      'The lease was gone, yet its old holder could write. Each write carries the token of its lease: compare it with the highest one that the shard has seen, before anything is written.',
    )
  }
  if (stale.outcome !== 'refused') return fail(strange('A’s late write', stale), SPEAK)
  const next = written.find(({ by }) => by === B)
  if (!next) return unclear('B did not write')
  evidence.push(answerTo(next, history.endUs))
  if (next.outcome === 'refused') {
    return fail(
      `B’s write with token ${next.token} was refused too`,
      'The rightful holder writes with the token that it planted: an equal token passes, only a smaller one is stale.',
    )
  }
  if (next.outcome !== 'accepted') return fail(strange('B’s write', next), SPEAK)

  const wrong = probeFails()
  if (wrong) return wrong
  if (probed.length < PROBE_WRITES.length) return unclear('the fence was not probed to the end')
  return held({ expected, got: expected, evidence })
}

const SPEAK =
  'appendMessage answers every write: accepted, duplicate, or refused with highestToken. Look at the store’s last lines.'

function answerTo(append: Append, endUs: number): Evidence {
  const { exchange, seq, token, outcome } = append
  const what = `answers ${append.by}’s message ${seq}, token ${token}: ${outcome}`
  return { t: exchange.response?.t ?? endUs, who: STORE, what }
}

function strange(what: string, append: Append): string {
  if (append.outcome === 'silent') return `${what} was never answered by the store`
  return `${what} was answered ${append.outcome}${append.error ? `: ${append.error}` : ''}`
}
