/** The message tables, as a lab's store process opens them (`leaselab/messages`). */

export { memoryTables } from './memory.ts'
export { dropTables, openTables } from './open.ts'
export { type Certainty, DatabaseError, SettingError } from './postgres/errors.ts'
export type { DatabaseSettings } from './postgres/open.ts'
export type { MoveOutcome, RunMove, RunRow, RunStatus, RunTx } from './runs.ts'
export type {
  AppendOutcome,
  Commit,
  CommittedRow,
  Fence,
  FenceOutcome,
  FenceTx,
  MessageRow,
  MessageTables,
  MessageTx,
  TablesTx,
} from './tables.ts'
