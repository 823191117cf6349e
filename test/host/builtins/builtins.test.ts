import { builtinModules } from 'node:module'
import { describe, expect, test } from 'vitest'
import { builtins } from '../../../src/host/builtins/index.ts'
import { fakeWorld } from './fake-context.ts'

/** Runs `program` as the only process of a world and gives back what it returned. */
async function inWorld<T>(
  // biome-ignore lint/suspicious/noExplicitAny: a program uses modules by name, as JavaScript does
  program: (require: (name: string) => any, later: (run: () => void) => void) => T,
  seed?: string,
): Promise<T> {
  const world = fakeWorld(seed)
  let result: T | undefined
  world.process('a').start((self) => {
    result = program(self.module, (run) => self.setTimeout(run, 1))
  })
  await world.run()
  return result as T
}

const REFUSALS: readonly [string, string][] = [
  ['child_process', 'spawn'],
  ['child_process', 'execSync'],
  ['cluster', 'fork'],
  ['worker_threads', 'Worker'],
  ['worker_threads', 'MessageChannel'],
  ['vm', 'runInNewContext'],
  ['vm', 'Script'],
  ['v8', 'setFlagsFromString'],
  ['inspector', 'Session'],
  ['repl', 'start'],
  ['dgram', 'createSocket'],
  ['tty', 'WriteStream'],
  ['tls', 'connect'],
  ['https', 'request'],
  ['http2', 'connect'],
  ['wasi', 'WASI'],
  ['domain', 'create'],
  ['trace_events', 'createTracing'],
  ['fs', 'writeFileSync'],
  ['fs', 'watch'],
  ['fs/promises', 'writeFile'],
  ['crypto', 'generateKeyPairSync'],
  ['stream', 'setDefaultHighWaterMark'],
  ['async_hooks', 'createHook'],
]

describe('built-in modules', () => {
  test('every built-in of this Node is made, native or refused', () => {
    const missing = builtinModules.filter((name) => !builtins.has(name.replace(/^node:/, '')))
    expect(missing).toEqual([])
  })

  test.each(REFUSALS)(
    '%s.%s can be imported, and says what to use when it is called',
    async (module, name) => {
      const error = await inWorld((require) => {
        const Call = require(module)[name]
        // Packages extend such classes when they are loaded.
        class Sub extends Call {}
        try {
          new Sub()
        } catch (thrown) {
          return thrown as Error
        }
        return null
      })
      expect(error?.message).toMatch(new RegExp(`${name}.* has no simulated form; use \\S`))
    },
  )

  test('nothing that is set on a module of one process is seen by another', async () => {
    const world = fakeWorld()
    const [a, b] = [world.process('a'), world.process('b')]
    a.start(({ module }) => {
      module('events').defaultMaxListeners = 1
      module('http').globalAgent = 'mine'
      module('http').ServerResponse.prototype.mine = true
      module('http').Server.prototype.mine = true
      module('http').Agent.prototype.mine = true
      module('net').Socket.prototype.mine = true
      module('net').setDefaultAutoSelectFamily(false)
      module('util').inspect.defaultOptions = { depth: 0 }
      module('path').join = () => 'mine'
      module('path').posix.join = () => 'mine'
      module('url').parse = null
      module('querystring').unescape = () => 'mine'
      module('crypto').constants = null
      module('diagnostics_channel').subscribe('x', () => {})
      module('worker_threads').setEnvironmentData('k', 1)
      module('assert').ok = null
    })
    let seen: unknown[] = []
    b.start(({ module }) => {
      const http = module('http')
      seen = [
        module('events').defaultMaxListeners,
        typeof http.globalAgent,
        http.ServerResponse.prototype.mine,
        http.Server.prototype.mine,
        http.Agent.prototype.mine,
        module('net').Socket.prototype.mine,
        module('net').getDefaultAutoSelectFamily(),
        module('util').inspect({ a: { b: {} } }),
        module('path').join('x', 'y'),
        module('path').posix.join('x', 'y'),
        typeof module('url').parse,
        module('querystring').parse('a=b').a,
        typeof module('crypto').constants,
        module('diagnostics_channel').hasSubscribers('x'),
        module('worker_threads').getEnvironmentData('k'),
        typeof module('assert').ok,
      ]
    }, 1)
    await world.run()
    expect(seen).toEqual([
      10,
      'object',
      undefined,
      undefined,
      undefined,
      undefined,
      true,
      '{ a: { b: {} } }',
      'x/y',
      'x/y',
      'function',
      'b',
      'object',
      false,
      undefined,
      'function',
    ])
  })

  test("Node's own network classes cannot be reached through prototypes and constructors", async () => {
    const http = process.getBuiltinModule('http')
    const net = process.getBuiltinModule('net')
    const forbidden = new Map<unknown, string>([
      [http.Agent, 'http.Agent'],
      [http.Server, 'http.Server'],
      [http.ClientRequest, 'http.ClientRequest'],
      [http.ServerResponse, 'http.ServerResponse'],
      [http.OutgoingMessage, 'http.OutgoingMessage'],
      [http.globalAgent, 'http.globalAgent'],
      [http.request, 'http.request'],
      [net.Socket, 'net.Socket'],
      [net.Server, 'net.Server'],
      [net.connect, 'net.connect'],
      [process.getBuiltinModule('fs').writeFileSync, 'fs.writeFileSync'],
      [process.getBuiltinModule('dns').lookup, 'dns.lookup'],
      [process.getBuiltinModule('crypto').randomBytes, 'crypto.randomBytes'],
      [process.getBuiltinModule('child_process').spawn, 'child_process.spawn'],
    ])
    const found = await inWorld((require) => {
      const names = [
        'net',
        'http',
        'https',
        'tls',
        'http2',
        'dns',
        'fs',
        'crypto',
        'os',
        'zlib',
        'stream',
        'util',
      ]
      const server = require('http').createServer()
      const response = new (require('http').ServerResponse)({ method: 'GET', headers: {} })
      const socket = new (require('net').Socket)()
      const roots: unknown[] = [
        ...names.map(require),
        server,
        response,
        socket,
        require('http').globalAgent,
      ]
      return reachable(roots, forbidden)
    })
    expect(found).toEqual([])
  })

  test('a request made in any way without an agent of its own uses the agent of its process', async () => {
    const agents = await inWorld((require) => {
      const http = require('http')
      const made = [
        http.get('http://nobody/'),
        http.request({ host: 'nobody', agent: undefined }),
        http.request({ host: 'nobody', agent: false }),
        http.request(new URL('http://nobody/'), { _defaultAgent: null }),
      ]
      for (const request of made) request.on('error', () => {})
      return made.map(({ agent }) => agent instanceof http.Agent)
    })
    expect(agents).toEqual([true, true, true, true])
  })
})

