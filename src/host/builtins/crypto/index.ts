/**
 * `node:crypto` of one process: chance from the world, everything else calculated at once.
 *
 * Hashes, MACs, ciphers, key derivation and keys are Node's own. Random bytes, numbers and ids come
 * from this process's stream of chance. Callback forms do their work at once and answer in a later
 * event. Refuses what draws on the machine's randomness where nothing can be put in its place: making
 * keys, Diffie-Hellman, signatures and encryptions that differ each time.
 */

import real from 'node:crypto'
import type { HostContext } from '../../context.ts'
import { answerCallback } from '../later.ts'
import { refusedCall, refusedCalls } from '../refusing.ts'
import { bytesOf, fillRandom, randomUuid, randomWhole } from './random.ts'
import { makeSubtle } from './subtle.ts'

type Callback = (error: unknown, value?: unknown) => void

/** Calculates from its arguments alone. */
const PURE = `
  Certificate Cipheriv Decipheriv Hash Hmac KeyObject X509Certificate constants createCipheriv
  createDecipheriv createHash createHmac createPrivateKey createPublicKey createSecretKey createVerify
  Verify getCipherInfo getCiphers getCurves getFips getHashes hash hkdfSync pbkdf2Sync scryptSync
  timingSafeEqual privateEncrypt publicDecrypt privateDecrypt secureHeapUsed verify`
  .trim()
  .split(/\s+/)

const MAKES_KEYS =
  'generateKey generateKeySync generateKeyPair generateKeyPairSync generatePrime generatePrimeSync checkPrime checkPrimeSync createDiffieHellman createDiffieHellmanGroup getDiffieHellman createECDH diffieHellman DiffieHellman DiffieHellmanGroup ECDH publicEncrypt setEngine setFips encapsulate decapsulate'

const READY_KEYS = "It uses the machine's randomness. Use keys that are made beforehand."

/** Kinds of keys whose signatures are the same each time. */
const REPEATABLE = new Set(['rsa', 'ed25519', 'ed448'])

export function makeCrypto(context: HostContext): object {
  const draw = context.draw('crypto')
  const bytes = (size: number): Buffer => fillRandom(draw, Buffer.alloc(size))
  const subtle = makeSubtle(context)

  function randomFillSync(
    target: ArrayBufferView | ArrayBuffer,
    offset = 0,
    size?: number,
  ): unknown {
    const unit = ArrayBuffer.isView(target)
      ? ((target as unknown as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 1)
      : 1
    const whole = bytesOf(target)
    const start = offset * unit
    fillRandom(draw, whole.subarray(start, size === undefined ? undefined : start + size * unit))
    return target
  }

  function getRandomValues<T extends ArrayBufferView>(target: T): T {
    if (target.byteLength > 65_536) {
      throw new DOMException('The requested length exceeds 65,536 bytes', 'QuotaExceededError')
    }
    fillRandom(draw, bytesOf(target))
    return target
  }

  function randomInt(...args: unknown[]): number | undefined {
    const callback = typeof args.at(-1) === 'function' ? (args.pop() as Callback) : null
    const [min, max] = args.length < 2 ? [0, args[0]] : args
    const value = randomWhole(draw, min as number, max as number)
    if (callback === null) return value
    answerCallback(context, () => value, callback)
    return undefined
  }

  function repeatable(key: unknown): void {
    const made = real.createPrivateKey(key as string)
    if (!REPEATABLE.has(made.asymmetricKeyType ?? '')) {
      context.unsupported(`crypto.sign (${made.asymmetricKeyType})`, 'Use an RSA or Ed25519 key.')
    }
  }

  /** `(…, callback)` of Node's thread pool, done by its synchronous twin. */
  const withCallback =
    (work: (...args: never[]) => unknown) =>
    (...args: unknown[]): void => {
      const callback = args.pop() as Callback
      answerCallback(context, () => work(...(args as never[])), callback)
    }

  const randomUUID = (_options?: unknown): string => randomUuid(draw)
  const randomBytes = (size: number, callback?: Callback): Buffer | undefined => {
    if (callback === undefined) return bytes(size)
    answerCallback(context, () => bytes(size), callback)
    return undefined
  }
  const randomFill = (target: ArrayBufferView, ...rest: unknown[]): void => {
    const callback = rest.pop() as Callback
    const [offset, size] = rest as [number | undefined, number | undefined]
    answerCallback(context, () => randomFillSync(target, offset, size), callback)
  }
  const sign = (
    algorithm: string,
    data: NodeJS.ArrayBufferView,
    key: never,
    callback?: Callback,
  ) => {
    repeatable(key)
    const work = () => real.sign(algorithm, data, key)
    if (callback === undefined) return work()
    answerCallback(context, work, callback)
    return undefined
  }
  const createSign = (algorithm: string): real.Sign => {
    const signer = real.createSign(algorithm)
    const original = signer.sign as (key: never, encoding?: string) => Buffer | string
    signer.sign = ((key: never, encoding?: string) => {
      repeatable(key)
      return original.call(signer, key, encoding)
    }) as unknown as typeof signer.sign
    return signer
  }

  const pure = Object.fromEntries(
    PURE.filter((name) => name in real).map((name) => [name, real[name as keyof typeof real]]),
  )
  return {
    ...refusedCalls(context, 'crypto', MAKES_KEYS, READY_KEYS),
    ...pure,
    hkdf: withCallback(real.hkdfSync),
    pbkdf2: withCallback(real.pbkdf2Sync),
    scrypt: withCallback(real.scryptSync),
    randomBytes,
    pseudoRandomBytes: randomBytes,
    prng: randomBytes,
    rng: randomBytes,
    randomFill,
    randomFillSync,
    randomInt,
    randomUUID,
    getRandomValues,
    sign,
    createSign,
    Sign: refusedCall(context, 'crypto.Sign', 'Use crypto.createSign.'),
    subtle,
    webcrypto: { subtle, getRandomValues, randomUUID },
  }
}
