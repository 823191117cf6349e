/**
 * The director: turns a scenario's timeline into verbs.
 *
 * It sees every trace event as it is recorded, counts those that a step waits for, and acts in an
 * event of its own at that instant or a stated while later, never inside the event that triggered
 * it. It tells the trace when a verb took hold (`fault.bit`) and, at the end, which steps never came
 * due.
 */

import { commandMatches, eventMatches } from '../scenario/match.ts'
import type { Scenario, Step, When } from '../scenario/scenario.ts'
import type { TraceEvent } from '../trace/events.ts'
import type { Recorder } from '../trace/recorder.ts'
import type { Arm } from './arm.ts'

/** A point that has not come yet. */
interface Watch {
  readonly when: When
  readonly due: () => void
  seen: number
}

/** A hold that waits for its command. */
interface HoldRule {
  readonly step: string
  readonly process: string
  readonly command: readonly string[]
  readonly argv: readonly string[] | undefined
  /** Lets go what is held; null until the command came. */
  release: (() => void) | null
  used: boolean
}

export class Director {
  readonly #scenario: Scenario
  readonly #arm: Arm
  readonly #record: Recorder['record']
  #watches: Watch[] = []
  readonly #holds: HoldRule[] = []
  readonly #done = new Set<string>()
  #alive = 0

  constructor(scenario: Scenario, arm: Arm, record: Recorder['record']) {
    this.#scenario = scenario
    this.#arm = arm
    this.#record = record
  }

  /** Starts what begins at once and sets the timeline up. Call once, at time 0. */
  begin(): void {
    const { timeline, until, processes } = this.#scenario
    for (const step of timeline) this.#watch(step.when, () => this.#act(step))
    if (!('allExited' in until)) this.#watch(until, () => this.#arm.stop())
    for (const [name, spec] of Object.entries(processes)) {
      if (spec.begins !== 'timeline') this.#arm.start(name)
    }
  }

  /** Shows the director an event. */
  readonly see = (event: TraceEvent): void => {
    this.#countAlive(event)
    let came = false
    for (const watch of this.#watches) {
      if (!('on' in watch.when) || !eventMatches(event, watch.when.on)) continue
      watch.seen += 1
      came ||= watch.seen === (watch.when.nth ?? 1)
    }
    if (!came) return
    const due = this.#watches.filter(({ when, seen }) => 'on' in when && seen === (when.nth ?? 1))
    this.#watches = this.#watches.filter((watch) => !due.includes(watch))
    for (const { when, due: run } of due) this.#arm.after(('on' in when && when.plusMs) || 0, run)
  }

  /** Ends a run that waits for all to be gone. Asked in an event of its own: a restart kills first. */
  #countAlive(event: TraceEvent): void {
    if (event.kind === 'process.started') this.#alive += 1
    if (event.kind !== 'process.exited') return
    this.#alive -= 1
    if (this.#alive > 0 || !('allExited' in this.#scenario.until)) return
    this.#arm.after(0, () => {
      if (this.#alive === 0 && !this.#startsToCome()) this.#arm.stop()
    })
  }

  #startsToCome(): boolean {
    return this.#scenario.timeline.some(
      (step) =>
        (step.do.verb === 'start' || step.do.verb === 'restart') && !this.#done.has(step.id),
    )
  }

  /** Does any hold still wait for its command? */
  get holding(): boolean {
    return this.#holds.some((rule) => !rule.used)
  }

  /**
   * Is this command to be held at the server's door? If so, `release` is kept for the step that lets
   * it go.
   */
  holds(process: string, argv: readonly string[], release: () => void): boolean {
    for (const rule of this.#holds) {
      if (rule.used || rule.process !== process) continue
      if (!commandMatches(argv, rule.command, rule.argv)) continue
      rule.used = true
      rule.release = release
      this.#record({ kind: 'fault.bit', step: rule.step, verb: 'hold', process })
      return true
    }
    return false
  }

  /** Ids of the steps that never came due, and of holds that never met their command. */
  never(): string[] {
    const unmet = new Set(this.#holds.filter((rule) => !rule.used).map((rule) => rule.step))
    return this.#scenario.timeline
      .filter((step) => !this.#done.has(step.id) || unmet.has(step.id))
      .map((step) => step.id)
  }

  #watch(when: When, due: () => void): void {
    if ('atMs' in when) this.#arm.after(when.atMs, due)
    else this.#watches.push({ when, due, seen: 0 })
  }

  #act(step: Step): void {
    this.#done.add(step.id)
    const { do: verb } = step
    if (verb.verb === 'hold') {
      const { process, command, argv } = verb
      this.#holds.push({ step: step.id, process, command, argv, release: null, used: false })
    } else if (verb.verb === 'release') this.#release(verb.step)
    else this.#onProcess(step, verb.verb, verb.process)
    this.#stepDone(step.id)
  }

  #onProcess(
    step: Step,
    verb: 'start' | 'freeze' | 'thaw' | 'kill' | 'term' | 'restart',
    process: string,
  ): void {
    const took = this.#arm[verb](process)
    if (verb === 'start') return
    if (took) this.#record({ kind: 'fault.bit', step: step.id, verb, process })
    if (took && step.do.verb === 'freeze' && step.do.forMs !== undefined) {
      this.#arm.after(step.do.forMs, () => this.#arm.thaw(process))
    }
  }

  #release(stepId: string): void {
    for (const rule of this.#holds) {
      if (rule.step !== stepId) continue
      rule.used = true
      if (rule.release === null) continue
      const { release } = rule
      rule.release = null
      this.#record({ kind: 'fault.released', step: stepId })
      release()
    }
  }

  #stepDone(id: string): void {
    const due = this.#watches.filter(({ when }) => 'step' in when && when.step === id)
    this.#watches = this.#watches.filter((watch) => !due.includes(watch))
    for (const { when, due: run } of due) this.#arm.after(('step' in when && when.plusMs) || 0, run)
  }
}
