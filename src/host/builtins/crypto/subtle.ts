/**
 * `crypto.subtle`, as far as it can be done at once: digests, HMAC, PBKDF2 and HKDF.
 *
 * That is what logins and signed tokens need. The work is synchronous, the answer a promise of the
 * realm settled in a later event. Everything else is refused: Node does it on its thread pool.
 */

import { createHash, createHmac, hkdfSync, pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import type { HostContext } from '../../context.ts'
import { watch } from '../../shared-objects.ts'
import { answerPromise } from '../later.ts'
import { refusedCalls } from '../refusing.ts'
import { bytesOf } from './random.ts'

interface Algorithm {
  readonly name: string
  readonly hash?: string | { readonly name: string }
  readonly salt?: ArrayBufferView
  readonly info?: ArrayBufferView
  readonly iterations?: number
  readonly length?: number
}

type Source = ArrayBufferView | ArrayBuffer

const secrets = new WeakMap<object, Buffer>()

class CryptoKey {
  readonly type = 'secret'
  readonly algorithm: object
  readonly extractable: boolean
  readonly usages: readonly string[]

  constructor(algorithm: object, extractable: boolean, usages: readonly string[]) {
    this.algorithm = algorithm
    this.extractable = extractable
    this.usages = usages
  }
}

function nameOf(algorithm: string | { readonly name: string } | undefined): string {
  return (typeof algorithm === 'string' ? algorithm : (algorithm?.name ?? '')).toUpperCase()
}

/** `SHA-256` → `sha256`. */
function hashOf(algorithm: string | { readonly name: string } | undefined): string {
  return nameOf(algorithm).replace('-', '').toLowerCase()
}

function secretOf(key: object): Buffer {
  const secret = secrets.get(key)
  if (secret === undefined) throw new TypeError('the key is not one of this crypto.subtle')
  return secret
}

function exact(buffer: Uint8Array): ArrayBuffer {
  return buffer.buffer.slice(
    buffer.byteOffset,
    buffer.byteOffset + buffer.byteLength,
  ) as ArrayBuffer
}

const INSTEAD = 'It needs a thread pool. Use the synchronous functions of node:crypto.'

export function makeSubtle(context: HostContext): object {
  watch(CryptoKey, 'CryptoKey')
  const refuse = (what: string): never => context.unsupported(`crypto.subtle.${what}`, INSTEAD)
  const mac = (algorithm: string | Algorithm, key: CryptoKey, data: Source): Buffer => {
    if (nameOf(algorithm) !== 'HMAC') return refuse(`sign (${nameOf(algorithm)})`)
    const { hash } = key.algorithm as Algorithm
    return createHmac(hashOf(hash), secretOf(key)).update(bytesOf(data)).digest()
  }
  const derive = (algorithm: Algorithm, key: CryptoKey, bits: number): Buffer => {
    const salt = algorithm.salt === undefined ? Buffer.alloc(0) : bytesOf(algorithm.salt)
    const hash = hashOf(algorithm.hash)
    switch (nameOf(algorithm)) {
      case 'PBKDF2':
        return pbkdf2Sync(secretOf(key), salt, algorithm.iterations ?? 1, bits / 8, hash)
      case 'HKDF': {
        const info = algorithm.info === undefined ? Buffer.alloc(0) : bytesOf(algorithm.info)
        return Buffer.from(hkdfSync(hash, secretOf(key), salt, info, bits / 8))
      }
      default:
        return refuse(`deriveBits (${nameOf(algorithm)})`)
    }
  }
  return {
    digest: (algorithm: string | Algorithm, data: Source) =>
      answerPromise(context, () =>
        exact(createHash(hashOf(algorithm)).update(bytesOf(data)).digest()),
      ),
    importKey: (
      format: string,
      data: Source,
      algorithm: string | Algorithm,
      extractable: boolean,
      usages: readonly string[],
    ) =>
      answerPromise(context, () => {
        const name = nameOf(algorithm)
        if (format !== 'raw' || !['HMAC', 'PBKDF2', 'HKDF'].includes(name)) {
          return refuse(`importKey (${format}, ${name})`)
        }
        const secret = Buffer.from(bytesOf(data))
        const hash = typeof algorithm === 'string' ? undefined : algorithm.hash
        const shown =
          hash === undefined
            ? { name }
            : { name, hash: { name: nameOf(hash) }, length: secret.length * 8 }
        const key = new CryptoKey(shown, extractable, [...usages])
        secrets.set(key, secret)
        return key
      }),
    exportKey: (format: string, key: CryptoKey) =>
      answerPromise(context, () => {
        if (format !== 'raw') return refuse(`exportKey (${format})`)
        if (!key.extractable) throw new TypeError('key is not extractable')
        return exact(secretOf(key))
      }),
    sign: (algorithm: string | Algorithm, key: CryptoKey, data: Source) =>
      answerPromise(context, () => exact(mac(algorithm, key, data))),
    verify: (algorithm: string | Algorithm, key: CryptoKey, signature: Source, data: Source) =>
      answerPromise(context, () => {
        const expected = mac(algorithm, key, data)
        const given = bytesOf(signature)
        return given.length === expected.length && timingSafeEqual(expected, given)
      }),
    deriveBits: (algorithm: Algorithm, key: CryptoKey, bits: number) =>
      answerPromise(context, () => exact(derive(algorithm, key, bits))),
    ...refusedCalls(
      context,
      'crypto.subtle',
      'encrypt decrypt generateKey deriveKey wrapKey unwrapKey',
      INSTEAD,
    ),
  }
}
