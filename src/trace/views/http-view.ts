/**
 * HTTP traffic between processes as exchanges: each request that arrived, with its answer.
 */

import type { HttpRequest, HttpResponse, TraceEvent } from '../events.ts'
import type { View } from './view.ts'

/** `response` is null if no answer left the server. */
export interface HttpExchange {
  readonly request: HttpRequest
  readonly response: HttpResponse | null
}

export class HttpView implements View {
  readonly #requests = new Map<number, HttpRequest>()
  readonly #responses = new Map<number, HttpResponse>()

  see(event: TraceEvent): void {
    if (event.kind === 'http.request') this.#requests.set(event.id, event)
    else if (event.kind === 'http.response') this.#responses.set(event.id, event)
  }

  /** Exchanges with one server, in the order of the requests' arrival. */
  exchanges(to: string): readonly HttpExchange[] {
    return [...this.#requests.values()]
      .filter((request) => request.to === to)
      .map((request) => ({ request, response: this.#responses.get(request.id) ?? null }))
  }
}

/** A body as a JSON object; null if it is none. */
export function jsonBody(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
