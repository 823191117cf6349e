import { describe, expect, test } from 'vitest'
import { Kernel, type Owner } from '../../src/sim/kernel.ts'
import { type ConnectionEnd, Network, type Party, WINDOW_BYTES } from '../../src/sim/network.ts'
import { Chance } from '../../src/sim/random.ts'
import type { TraceEvent } from '../../src/trace/events.ts'
import { Recorder } from '../../src/trace/recorder.ts'

function world(seed = '1') {
  const kernel = new Kernel()
  const events: TraceEvent[] = []
  const recorder = new Recorder(() => kernel.now)
  recorder.addSink((event) => events.push(event))
  const network = new Network({
    kernel,
    chance: new Chance(seed),
    record: recorder.record,
    minLatencyUs: 100,
    maxLatencyUs: 900,
  })
  const server: Party = { name: 'server', incarnation: 1, owner: null }
  const owner: Owner = { name: 'client', gate: 'open', uncaught: () => {} }
  const client: Party = { name: 'client', incarnation: 1, owner }
  network.addHost('server')
  network.addHost('client')
  return { kernel, network, server, client, owner, events }
}

type World = ReturnType<typeof world>

/** Connects, with `onServer` on the server's end. */
function connect(w: World, onServer: (end: ConnectionEnd) => void): Promise<ConnectionEnd> {
  w.network.listen(w.server, 80, onServer)
  return new Promise((resolve, reject) => {
    w.network.connect(w.client, 'server', 80, resolve, (code) => reject(new Error(code)))
  })
}

/** Everything that arrives at `end`, as `time text`. */
function listenTo(end: ConnectionEnd, log: string[]): void {
  end.handler = {
    data: ({ bytes }) => log.push(`${bytes}`),
    end: () => log.push('end'),
    close: (error) => log.push(`close ${error}`),
  }
}

describe('connecting', () => {
  test('a host that the world does not know is ENOTFOUND, a silent port ECONNREFUSED', async () => {
    const w = world()
    const codes: string[] = []
    for (const host of ['nowhere', 'server']) {
      w.network.connect(
        w.client,
        host,
        80,
        () => codes.push('connected'),
        (code) => codes.push(`${host} ${code}`),
      )
    }
    await w.kernel.run(1e6)
    expect(codes.toSorted()).toEqual(['nowhere ENOTFOUND', 'server ECONNREFUSED'])
    expect(w.events.map((event) => event.kind)).toEqual(['net.refused'])
  })

  test('a port is taken once', () => {
    const { network, server } = world()
    const first = network.listen(server, 80, () => {})
    expect(network.listen(server, 80, () => {})).toBeNull()
    first?.close()
    expect(network.listen(server, 80, () => {})).not.toBeNull()
  })
})

describe('a connection', () => {
  test('bytes arrive in the order of sending, whatever latency each piece draws', async () => {
    const w = world()
    const log: string[] = []
    connect(w, (end) => listenTo(end, log)).then((end) => {
      for (let k = 0; k < 50; k += 1) end.write(Buffer.from(String(k)))
      end.end()
    })
    await w.kernel.run(1e6)
    expect(log).toEqual([...Array.from({ length: 50 }, (_, k) => String(k)), 'end'])
  })

  test('a held piece holds what is behind it; released, all of it arrives in order', async () => {
    const w = world()
    const log: string[] = []
    let held: ConnectionEnd | null = null
    w.network.door = ({ bytes }, end) => {
      if (held !== null || `${bytes}` !== 'two') return 'deliver'
      held = end
      return 'hold'
    }
    connect(w, (end) => listenTo(end, log)).then((end) => {
      for (const text of ['one', 'two', 'three']) end.write(Buffer.from(text))
    })
    w.kernel.at(100_000, w.kernel.origin('x'), null, 'job', () => {
      expect(log).toEqual(['one'])
      w.network.release(held!)
    })
    await w.kernel.run(1e6)
    expect(log).toEqual(['one', 'two', 'three'])
  })

  test('a reset reaches the other side as ECONNRESET, an orderly end as end and close', async () => {
    for (const reset of [true, false]) {
      const w = world()
      const log: string[] = []
      connect(w, (end) => listenTo(end, log)).then((end) => end.destroy(reset))
      await w.kernel.run(1e6)
      expect(log).toEqual(reset ? ['close ECONNRESET'] : ['end', 'close null'])
    }
  })

  test('bytes for a frozen process wait for its thaw', async () => {
    const w = world()
    const log: string[] = []
    let far: ConnectionEnd | null = null
    connect(w, (end) => {
      far = end
    }).then((end) => listenTo(end, log))
    const at = (time: number, run: () => void): void =>
      void w.kernel.at(time, w.kernel.origin('x'), null, 'job', run)
    at(10_000, () => w.kernel.freeze(w.owner))
    at(11_000, () => far?.write(Buffer.from('hello')))
    at(50_000, () => {
      expect(log).toEqual([])
      w.kernel.thaw(w.owner)
    })
    await w.kernel.run(1e6)
    expect(log).toEqual(['hello'])
  })

  test('what a party held is closed when it is dropped', async () => {
    const w = world()
    const log: string[] = []
    connect(w, (end) => listenTo(end, log))
    w.kernel.at(10_000, w.kernel.origin('x'), null, 'job', () => w.network.drop(w.client))
    await w.kernel.run(1e6)
    expect(log).toEqual(['end', 'close null'])
  })
})

