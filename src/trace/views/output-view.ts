/**
 * What the processes printed, line by line, and the JSON lines among them: their belief.
 */

import type { ProcessOutput, TraceEvent } from '../events.ts'
import type { View } from './view.ts'

/** A stdout line that is a JSON object with a string `event`. */
export interface Said {
  readonly i: number
  readonly t: number
  readonly process: string
  readonly incarnation: number
  readonly event: string
  /** All members of the line, `event` too. Nothing is known about their types. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly text: string
}

export class OutputView implements View {
  readonly #lines: ProcessOutput[] = []
  readonly #said: Said[] = []

  see(event: TraceEvent): void {
    if (event.kind !== 'process.output') return
    this.#lines.push(event)
    if (event.stream !== 'stdout') return
    const fields = parseObject(event.text)
    if (!fields || typeof fields.event !== 'string') return
    const { i, t, process, incarnation, text } = event
    this.#said.push({ i, t, process, incarnation, event: fields.event, fields, text })
  }

  /** Lines of both streams, of one process or of all. */
  lines(process?: string): readonly ProcessOutput[] {
    return process === undefined
      ? this.#lines
      : this.#lines.filter((line) => line.process === process)
  }

  /** JSON lines, of one process or all (null), of one event name or all. */
  said(process: string | null = null, event: string | null = null): readonly Said[] {
    return this.#said.filter(
      (line) =>
        (process === null || line.process === process) && (event === null || line.event === event),
    )
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
