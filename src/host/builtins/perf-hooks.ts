/**
 * `node:perf_hooks`: the process's own `performance`; what measures the real engine is inert.
 *
 * Metrics packages ask for event loop delays and collections when they start. They get zeros and no
 * entries: neither exists in virtual time.
 */

import { constants, createHistogram } from 'node:perf_hooks'
import type { HostContext } from '../context.ts'
import { watch } from '../shared-objects.ts'

class InertObserver {
  static readonly supportedEntryTypes: readonly string[] = Object.freeze([
    'function',
    'gc',
    'mark',
    'measure',
  ])

  observe(_options: unknown): void {}

  disconnect(): void {}

  takeRecords(): unknown[] {
    return []
  }
}

function inertHistogram(): object {
  return {
    min: 0,
    max: 0,
    mean: 0,
    stddev: 0,
    exceeds: 0,
    count: 0,
    percentiles: new Map([[100, 0]]),
    percentile: (_p: number) => 0,
    enable: () => true,
    disable: () => true,
    reset: () => {},
  }
}

export function makePerfHooks(context: HostContext): object {
  watch(InertObserver, 'perf_hooks.PerformanceObserver')
  const { realm } = context
  return {
    performance: realm.performance,
    Performance: realm.Performance,
    PerformanceEntry: realm.PerformanceEntry,
    PerformanceMark: realm.PerformanceMark,
    PerformanceMeasure: realm.PerformanceMeasure,
    PerformanceObserver: class PerformanceObserver extends InertObserver {},
    constants: { ...constants },
    createHistogram,
    monitorEventLoopDelay: (_options?: unknown) => inertHistogram(),
  }
}
