/**
 * Messages as the servers saw them: entries of the streams, to whom they were handed, and what was
 * acknowledged or put away as a dead letter.
 *
 * An entry is known once a reply or an XADD shows it with its fields. An acknowledgement is an XACK
 * that took one off the pending list, or a script that is handed stream, group and entry and writes to
 * the stream: what a script does inside is not in a trace, only that it wrote. XADD with `*` inside a
 * script is seen when the entry is first read.
 */

import type { RedisCommand, ReplyValue } from '../../trace/events.ts'
import type { History, RedisExchange } from '../../trace/history.ts'
import { deliveredFrom, jsonBody } from '../../trace/history.ts'
import type { MessageSetting } from '../setting.ts'
import { resourceOf } from './beliefs.ts'
import { keysOf } from './command-keys.ts'
import type { Moment } from './lives.ts'

/** One conversation's message: `run` and `seq` together name it everywhere. */
export interface Message {
  readonly run: string
  readonly seq: number
}

export interface Entry extends Message {
  readonly stream: string
  readonly resource: string
  readonly id: string
}

export interface Delivery extends Moment {
  readonly entry: Entry
  readonly to: string
  readonly incarnation: number
  readonly how: 'read' | 'claimed'
}

export interface Acknowledgement extends Moment {
  readonly entry: Entry
  readonly by: string
  readonly command: RedisCommand
}

export interface Published extends Message, Moment {
  /** Null if the answer did not tell. */
  readonly resource: string | null
}
export interface DeadLetter extends Message, Moment {
  readonly by: string
}

export interface Messages {
  readonly entries: readonly Entry[]
  readonly deliveries: readonly Delivery[]
  readonly acknowledgements: readonly Acknowledgement[]
  readonly deadLetters: readonly DeadLetter[]
  /** Messages whose publishing was confirmed: by the endpoint that takes them, or by XADD itself. */
  readonly published: readonly Published[]
}

/** Everything about messages, each list in the order of the trace. */
export function messagesOf(history: History, names: MessageSetting): Messages {
  const known = new Map<string, Entry>()
  const deliveries: Delivery[] = []
  const added: Published[] = []
  for (const { command, answer } of history.redis.exchanges()) {
    if (!answer) continue
    for (const [stream, id, fields] of shown(command, answer.reply, names)) {
      const entry = known.get(`${stream} ${id}`) ?? entryOf(stream, id, fields, names)
      if (!entry) continue
      known.set(`${stream} ${id}`, entry)
      if (command.argv[0] === 'XADD') added.push({ ...entry, i: answer.i, t: answer.t })
      const how = HANDING[command.argv[0] ?? '']
      if (!how) continue
      const { process, incarnation } = command
      const { i, t } = answer
      deliveries.push({ entry, to: process, incarnation, how, i, t })
    }
  }
  const wrote = new Map<number, string[]>()
  for (const { effect } of history.redis.effects()) {
    if (effect.id === null || effect.op !== 'write') continue
    wrote.set(effect.id, [...(wrote.get(effect.id) ?? []), effect.key])
  }
  const exchanges = history.redis.exchanges()
  return {
    entries: [...known.values()],
    deliveries: deliveries.sort((a, b) => a.i - b.i),
    acknowledgements: exchanges.flatMap((each) => acknowledged(each, known, wrote, names)),
    deadLetters: exchanges.flatMap((each) => deadLettered(each, known, wrote, names)),
    published: [...publishedIn(history, names), ...added].sort((a, b) => a.i - b.i),
  }
}

/** Order of entry ids, which is that of enqueueing. */
export function compareIds(a: string, b: string): number {
  const [ams = '0', aseq = '0'] = a.split('-')
  const [bms = '0', bseq = '0'] = b.split('-')
  return Number(ams) - Number(bms) || Number(aseq) - Number(bseq)
}

/** Equal for the same message, and only for it. */
export function messageKey({ run, seq }: Message): string {
  return `${seq} ${run}`
}

const HANDING: Readonly<Record<string, Delivery['how']>> = {
  XREADGROUP: 'read',
  XCLAIM: 'claimed',
  XAUTOCLAIM: 'claimed',
}

type Shown = readonly [stream: string, id: string, fields: ReadonlyMap<string, string>]

