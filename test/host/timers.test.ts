import { expect, test } from 'vitest'
import { runInNode, runOne } from './run-program.ts'

/** Runs a program that prints; answers its lines. */
async function lines(source: string): Promise<string[]> {
  const { out, err } = await runOne(source)
  expect(err).toBe('')
  return out.trimEnd().split('\n')
}

test('delays are clamped as in Node: 0, negative, NaN and too long are 1 ms, fractions are cut', async () => {
  const { out, err } = await runOne(
    `const start = Date.now()
     for (const ms of [0, -5, NaN, undefined, '7', 2.9, 2 ** 31, Infinity]) {
       setTimeout(() => console.log(String(ms), Date.now() - start), ms)
     }`,
  )
  expect(out.trimEnd().split('\n').sort()).toEqual(
    ['-5 1', '0 1', '2.9 2', '2147483648 1', '7 7', 'Infinity 1', 'NaN 1', 'undefined 1'].sort(),
  )
  expect(err).toContain(
    'TimeoutOverflowWarning: 2147483648 does not fit into a 32-bit signed integer.',
  )
})

test('odd delays are warned of in the words of this Node, and no delay is not odd', async () => {
  const source = `process.on('warning', ({ name, message }) => console.log(name, message))
    for (const delay of [undefined, null, NaN, 'x', -5, -6, 2 ** 31, 2 ** 32]) setTimeout(() => {}, delay)
    setTimeout(() => {})
    setInterval(() => {}).unref()`
  const [inNode, inWorld] = await Promise.all([runInNode(source), runOne(source)])
  expect(inNode.out).toContain('TimeoutOverflowWarning')
  expect(inWorld.out).toBe(inNode.out)
})

test('the longest delay is kept', async () => {
  const { nowUs } = await runOne(`setTimeout(() => {}, 2 ** 31 - 1)`, { untilMs: 2 ** 31 })
  expect(nowUs).toBe((2 ** 31 - 1) * 1000)
})

test('an interval counts from the instant at which it fired', async () => {
  expect(
    await lines(
      `const start = Date.now(); let n = 0
       const interval = setInterval(() => { console.log(Date.now() - start); n += 1; if (n === 4) clearInterval(interval) }, 2.5)`,
    ),
  ).toEqual(['2', '4', '6', '8'])
})

test('each timer fires in an event of its own, with its promises run dry before the next', async () => {
  expect(
    await lines(
      `const order = []
       for (const k of [1, 2, 3]) setTimeout(async () => { order.push('t' + k); await null; await null; order.push('p' + k) }, 5)
       setTimeout(() => console.log(order.join()), 6)`,
    ),
  ).toEqual(['t1,p1,t2,p2,t3,p3'])
})

test('every way to wait reads the virtual clock', async () => {
  const { out } = await runOne(
    `import { setInterval as every, setTimeout as sleep, scheduler } from 'node:timers/promises'
     import { promisify } from 'node:util'
     import timers from 'node:timers'
     const start = Date.now()
     const at = (what) => console.log(what, Date.now() - start, Math.round(performance.now()), process.uptime())
     await sleep(3_600_000); at('sleep')
     await scheduler.wait(1000); at('wait')
     await promisify(setTimeout)(1000); at('promisified')
     for await (const _ of every(500)) { at('every'); break }
     await new Promise((resolve) => { AbortSignal.timeout(500).addEventListener('abort', resolve); setTimeout(() => {}, 600) }); at('signal')
     await new Promise((resolve) => timers.setTimeout(resolve, 1000)); at('module')
     console.log(timers.setTimeout === setTimeout, timers.promises.setTimeout === sleep)`,
    { untilMs: 4_000_000 },
  )
  expect(out.trimEnd().split('\n')).toEqual([
    'sleep 3600000 3600000 3600',
    'wait 3601000 3601000 3601',
    'promisified 3602000 3602000 3602',
    'every 3602500 3602500 3602.5',
    'signal 3603000 3603000 3603',
    'module 3604000 3604000 3604',
    'true true',
  ])
})

test('refresh starts the delay anew, also after firing; close and Symbol.dispose end it', async () => {
  expect(
    await lines(
      `const start = Date.now(); let fired = 0
       const timer = setTimeout(() => { fired += 1; console.log('fired', Date.now() - start); if (fired < 2) timer.refresh() }, 10)
       setTimeout(() => timer.refresh(), 5)
       setTimeout(() => { timer.close(); timer.refresh(); console.log(timer.hasRef(), timer._destroyed) }, 20)
       setTimeout(() => console.log('end'), 100)`,
    ),
  ).toEqual(['fired 15', 'true true', 'end'])
})

test('a timer cleared in another timer of the same instant does not fire', async () => {
  expect(
    await lines(
      `let second
       setTimeout(() => { clearTimeout(second); console.log('first') }, 5)
       second = setTimeout(() => console.log('second'), 5)
       setTimeout(() => console.log('third'), 5)`,
    ),
  ).toEqual(['first', 'third'])
})

test('a thousand timers and clears leave nothing behind', async () => {
  const { fired, out } = await runOne(
    `for (let k = 0; k < 1000; k += 1) clearTimeout(setTimeout(() => console.log('no'), 50))
     console.log('end')`,
  )
  expect(out).toBe('end\n')
  expect(fired).toBeLessThan(5)
})
