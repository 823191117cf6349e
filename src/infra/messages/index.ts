/** The message tables, as a lab's store process opens them (`leaselab/messages`). */

export { memoryTables } from './memory.ts'
export type {
  AppendOutcome,
  Commit,
  CommittedRow,
  Fence,
  MessageRow,
  MessageTables,
  MessageTx,
  RunRow,
  RunStatus,
} from './tables.ts'
