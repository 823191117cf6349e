/**
 * The director: turns a scenario's timeline into verbs.
 *
 * It sees every trace event as it is recorded, counts those that a step waits for, and acts in an
 * event of its own at that instant or a stated while later, never inside the event that triggered
 * it. It tells the trace when a verb took hold (`fault.bit`) and, at the end, which steps never came
 * due.
 */

import { commandMatches, eventMatches } from '../scenario/match.ts'
import type { CommandRule, LinkFault, Point, Scenario, Step, When } from '../scenario/scenario.ts'
import type { TraceEvent } from '../trace/events.ts'
import type { Recorder } from '../trace/recorder.ts'
import { type Arm, CLEAR, type LinkState } from './arm.ts'

/** A point that has not come yet. */
interface Watch {
  readonly when: When
  readonly due: () => void
  seen: number
}

/** Of a rule that was just made. */
const UNMET = { release: null, used: false }

/** What becomes of a command that has come to a server's door. */
export type CommandVerdict =
  | { readonly kind: 'deliver' }
  /** `release` will be called. */
  | { readonly kind: 'hold' }
  | { readonly kind: 'stall' | 'reset'; readonly point: Point }

const DELIVER: CommandVerdict = { kind: 'deliver' }

/** A rule that waits for its command. */
interface WaitingRule {
  readonly step: string
  readonly rule: CommandRule
  readonly verdict: CommandVerdict
  /** Lets go what is held; null until the command came. */
  release: (() => void) | null
  used: boolean
}

/** A link that is slow or cut. */
interface ShapedLink {
  readonly step: string
  readonly verb: 'slow' | 'partition'
  readonly fault: LinkFault
  readonly state: LinkState
  bit: boolean
}

export class Director {
  readonly #scenario: Scenario
  readonly #arm: Arm
  readonly #record: Recorder['record']
  #watches: Watch[] = []
  readonly #rules: WaitingRule[] = []
  #links: ShapedLink[] = []
  readonly #unbitten = new Set<string>()
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

  /** Does any rule still wait for its command? */
  get waiting(): boolean {
    return this.#rules.some((rule) => !rule.used)
  }

  /** What becomes of this command; of one that is held, `release` is kept for the step that lets it go. */
  verdictOn(process: string, argv: readonly string[], release: () => void): CommandVerdict {
    for (const waiting of this.#rules) {
      const { step, rule, verdict } = waiting
      if (waiting.used || rule.process !== process) continue
      if (!commandMatches(argv, rule.command, rule.argv)) continue
      waiting.used = true
      waiting.release = release
      this.#record({ kind: 'fault.bit', step, verb: verdict.kind, process })
      return verdict
    }
    return DELIVER
  }

  /** Tells that traffic of this link was slowed or had to wait. */
  readonly linkBit = (process: string, to: string): void => {
    for (const link of this.#links) {
      if (link.bit || link.fault.process !== process || link.fault.to !== to) continue
      link.bit = true
      this.#unbitten.delete(link.step)
      this.#record({ kind: 'fault.bit', step: link.step, verb: link.verb, process })
    }
  }

  /** Ids of the steps that never came due, and of rules and links that never met traffic. */
  never(): string[] {
    const unmet = new Set(this.#rules.filter((rule) => !rule.used).map((rule) => rule.step))
    return this.#scenario.timeline
      .filter(({ id }) => !this.#done.has(id) || unmet.has(id) || this.#unbitten.has(id))
      .map((step) => step.id)
  }

  #watch(when: When, due: () => void): void {
    if ('atMs' in when) this.#arm.after(when.atMs, due)
    else this.#watches.push({ when, due, seen: 0 })
  }

  #act(step: Step): void {
    this.#done.add(step.id)
    const { do: verb, id } = step
    switch (verb.verb) {
      case 'hold':
        this.#rules.push({ step: id, rule: verb, verdict: { kind: 'hold' }, ...UNMET })
        break
      case 'stall':
      case 'reset': {
        const verdict = { kind: verb.verb, point: verb.point }
        this.#rules.push({ step: id, rule: verb, verdict, ...UNMET })
        break
      }
      case 'slow':
        this.#shape(id, verb.verb, verb, { ...CLEAR, delayMs: verb.delayMs })
        break
      case 'partition': {
        const { way = 'both' } = verb
        const state = { ...CLEAR, outCut: way !== 'in', inCut: way !== 'out' }
        this.#shape(id, verb.verb, verb, state)
        break
      }
      case 'release':
        this.#release(verb.step)
        break
      case 'heal':
        this.#heal(verb.step)
        break
      default:
        this.#onProcess(step, verb.verb, verb.process)
    }
    this.#stepDone(id)
  }

  #shape(step: string, verb: 'slow' | 'partition', fault: LinkFault, state: LinkState): void {
    this.#links.push({ step, verb, fault, state, bit: false })
    this.#unbitten.add(step)
    this.#tellLink(fault)
    if (fault.forMs !== undefined) this.#arm.after(fault.forMs, () => this.#heal(step))
  }

  #heal(step: string): void {
    const healed = this.#links.filter((link) => link.step === step)
    this.#links = this.#links.filter((link) => link.step !== step)
    for (const { fault } of healed) this.#tellLink(fault)
  }

  /** Faults on one link add up. */
  #tellLink({ process, to }: LinkFault): void {
    const state = this.#links
      .filter(({ fault }) => fault.process === process && fault.to === to)
      .reduce(
        (sum, { state: one }) => ({
          delayMs: sum.delayMs + one.delayMs,
          outCut: sum.outCut || one.outCut,
          inCut: sum.inCut || one.inCut,
        }),
        CLEAR,
      )
    this.#arm.shape(process, to, state)
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
    for (const rule of this.#rules) {
      if (rule.step !== stepId || rule.verdict.kind !== 'hold') continue
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
