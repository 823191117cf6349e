/** Lets one through at a time, in the order of arrival. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` once all work given before it has settled; answers what it answers. */
  pass<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  /** Resolves when nobody given so far is inside or waits. */
  async idle(): Promise<void> {
    await this.#last
  }
}
