/**
 * Chance: one named stream of numbers per concern, all from one seed.
 *
 * A stream depends on the seed and its own name alone, so drawing once more in one place moves
 * nothing in another. Streams are made on first use and kept. Generator: alea, from seedrandom
 * (its default, ARC4, takes 30 times as long to set up, and a world opens hundreds of streams).
 */

import seedrandom from 'seedrandom'

/** Draws the next number, 0 ≤ x < 1. */
export type Draw = () => number

export class Chance {
  readonly #seed: string
  readonly #streams = new Map<string, Draw>()

  constructor(seed: string) {
    this.#seed = seed
  }

  /** The stream of this name; the same function each time it is asked for. */
  stream(name: string): Draw {
    let draw = this.#streams.get(name)
    if (draw === undefined) {
      draw = seedrandom.alea(`${this.#seed}\n${name}`)
      this.#streams.set(name, draw)
    }
    return draw
  }
}

/** A whole number from `min` to `max`, both included. */
export function wholeBetween(draw: Draw, min: number, max: number): number {
  return min + Math.floor(draw() * (max - min + 1))
}
