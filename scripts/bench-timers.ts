/** Measured by `leaselab bench`: EVENTS times a timer of one millisecond and an await, as one process. */

const events = Number(process.env.EVENTS ?? 1000)
let left = events

async function fire(): Promise<void> {
  await null
  left -= 1
  if (left > 0) setTimeout(fire, 1)
}

setTimeout(fire, 1)
