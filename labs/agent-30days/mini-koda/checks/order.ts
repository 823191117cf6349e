/** What every check of the assembled system looks at besides its own story: order, once, tokens. */

import { type Append, firstOutOfPlace } from '../../../../src/judge/index.ts'

export interface Disorder {
  readonly got: string
  readonly file: string
  readonly hint: string
}

const MENDED_IN = {
  token: {
    file: 'day-10/store.ts',
    hint: 'A smaller token than the highest that the shard has seen writes nothing.',
  },
  order: {
    file: 'day-10/worker.ts',
    hint: 'Within a shard one message is handled after the other.',
  },
} as const

/** The first message that is out of its session's order, or written with a token that went back. */
export function disorder(written: readonly Append[]): Disorder | null {
  const wrong = firstOutOfPlace(written)
  return wrong && { got: wrong.got, ...MENDED_IN[wrong.kind] }
}
