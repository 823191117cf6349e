/**
 * What every view is: a fold over a trace. It is shown events in order, one after another, and can be
 * asked at any time, so the same view serves a judge after the run and a screen during it.
 */

import type { TraceEvent } from '../events.ts'

export interface View {
  /** Takes the next event. Views ignore kinds that are none of theirs. */
  see(event: TraceEvent): void
}
