/** A Lua number as C's `printf("%.<digits>g")` writes it, to the byte. */
export function generalFormat(value: number, digits: number): string {
  // JavaScript hides the sign of a NaN; on x86-64 that of 0/0, the usual one, is minus.
  if (Number.isNaN(value)) return '-nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa, power] = value.toExponential(digits - 1).split('e') as [string, string]
  const exponent = Number(power)
  if (exponent < -4 || exponent >= digits) {
    const sign = exponent < 0 ? '-' : '+'
    return `${withoutTail(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`
  }
  return withoutTail(value.toFixed(Math.max(0, digits - 1 - exponent)))
}

function withoutTail(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
