/** Every command of the engine, by name. A new family is added here, and to the conformance cases. */
import type { Command } from '../command.ts'
import { client } from './client.ts'
import { config } from './config.ts'
import { connection } from './connection.ts'
import { counters } from './counters.ts'
import { expiry } from './expiry.ts'
import { hashes } from './hashes.ts'
import { introspection } from './introspection.ts'
import { keys } from './keys.ts'
import { scan } from './scan.ts'
import { scripts } from './scripts.ts'
import { server } from './server-info.ts'
import { set } from './set.ts'
import { streamAdd } from './stream-add.ts'
import { streamClaim } from './stream-claim.ts'
import { streamGroup } from './stream-group.ts'
import { streamInfo } from './stream-info.ts'
import { streamPending } from './stream-pending.ts'
import { streamRange } from './stream-range.ts'
import { streamRead } from './stream-read.ts'
import { strings } from './strings.ts'
import { transactions } from './transactions.ts'

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [
    ...strings,
    ...set,
    ...counters,
    ...expiry,
    ...keys,
    ...scan,
    ...hashes,
    ...streamAdd,
    ...streamRange,
    ...streamRead,
    ...streamGroup,
    ...streamPending,
    ...streamClaim,
    ...streamInfo,
    ...scripts,
    ...transactions,
    ...connection,
    ...client,
    ...config,
    ...server,
    ...introspection,
  ].map((command) => [command.name, command]),
)

/** By name in any case. */
export function findCommand(name: string): Command | undefined {
  return COMMANDS.get(name) ?? COMMANDS.get(name.toLowerCase())
}