describe('latency', () => {
  /** Arrival times of three pieces on one link, with `noise` pieces on another before each. */
  async function arrivals(seed: string, noise: number): Promise<number[]> {
    const w = world(seed)
    const times: number[] = []
    const other: Party = { name: 'other', incarnation: 1, owner: null }
    w.network.addHost('other')
    w.network.listen(other, 81, () => {})
    const near = connect(w, (end) => {
      end.handler = { data: () => times.push(w.kernel.now), end: () => {}, close: () => {} }
    })
    let second: ConnectionEnd | null = null
    w.network.connect(
      w.client,
      'other',
      81,
      (end) => {
        second = end
      },
      () => {},
    )
    for (const time of [10_000, 20_000, 30_000]) {
      w.kernel.at(time, w.kernel.origin('x'), null, 'job', async () => {
        for (let k = 0; k < noise; k += 1) second?.write(Buffer.from('noise'))
        ;(await near).write(Buffer.from('x'))
      })
    }
    await w.kernel.run(1e6)
    return times
  }

  test('is drawn per link: traffic on one link moves nothing on another', async () => {
    const quiet = await arrivals('1', 0)
    expect(quiet).toHaveLength(3)
    expect(await arrivals('1', 5)).toEqual(quiet)
  })

  test('differs between seeds and stays within its bounds', async () => {
    const [one, two] = [await arrivals('1', 0), await arrivals('2', 0)]
    expect(one).not.toEqual(two)
    for (const [k, time] of one.entries()) {
      expect(time - (k + 1) * 10_000).toBeGreaterThanOrEqual(100)
      expect(time - (k + 1) * 10_000).toBeLessThanOrEqual(900)
    }
  })
})

describe('the window of a direction', () => {
  /** A client's end and the server's, which reads nothing by itself. */
  async function pair(w: World): Promise<[ConnectionEnd, ConnectionEnd]> {
    let far: ConnectionEnd | null = null
    const made = connect(w, (end) => {
      far = end
      end.readsLater = true
      listenTo(end, [])
    })
    await w.kernel.run(10_000)
    return [await made, far!]
  }
  const full = Buffer.alloc(WINDOW_BYTES)

  test('holds exactly so many bytes that are not read, and opens a latency after they are', async () => {
    const w = world()
    const [near, far] = await pair(w)
    const told: number[] = []
    const room = (): void => void told.push(w.kernel.now)
    near.write(full)
    expect(near.hasRoom(room)).toBe(true)
    near.write(Buffer.from('x'))
    expect(near.hasRoom(room)).toBe(false)
    await w.kernel.run(50_000)
    expect(told).toEqual([])
    w.kernel.at(60_000, w.kernel.origin('reader'), null, 'job', () => far.took(1))
    await w.kernel.run(100_000)
    expect(told).toHaveLength(1)
    expect(told[0]).toBeGreaterThanOrEqual(60_100)
    expect(told[0]).toBeLessThanOrEqual(60_900)
    expect(near.hasRoom(room)).toBe(true)
  })

  test('is the sender’s business: a frozen one is told at its thaw', async () => {
    const w = world()
    const [near, far] = await pair(w)
    const told: number[] = []
    near.write(Buffer.alloc(WINDOW_BYTES + 1))
    expect(near.hasRoom(() => void told.push(w.kernel.now))).toBe(false)
    const at = (us: number, run: () => void): void =>
      void w.kernel.at(us, w.kernel.origin('test'), null, 'job', run)
    at(20_000, () => {
      w.kernel.freeze(w.owner)
      far.took(WINDOW_BYTES)
    })
    at(50_000, () => w.kernel.thaw(w.owner))
    await w.kernel.run(100_000)
    expect(told).toEqual([50_000])
  })

  test('bytes of a command that is not whole yet fill no window: it would never be whole', async () => {
    const w = world()
    const [near, far] = await pair(w)
    const all: Buffer[] = []
    near.out.tap = {
      push: (bytes) => {
        all.push(bytes)
        return all.length < 4 ? [] : [{ bytes: Buffer.concat(all), key: 'command' }]
      },
    }
    for (let k = 0; k < 3; k += 1) {
      near.write(full)
      expect(near.hasRoom(() => {})).toBe(true)
    }
    near.write(full)
    expect(near.hasRoom(() => {})).toBe(false)
    far.took(4 * WINDOW_BYTES)
    expect(near.hasRoom(() => {})).toBe(true)
  })

  test('what is held at the door fills it; a server that reads at once never does', async () => {
    const w = world()
    w.network.door = () => 'hold'
    const far: ConnectionEnd[] = []
    const made = connect(w, (end) => {
      far.push(end)
      listenTo(end, [])
    })
    await w.kernel.run(10_000)
    const near = await made
    near.write(Buffer.alloc(WINDOW_BYTES + 1))
    await w.kernel.run(20_000)
    const told: string[] = []
    expect(near.hasRoom(() => told.push('room'))).toBe(false)
    w.network.door = () => 'deliver'
    w.network.release(far[0]!)
    await w.kernel.run(30_000)
    expect(told).toEqual(['room'])
    near.write(Buffer.alloc(10 * WINDOW_BYTES))
    await w.kernel.run(40_000)
    expect(near.hasRoom(() => {})).toBe(true)
  })

  test('closed over what was not read: a reset for the sender who waits', async () => {
    const w = world()
    const [near, far] = await pair(w)
    const log: string[] = []
    listenTo(near, log)
    near.write(Buffer.alloc(WINDOW_BYTES + 1))
    near.hasRoom(() => log.push('room'))
    far.destroy()
    await w.kernel.run(100_000)
    expect(log).toEqual(['close ECONNRESET'])
  })
})
