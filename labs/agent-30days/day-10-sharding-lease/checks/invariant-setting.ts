/**
 * The lab's names and figures, for the invariants. Figures come from the environment of a scenario's
 * workers, so that a scenario and what is expected of it cannot part.
 */

import type { ProcessSpec, Scenario, Setting } from '../../../../src/judge/index.ts'
import { GROUP, LEASES, SHARD_COUNT, STORE, VIRTUAL } from './setting.ts'

const WORKER_PROGRAM = 'app/worker-main.ts'
/** Probes that write a lease themselves, and the shard whose lease that is. */
const STAGED: Readonly<Record<string, string>> = {
  'app/probe-lease.ts': '300',
  'app/probe-renewal.ts': '7',
}
/** What the app does when the environment says nothing; see app/config.ts. */
const WATCHES_IN_A_RENEWAL = 5
const LATENCY_MS = 500
const GRACE_MS = 25_000

/** The setting that a scenario of this lab runs in. */
export function settingOf(scenario: Scenario): Setting {
  const workers = Object.entries(scenario.processes).filter(
    ([, { program }]) => program === WORKER_PROGRAM,
  )
  const largest = (name: string, fallback: number) =>
    Math.max(...workers.flatMap(([, spec]) => numbers(spec, name, fallback)), 0) || fallback
  const ttlMs = largest('LEASE_TTL_MS', VIRTUAL.leaseTtlMs)
  const renewMs = largest('RENEW_MS', VIRTUAL.renewMs)
  return {
    leases: {
      keyStart: LEASES,
      separator: '|',
      counterStart: 'lease:fence',
      ttlMs,
      sweepMs: largest('SWEEP_MS', VIRTUAL.sweepMs),
      staged: Object.values(scenario.processes).flatMap(({ program }) => STAGED[program] ?? []),
    },
    messages: {
      keyStart: 'koda:runs:s',
      group: GROUP,
      fields: { run: 'runId', seq: 'seq' },
      deadLetterStart: null,
      published: { server: 'gateway', path: '/messages', status: 202, resource: 'shard' },
    },
    store: {
      server: STORE,
      write: {
        path: '/messages',
        resource: 'shard',
        token: 'token',
        run: 'runId',
        seq: 'seq',
        rows: 'rows',
      },
      plant: { path: '/plant', resource: 'shard', token: 'token' },
      refusedStatus: 409,
    },
    beliefs: {
      held: 'lease.held',
      lost: 'lease.lost',
      began: 'handler.start',
      resource: 'shard',
      run: 'runId',
      seq: 'seq',
      selfStop: workers.every(([, { env }]) => env?.SELF_STOP !== 'off'),
    },
    bounds: {
      latencyMs: LATENCY_MS,
      longestHandlingMs: largest('HANDLE_MS', VIRTUAL.handlingMs),
      selfStopMs: (ttlMs * 2) / 3,
      watchMs: renewMs / WATCHES_IN_A_RENEWAL,
      graceMs: GRACE_MS,
    },
    workers: Object.fromEntries(workers.map(([name, spec]) => [name, holdings(spec)])),
    health: null,
    environments: [],
    panel: null,
    boot: {
      ready: 'worker.ready',
      shardCount: { key: 'koda:shard-count', count: SHARD_COUNT },
      maxmemoryPolicy: false,
      started: {},
    },
  }
}

function holdings(spec: ProcessSpec) {
  const resources = spec.env?.SHARDS?.split(',') ?? null
  const [workers = 1] = numbers(spec, 'WORKERS', 1)
  return { resources, share: Math.ceil((resources?.length ?? SHARD_COUNT) / workers) }
}

function numbers({ env }: ProcessSpec, name: string, fallback: number): readonly number[] {
  return env?.[name]?.split(',').map(Number) ?? [fallback]
}
