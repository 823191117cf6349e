/** The rows of `pnpm bench` and how their figures are written. */

export interface Row {
  readonly what: string
  readonly figure: string
  /** What is wanted, and the floor below which it is not done; null where nothing is promised. */
  readonly aim: string | null
  readonly fails: boolean
}

/** A figure without a promise. */
export const told = (what: string, figure: string): Row => ({
  what,
  figure,
  aim: null,
  fails: false,
})

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

export const perSecond = (rate: number): string =>
  rate >= 1e6 ? `${(rate / 1e6).toFixed(2)} M/s` : `${(rate / 1000).toFixed(0)} k/s`

export const millis = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`

/** `+3.2 %` of `base`. */
export const percentMore = (value: number, base: number): string => {
  const percent = (value / base - 1) * 100
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`
}

export function table(rows: readonly Row[]): string {
  const wide = Math.max(...rows.map((row) => row.what.length))
  const figureWide = Math.max(...rows.map((row) => row.figure.length))
  const lines = rows.map((row) => {
    const aim = row.aim === null ? '' : `${row.aim}${row.fails ? '  ← below the floor' : ''}`
    return `${row.what.padEnd(wide)}  ${row.figure.padEnd(figureWide)}  ${aim}`.trimEnd()
  })
  return lines.join('\n')
}
