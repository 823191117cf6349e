/** The worker's way to the store: day 10's, and the status of the runs beside it. */

import { type Holding, LeaseLost } from 'day-10-sharding-lease/app/holding.ts'
import { StoreClient } from 'day-10-sharding-lease/app/store-client.ts'
import type { Entry } from '#exercises/day-10/worker.ts'
import { runIdOf } from './run-id.ts'

export class KodaStore extends StoreClient {
  /** The run of this message is running from now on. Rejects with `LeaseLost` when it is fenced off. */
  async begin(holding: Holding, { runId, seq }: Entry): Promise<void> {
    await this.#tell('/runs/begin', holding, runIdOf(runId, seq))
  }

  /** The run of this message has failed for good. */
  async fail(holding: Holding, { runId, seq }: Entry): Promise<void> {
    await this.#tell('/runs/fail', holding, runIdOf(runId, seq))
  }

  async #tell(path: string, holding: Holding, runId: string): Promise<void> {
    const { shard, token } = holding
    const answer = await this.insist(path, { runId, shard, token }, holding)
    if (answer.status === 409) throw new LeaseLost(`the store refused token ${token}`)
  }
}
