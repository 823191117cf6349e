/**
 * Operations and models: what a history of calls is made of, and what a correct object would do.
 *
 * An operation takes effect at one instant between its call and its return. Whose outcome nobody knows
 * (the answer was lost) may have taken effect at any time after its call, or never. A model is a
 * sequential object: pure, with states that are told apart by their keys. Times are trace µs.
 */

export interface Operation<In, Out> {
  readonly client: string
  /** Operations on different resources do not touch each other. */
  readonly resource: string
  readonly input: In
  readonly callUs: number
  readonly outcome: Outcome<Out>
}

export type Outcome<Out> =
  | { readonly kind: 'known'; readonly output: Out; readonly returnUs: number }
  | { readonly kind: 'unknown' }

/** When an operation can have taken effect, as far as its place in an order tells. */
export interface Window {
  readonly earliestUs: number
  /** `Infinity` if nothing bounds it. */
  readonly latestUs: number
}

export interface Model<State, In, Out> {
  readonly name: string
  readonly initial: State
  /**
   * The states in which a state can be once the operation has taken effect with this output; none if
   * it cannot have. More than one where the object itself has a choice (a lease that may lapse).
   */
  step(state: State, input: In, output: Out, window: Window): readonly State[]
  /**
   * The states once an operation with an unknown outcome has changed something; none if it cannot
   * have changed anything.
   */
  stepUnknown(state: State, input: In, window: Window): readonly State[]
  /** Equal for equal states, and only for these. */
  key(state: State): string
  /** `worker-a asks for the lease: granted with token 41`. */
  describe(operation: Operation<In, Out>): string
  /** `held by worker-a with token 41`. */
  describeState(state: State): string
}
