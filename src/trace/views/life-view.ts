/**
 * The lives of the processes and what the timeline did to them: starts, ends, freezes, faults.
 */

import type {
  FaultBit,
  FaultReleased,
  ProcessError,
  ProcessExited,
  ProcessStarted,
  ProcessVerb,
  TraceEvent,
  WorldEnded,
} from '../events.ts'
import type { View } from './view.ts'

export class LifeView implements View {
  readonly started: ProcessStarted[] = []
  readonly exited: ProcessExited[] = []
  readonly errors: ProcessError[] = []
  readonly verbs: ProcessVerb[] = []
  readonly bites: FaultBit[] = []
  readonly releases: FaultReleased[] = []
  /** How the world ended; null while it runs. */
  ended: WorldEnded | null = null

  see(event: TraceEvent): void {
    switch (event.kind) {
      case 'process.started':
        this.started.push(event)
        break
      case 'process.exited':
        this.exited.push(event)
        break
      case 'process.error':
        this.errors.push(event)
        break
      case 'process.frozen':
      case 'process.thawed':
      case 'process.signalled':
        this.verbs.push(event)
        break
      case 'fault.bit':
        this.bites.push(event)
        break
      case 'fault.released':
        this.releases.push(event)
        break
      case 'world.ended':
        this.ended = event
    }
  }

  /** First start of a process, or null. */
  startOf(process: string): ProcessStarted | null {
    return this.started.find((event) => event.process === process) ?? null
  }

  /** First end of a process, or null. */
  exitOf(process: string): ProcessExited | null {
    return this.exited.find((event) => event.process === process) ?? null
  }

  /** First time a process was thawed, or null. */
  thawOf(process: string): ProcessVerb | null {
    return this.verbs.find((v) => v.kind === 'process.thawed' && v.process === process) ?? null
  }

  /** The moment the fault of a timeline step took hold, or null. */
  biteOf(step: string): FaultBit | null {
    return this.bites.find((event) => event.step === step) ?? null
  }

  /** The moment what a step held was let go, or null. */
  releaseOf(step: string): FaultReleased | null {
    return this.releases.find((event) => event.step === step) ?? null
  }
}
