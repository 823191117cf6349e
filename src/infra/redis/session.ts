/**
 * One client's connection as the engine sees it: its database, its open transaction, what it waits
 * for. Nothing here touches a socket.
 */
import type { Command } from './command.ts'
import type { EntryId } from './stream-id.ts'

export interface QueuedCommand {
  readonly command: Command
  readonly args: readonly Buffer[]
}

export interface WatchedKey {
  readonly db: number
  readonly key: string
  /** Its time was already over when it was watched: its removal is no change. */
  readonly wasStale: boolean
}

/** What a blocked reader waits for. Keys in the order of its command. */
export interface BlockedRead {
  readonly db: number
  /** Null for no deadline. */
  readonly deadlineUs: number | null
  /** For plain reads the id after which to read, by key. */
  readonly after: ReadonlyMap<string, EntryId>
  readonly count: number
  readonly group: {
    readonly name: string
    readonly consumer: string
    readonly noAck: boolean
  } | null
}

export class Session {
  readonly id: number
  readonly addr: string
  readonly openedAtUs: number
  name = ''
  db = 0
  /** Commands of an open transaction; null outside of MULTI. */
  queue: QueuedCommand[] | null = null
  /** A command was refused while queueing: EXEC will abort. */
  queueFailed = false
  watched: WatchedKey[] = []
  /** A watched key has changed. */
  watchBroken = false
  blocked: BlockedRead | null = null
  /** After QUIT: the server sends the reply and closes. */
  closing = false
  noEvict = false
  lastCommand = 'NULL'
  lastCommandUs: number

  constructor(id: number, addr: string, nowUs: number) {
    this.id = id
    this.addr = addr
    this.openedAtUs = nowUs
    this.lastCommandUs = nowUs
  }
}
