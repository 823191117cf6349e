/**
 * Runs in a world of its own before a check: loads one exercise and prints the `typeof` of each
 * export as one JSON line. What loading it throws is told by the world as `process.error`.
 */

const file = process.env.LEASELAB_EXERCISE ?? ''
const loaded = (await import(`#exercises/${file}`)) as Record<string, unknown>
const kinds = Object.fromEntries(
  Object.entries(loaded).map(([name, value]) => [name, typeof value]),
)
console.log(JSON.stringify({ exports: kinds }))
process.exit(0)
