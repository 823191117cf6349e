/**
 * What checks 2 and 3 share: a stack in which one replica stops beating and lives on, visited before
 * and after it counts as stale; and what was really beaten, by the commands that Redis executed.
 */

import { type History, jsonBody, type Scenario, said, start } from '../../../../src/judge/index.ts'
import {
  A,
  B,
  C,
  GATEWAY,
  gatewayProcess,
  STORE,
  storeProcess,
  type Times,
  visitorProcess,
  WORKERS,
  workerProcess,
} from './setting.ts'

export const REPLICAS = [A, B, C]
/** The replica that stops. */
export const SILENT = B
const BEATS = 2
export const EARLY = 'early-visitor'
export const LATE = 'late-visitor'
const PAGES = ['/admin/workers', '/readyz', '/healthz']

/** Two thirds into its silence, and beyond the end of it. */
export function silenceScenario(times: Times, probe: Scenario['processes']): Scenario {
  return {
    processes: {
      ...probe,
      [STORE]: storeProcess,
      [GATEWAY]: gatewayProcess(times),
      [A]: workerProcess(A, times),
      [B]: workerProcess(B, times, { BEATS: String(BEATS) }),
      [C]: workerProcess(C, times),
      [EARLY]: visitorProcess(PAGES),
      [LATE]: visitorProcess(PAGES),
    },
    timeline: [
      {
        id: EARLY,
        when: { on: said(SILENT, 'beat.last'), plusMs: (2 * times.staleMs) / 3 },
        do: start(EARLY),
      },
      {
        id: LATE,
        when: { on: said(SILENT, 'beat.last'), plusMs: times.staleMs + times.whileMs },
        do: start(LATE),
      },
    ],
    until: { on: { kind: 'process.exited', where: { process: LATE } }, plusMs: times.renewMs },
    limitMs: times.limitMs,
  }
}

/** What a visitor was answered for a page: status and body, or null. */
export function visited(history: History, visitor: string, path: string) {
  for (const { request, response } of history.http.exchanges(GATEWAY)) {
    if (request.process !== visitor || request.path !== path || !response) continue
    return { status: response.status, body: jsonBody(response.body) ?? {}, t: response.t, request }
  }
  return null
}

/** When Redis last executed a beat of this worker before `t`; null if it never did. µs. */
export function lastBeatBefore(history: History, worker: string, t: number): number | null {
  const beats = history.redis.exchanges(worker).filter(({ command }) => {
    const { argv } = command
    return command.t <= t && argv[0] !== 'HDEL' && argv.includes(WORKERS) && argv.includes(worker)
  })
  return beats.at(-1)?.command.t ?? null
}

/** Whether the silent replica was seen at work on the server after `t`: it lives. */
export function livesAfter(history: History, worker: string, t: number): boolean {
  return history.redis.exchanges(worker).some(({ command }) => command.t > t)
}

/** The lines of a panel by worker. */
export function linesOf(body: Readonly<Record<string, unknown>>) {
  const lines = Array.isArray(body.workers) ? (body.workers as readonly unknown[]) : []
  const found = new Map<string, Readonly<Record<string, unknown>>>()
  for (const line of lines) {
    if (typeof line !== 'object' || line === null) continue
    const { workerId } = line as { readonly workerId?: unknown }
    found.set(String(workerId), line as Readonly<Record<string, unknown>>)
  }
  return found
}
