/**
 * Random bytes, numbers and ids of one process, from its own stream of chance.
 */

import { nodeError } from '../system-error.ts'

export type Draw = () => number

/** Fills `bytes` and returns it. Four bytes a draw. */
export function fillRandom<T extends Uint8Array>(draw: Draw, bytes: T): T {
  for (let at = 0; at < bytes.length; at += 4) {
    const word = Math.floor(draw() * 4_294_967_296)
    for (let k = at; k < Math.min(at + 4, bytes.length); k += 1) {
      bytes[k] = (word >>> (8 * (k - at))) & 255
    }
  }
  return bytes
}

/** A version 4 UUID. */
export function randomUuid(draw: Draw): string {
  const bytes = fillRandom(draw, Buffer.alloc(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

const MAX_RANGE = 2 ** 48

/** A whole number from `min` up to but not `max`. Throws as Node does. */
export function randomWhole(draw: Draw, min: number, max: number): number {
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) {
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', 'min and max must be safe integers')
  }
  if (max <= min || max - min >= MAX_RANGE) {
    throw nodeError(
      RangeError,
      'ERR_OUT_OF_RANGE',
      `The value of "max" is out of range. It must be greater than the value of "min" (${min}), by less than 2^48. Received ${max}`,
    )
  }
  const high = Math.floor(draw() * 65_536)
  const low = Math.floor(draw() * 4_294_967_296)
  return min + ((high * 4_294_967_296 + low) % (max - min))
}

/** The bytes of a view or buffer, writable. */
export function bytesOf(target: ArrayBufferView | ArrayBufferLike): Uint8Array {
  return ArrayBuffer.isView(target)
    ? new Uint8Array(target.buffer, target.byteOffset, target.byteLength)
    : new Uint8Array(target)
}