function reachable(roots: readonly unknown[], forbidden: ReadonlyMap<unknown, string>): string[] {
  const seen = new Set<unknown>()
  const queue: [unknown, string][] = roots.map((root, k) => [root, String(k)])
  const found: string[] = []
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [value, path] = next
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue
    if (seen.has(value) || value === globalThis || value === process) continue
    seen.add(value)
    const name = forbidden.get(value)
    if (name !== undefined) found.push(`${path} is ${name}`)
    if (path.split('.').length > 8) continue
    queue.push([Object.getPrototypeOf(value), `${path}.__proto__`])
    for (const [key, { value: inner }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      queue.push([inner, `${path}.${key}`])
    }
    for (const symbol of Object.getOwnPropertySymbols(value)) {
      const inner = Object.getOwnPropertyDescriptor(value, symbol)?.value
      queue.push([inner, `${path}.${String(symbol)}`])
    }
  }
  return found
}

describe('chance, names and the machine', () => {
  test('crypto draws from the world: the same seed gives the same bytes, ids and numbers', async () => {
    const draw = (seed: string) =>
      inWorld((require) => {
        const crypto = require('crypto')
        return [
          crypto.randomBytes(8).toString('hex'),
          crypto.randomUUID(),
          crypto.randomInt(1000),
          crypto.randomInt(5, 6),
          crypto.getRandomValues(new Uint32Array(2)).join(),
          crypto.randomFillSync(Buffer.alloc(4), 2).toString('hex'),
          crypto.webcrypto.randomUUID(),
        ]
      }, seed)
    const first = await draw('one')
    expect(first).toEqual(await draw('one'))
    expect(first).not.toEqual(await draw('two'))
    expect(first[1]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(first[5]).toMatch(/^0000/)
  })

  test('subtle and the callback forms give what the synchronous forms give', async () => {
    const results: Record<string, string> = {}
    await inWorld((require) => {
      const crypto = require('crypto')
      const { subtle } = crypto
      const hex = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('hex')
      crypto.pbkdf2('p', 's', 3, 8, 'sha256', (_e: unknown, key: Buffer) => {
        results.pbkdf2 = key.toString('hex')
      })
      const data = Buffer.from('p')
      const salt = Buffer.from('s')
      void (async () => {
        results.digest = hex(await subtle.digest('SHA-256', data))
        const key = await subtle.importKey('raw', data, 'PBKDF2', false, ['deriveBits'])
        results.derived = hex(
          await subtle.deriveBits(
            { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 3 },
            key,
            64,
          ),
        )
        const mac = await subtle.importKey('raw', data, { name: 'HMAC', hash: 'SHA-256' }, false, [
          'sign',
        ])
        results.mac = hex(await subtle.sign('HMAC', mac, salt))
        results.refused = await subtle
          .importKey('jwk', {}, 'AES', false, [])
          .catch((e: Error) => e.message)
      })()
    })
    const real = process.getBuiltinModule('crypto')
    const pbkdf2 = real.pbkdf2Sync('p', 's', 3, 8, 'sha256').toString('hex')
    expect(results).toEqual({
      pbkdf2,
      derived: pbkdf2,
      digest: real.createHash('sha256').update('p').digest('hex'),
      mac: real.createHmac('sha256', 'p').update('s').digest('hex'),
      refused: expect.stringContaining('importKey (jwk, AES)'),
    })
  })

  test("dns knows the world's names and no others", async () => {
    const told: unknown[] = []
    await inWorld((require) => {
      const dns = require('dns')
      dns.lookup('a', (...args: unknown[]) => told.push(args))
      dns.lookup('a', { all: true }, (...args: unknown[]) => told.push(args))
      dns.lookup('nosuch', (error: Error) => told.push(error.message))
      dns.resolve4('a', (...args: unknown[]) => told.push(args))
      dns.resolveMx('a', (error: { code: string }) => told.push(error.code))
      dns.promises.lookup('localhost').then((found: unknown) => told.push(found))
    })
    expect(told).toEqual([
      [null, '10.0.0.1', 4],
      [null, [{ address: '10.0.0.1', family: 4 }]],
      'getaddrinfo ENOTFOUND nosuch',
      [null, ['10.0.0.1']],
      'ENODATA',
      { address: '127.0.0.1', family: 4 },
    ])
  })

  test('os tells of the same container everywhere', async () => {
    const told = await inWorld((require) => {
      const os = require('os')
      return [
        os.hostname(),
        os.cpus().length,
        os.platform(),
        os.uptime(),
        os.networkInterfaces().eth0[0].address,
      ]
    })
    expect(told).toEqual(['a', 2, 'linux', 0, '10.0.0.1'])
  })

  test('fs reads its own files and packages, and sees nothing else', async () => {
    const told = await inWorld((require) => {
      const fs = require('fs')
      const attempt = (run: () => unknown) => {
        try {
          return run()
        } catch (error) {
          return (error as { code?: string }).code ?? (error as Error).message
        }
      }
      return [
        JSON.parse(fs.readFileSync('package.json', 'utf8')).name,
        JSON.parse(fs.readFileSync('node_modules/ioredis/package.json', 'utf8')).name,
        attempt(() => fs.readFileSync('/etc/passwd')),
        attempt(() => fs.readFileSync('/proc/self/environ')),
        fs.existsSync('/etc/passwd'),
        fs.existsSync('package.json'),
        attempt(() => fs.readFileSync('src')),
        fs.statSync('package.json').mtimeMs,
        fs.statSync('nope', { throwIfNoEntry: false }),
        attempt(() => fs.writeSync(7, 'x')),
        attempt(() => fs.openSync('package.json', 'w')),
        fs.writeSync(1, 'out'),
      ]
    })
    expect(told).toEqual([
      'leaselab',
      'ioredis',
      'ENOENT',
      'ENOENT',
      false,
      true,
      'EISDIR',
      1_700_000_000_000,
      undefined,
      expect.stringContaining('fs.write has no simulated form'),
      expect.stringContaining('fs.open (w) has no simulated form'),
      3,
    ])
  })

  test('zlib streams and callbacks give what the synchronous forms give', async () => {
    const told: string[] = []
    await inWorld((require) => {
      const zlib = require('zlib')
      zlib.gzip('text', (_e: unknown, packed: Buffer) => {
        zlib.gunzip(packed, (_f: unknown, text: Buffer) => told.push(String(text)))
      })
      const gzip = new zlib.Gzip()
      gzip.pipe(zlib.createGunzip()).on('data', (data: Buffer) => told.push(String(data)))
      gzip.write('str')
      gzip.end('eam')
    })
    expect(told.sort()).toEqual(['stream', 'text'])
  })
})