/** Entries that a command and its reply show. */
function shown({ argv }: RedisCommand, reply: ReplyValue, names: MessageSetting): readonly Shown[] {
  const [name = '', first = '', group = ''] = argv
  if (name === 'XREADGROUP') {
    if (group !== names.group) return []
    return keysOf(argv)
      .filter((stream) => stream.startsWith(names.keyStart))
      .flatMap((stream) =>
        deliveredFrom(reply, stream).map(({ id, fields }): Shown => [stream, id, fields]),
      )
  }
  if (!first.startsWith(names.keyStart)) return []
  if (name === 'XADD' && typeof reply === 'string') {
    return [[first, reply, pairs(argv.slice(idPlace(argv) + 1))]]
  }
  const list = name === 'XAUTOCLAIM' ? asList(asList(reply)[1]) : asList(reply)
  const ofGroup = (name === 'XAUTOCLAIM' || name === 'XCLAIM') && group === names.group
  if (!ofGroup && name !== 'XRANGE') return []
  return list.flatMap((item): Shown[] => {
    if (typeof item === 'string') return [[first, item, new Map()]]
    const [id, fields] = asList(item)
    return typeof id === 'string' ? [[first, id, pairs(asList(fields).map(String))]] : []
  })
}

/** Where XADD has its id, behind key and options; its fields follow. */
function idPlace(argv: readonly string[]): number {
  let at = 2
  for (;;) {
    const option = argv[at]?.toUpperCase()
    if (option === 'NOMKSTREAM') at += 1
    else if (option === 'LIMIT') at += 2
    else if (option === 'MAXLEN' || option === 'MINID') {
      at += argv[at + 1] === '~' || argv[at + 1] === '=' ? 3 : 2
    } else return at
  }
}

function entryOf(
  stream: string,
  id: string,
  fields: ReadonlyMap<string, string>,
  { keyStart, fields: names }: MessageSetting,
): Entry | null {
  const run = fields.get(names.run)
  const seq = Number(fields.get(names.seq) ?? Number.NaN)
  if (run === undefined || !Number.isSafeInteger(seq)) return null
  return { stream, resource: stream.slice(keyStart.length), id, run, seq }
}

function acknowledged(
  { command, answer }: RedisExchange,
  known: ReadonlyMap<string, Entry>,
  wrote: ReadonlyMap<number, readonly string[]>,
  names: MessageSetting,
): readonly Acknowledgement[] {
  const { argv, id, i, t, process } = command
  const [name = ''] = argv
  const plain = name === 'XACK' && argv[2] === names.group
  const scripted = SCRIPTED.test(name) && argv.includes(names.group)
  if (!plain && !scripted) return []
  if (plain && answer?.reply === 0) return []
  const streams = keysOf(argv).filter((key) => key.startsWith(names.keyStart))
  return streams
    .filter((stream) => wrote.get(id)?.includes(stream))
    .flatMap((stream) =>
      argv.flatMap((arg) => {
        const entry = known.get(`${stream} ${arg}`)
        return entry ? [{ entry, by: process, command, i, t }] : []
      }),
    )
}

function deadLettered(
  { command }: RedisExchange,
  known: ReadonlyMap<string, Entry>,
  wrote: ReadonlyMap<number, readonly string[]>,
  { deadLetterStart, fields }: MessageSetting,
): readonly DeadLetter[] {
  const { argv, id, i, t, process } = command
  if (deadLetterStart === null) return []
  if (!wrote.get(id)?.some((key) => key.startsWith(deadLetterStart))) return []
  const place = { i, t, by: process }
  const given = pairs(argv.slice(argv.indexOf(fields.run)))
  const run = given.get(fields.run)
  const seq = Number(given.get(fields.seq) ?? Number.NaN)
  if (run !== undefined && Number.isSafeInteger(seq)) return [{ run, seq, ...place }]
  const entry = [...known.values()].find((each) => argv.includes(each.id))
  return entry ? [{ run: entry.run, seq: entry.seq, ...place }] : []
}

const SCRIPTED = /^(EVAL|EVALSHA|FCALL)$/

function publishedIn(history: History, { published, fields }: MessageSetting): Published[] {
  if (published === null) return []
  return history.http.exchanges(published.server).flatMap(({ request, response }) => {
    if (request.path !== published.path || response?.status !== published.status) return []
    const body = jsonBody(response.body) ?? {}
    const run = body[fields.run]
    const seq = body[fields.seq]
    if (typeof run !== 'string' || typeof seq !== 'number') return []
    const resource = resourceOf(body[published.resource])
    return [{ run, seq, resource, i: response.i, t: response.t }]
  })
}

function pairs(flat: readonly string[]): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (let at = 0; at + 1 < flat.length; at += 2) map.set(flat[at]!, flat[at + 1]!)
  return map
}

function asList(value: ReplyValue | undefined): readonly ReplyValue[] {
  return Array.isArray(value) ? (value as readonly ReplyValue[]) : []
}
