/** A Lua number as C's `printf("%.<digits>g")` writes it, to the byte. */
export function generalFormat(value: number, digits: number): string {
  // JavaScript hides the sign of a NaN; on x86-64 that of 0/0, the usual one, is minus.
  if (Number.isNaN(value)) return '-nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const text = exponential(value, digits)
  const at = text.indexOf('e')
  const mantissa = text.slice(0, at)
  const exponent = Number(text.slice(at + 1))
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? '-' : '+'
    return `${withoutTail(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  return withoutTail(positional(mantissa, exponent))
}

const MOST_DIGITS = 100

/** As `toExponential` with `digits` digits, but what lies half-way goes to the even one, as in C. */
function exponential(value: number, digits: number): string {
  const rounded = value.toExponential(digits - 1)
  const longer = value.toExponential(digits)
  const end = longer.indexOf('e')
  if (longer[end - 1] !== '5') return rounded
  const exact = value.toExponential(MOST_DIGITS)
  const isHalfWay = !/[1-9]/.test(exact.slice(end, exact.indexOf('e')))
  const before = longer[end - 2] === '.' ? end - 3 : end - 2
  const isEven = Number(longer[before]) % 2 === 0
  return isHalfWay && isEven ? longer.slice(0, end - 1) + longer.slice(end) : rounded
}

/** The digits of `mantissa` with the point moved `exponent` places to the right. */
function positional(mantissa: string, exponent: number): string {
  const sign = mantissa.startsWith('-') ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const point = exponent + 1
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

function withoutTail(text: string): string {
  return text.includes('.') ? text.replace(/\.?0*$/, '') : text
}
