/** Cuts what a process writes into lines. Keeps what has no newline yet, up to 64 KiB. */

const LONGEST = 64 * 1024

export class LineSplitter {
  readonly #emit: (line: string) => void
  #rest = ''

  constructor(emit: (line: string) => void) {
    this.#emit = emit
  }

  push(text: string): void {
    this.#rest += text
    let from = 0
    for (;;) {
      const end = this.#rest.indexOf('\n', from)
      if (end < 0) break
      this.#emit(this.#rest.slice(from, end))
      from = end + 1
    }
    this.#rest = this.#rest.slice(from)
    if (this.#rest.length > LONGEST) this.flush()
  }

  /** Gives out what is left as a line of its own. */
  flush(): void {
    if (this.#rest !== '') this.#emit(this.#rest)
    this.#rest = ''
  }
}
