/**
 * A connection to a real Redis server: bytes out, replies in, in order.
 *
 * `openLink` connects (TCP or TLS), logs in and selects the address's database; what can go wrong on
 * the way is a RealRefusal that says which. On an open link every `send` is answered by one reply;
 * when the connection breaks, those that wait reject with LinkBroken. RESP2. Not here: reconnecting.
 */

import net from 'node:net'
import tls from 'node:tls'
import { encodeRequest, isError, type Reply, ReplyParser } from '../wire/resp.ts'
import { RealRefusal, type RefusalDetails } from './real-refusal.ts'
import type { RedisAddress } from './redis-address.ts'

const CONNECT_TIMEOUT_MS = 5000

/** The server or the network ended the connection. */
export class LinkBroken extends Error {
  override readonly name = 'LinkBroken'
}

interface Waiting {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

export class RedisLink {
  /** Called once when the connection is over, unless `close` was called. */
  onBroken: ((error: LinkBroken) => void) | null = null
  readonly #socket: net.Socket
  readonly #parser = new ReplyParser()
  readonly #waiting: Waiting[] = []
  #broken: LinkBroken | null = null

  /** `socket` is connected. */
  constructor(socket: net.Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (bytes: Buffer) => this.#arrived(bytes))
    socket.on('error', (error) => this.#break(error.message))
    socket.on('close', () => this.#break('the server closed the connection'))
  }

  get isBroken(): boolean {
    return this.#broken !== null
  }

  /** Sends one command. Text is latin1. */
  send(...args: readonly (string | Uint8Array)[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== null) return reject(this.#broken)
      this.#waiting.push({ resolve, reject })
      this.#socket.write(encodeRequest(args))
    })
  }

  /** What is sent by `send` within leaves in one write. */
  atOnce<T>(send: () => T): T {
    this.#socket.cork()
    try {
      return send()
    } finally {
      this.#socket.uncork()
    }
  }

  close(): void {
    this.onBroken = null
    this.#socket.destroy()
    this.#break('closed')
  }

  #arrived(bytes: Buffer): void {
    let replies: Reply[]
    try {
      // What the parser keeps must not be overwritten by the next read.
      replies = this.#parser.push(Buffer.from(bytes))
    } catch (error) {
      this.#socket.destroy()
      this.#break((error as Error).message)
      return
    }
    for (const reply of replies) this.#waiting.shift()?.resolve(reply)
  }

  #break(why: string): void {
    if (this.#broken !== null) return
    this.#broken = new LinkBroken(why)
    for (const { reject } of this.#waiting.splice(0)) reject(this.#broken)
    this.onBroken?.(this.#broken)
  }
}

/** Connects and logs in. Rejects with RealRefusal. */
export async function openLink(address: RedisAddress): Promise<RedisLink> {
  const link = new RedisLink(await connected(address))
  let tooLate: NodeJS.Timeout | undefined
  try {
    const silence = new Promise<never>((_, reject) => {
      const why = new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`)
      tooLate = setTimeout(() => reject(why), CONNECT_TIMEOUT_MS)
    })
    await Promise.race([logIn(link, address), silence])
    return link
  } catch (error) {
    link.close()
    if (error instanceof RealRefusal) throw error
    throw refusal(address, 'What answers at REDIS_URL is no Redis, or speaks TLS only.', {
      expected: 'an answer to PING',
      got: (error as Error).message,
      next: address.tls ? 'check the address' : 'try rediss:// in place of redis://',
    })
  } finally {
    clearTimeout(tooLate)
  }
}

function connected(address: RedisAddress): Promise<net.Socket> {
  const { host, port } = address
  return new Promise((resolve, reject) => {
    const socket = address.tls
      ? tls.connect({ host, port, servername: net.isIP(host) === 0 ? host : '' })
      : net.connect({ host, port })
    /** For TLS: a connection is there, and the handshake under way. */
    let isConnected = false
    socket.once('connect', () => {
      isConnected = true
    })
    const timer = setTimeout(() => {
      const code = isConnected ? 'EPROTO' : 'TIME'
      fail(Object.assign(new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`), { code }))
    }, CONNECT_TIMEOUT_MS)
    const fail = (error: NodeJS.ErrnoException): void => {
      clearTimeout(timer)
      socket.removeAllListeners()
      socket.on('error', () => {})
      socket.destroy()
      reject(whyNotConnected(address, error))
    }
    socket.once('error', fail)
    socket.once('close', () => fail(new Error('the server closed the connection')))
    socket.once(address.tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error').removeAllListeners('close')
      resolve(socket)
    })
  })
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME/

function whyNotConnected(address: RedisAddress, error: NodeJS.ErrnoException): RealRefusal {
  const code = error.code ?? ''
  const { host, port, tls: isTls } = address
  if (CERTIFICATE.test(code)) {
    return refusal(address, 'The certificate of the Redis server does not hold.', {
      expected: `one that is valid for ${host} and signed by a known authority`,
      got: `${code}: ${error.message}`,
      next: 'NODE_EXTRA_CA_CERTS=<file with your authority’s certificate> names another authority',
    })
  }
  if (isTls && (/SSL|EPROTO/.test(code) || code === 'ECONNRESET' || code === '')) {
    return refusal(address, 'The server at REDIS_URL does not speak TLS.', {
      expected: 'a TLS handshake, as rediss:// asks for it',
      got: code || error.message,
      next: 'try redis:// in place of rediss://',
    })
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return refusal(address, `There is no host ${host}.`, {
      expected: 'a host name that can be looked up',
      got: code,
      next: 'check the host in REDIS_URL',
    })
  }
  return refusal(address, `No Redis answers at ${host}:${port}.`, {
    expected: 'a server that takes the connection',
    got: code === 'TIME' ? error.message : code || error.message,
    next: 'start one (redis-server --save "", or docker compose up in the lab), or correct REDIS_URL',
  })
}

async function logIn(link: RedisLink, address: RedisAddress): Promise<void> {
  const { user, password, database } = address
  if (password !== null) {
    const said = await link.send('AUTH', ...(user === null ? [] : [user]), password)
    if (isError(said)) {
      throw refusal(address, 'Redis does not accept the password of REDIS_URL.', {
        expected: 'the user and password that the server knows',
        got: said.text.split('\n')[0] ?? '',
        next: 'correct them: REDIS_URL=redis://user:password@host:port',
      })
    }
  }
  const pong = await link.send('PING')
  if (isError(pong)) {
    const asked = pong.text.startsWith('NOAUTH')
    throw refusal(
      address,
      asked ? 'The Redis server asks for a password.' : 'The Redis server does not serve.',
      {
        expected: asked ? 'REDIS_URL with a password' : 'PONG',
        got: pong.text,
        next: asked ? 'REDIS_URL=redis://:password@host:port' : 'wait until it is ready',
      },
    )
  }
  if (database === 0) return
  const selected = await link.send('SELECT', String(database))
  if (!isError(selected)) return
  throw refusal(address, `The Redis server has no database ${database}.`, {
    expected: 'a number that SELECT takes',
    got: selected.text,
    next: 'leave the number out of REDIS_URL: redis://host:port',
  })
}

function refusal(address: RedisAddress, message: string, details: RefusalDetails): RealRefusal {
  return new RealRefusal(message, { ...details, got: `${details.got} (${address.shown})` })
}
