/**
 * Errors as Node words them: system errors with code, errno and syscall, and Node's own with a code.
 *
 * Programs and clients branch on `code`, `syscall`, `address` and sometimes on the message, so all of
 * them are Node's. Numbers and texts of system errors are read from Node itself (Linux). The
 * errors of name lookups have numbers of their own.
 */

import { getSystemErrorMap } from 'node:util'

interface SystemFields {
  readonly syscall: string
  readonly address?: string
  readonly port?: number
  readonly path?: string
  readonly hostname?: string
}

const byCode = new Map<string, { readonly errno: number; readonly text: string }>()
for (const [errno, [code, text]] of getSystemErrorMap()) byCode.set(code, { errno, text })

/** Node's `details` of a place: `10.0.0.2:6379`, or the address alone where there is no port. */
function place(address: string, port: number | undefined): string {
  return port !== undefined && port > 0 ? `${address}:${port}` : address
}

function fill(error: Error, code: string, fields: SystemFields): NodeJS.ErrnoException {
  const errno = byCode.get(code)?.errno
  return Object.assign(error, { errno, code, ...fields })
}

/** `connect ECONNREFUSED 10.0.0.2:6379`: how Node reports a connection that did not come about. */
export function connectError(code: string, address: string, port: number): NodeJS.ErrnoException {
  return fill(new Error(`connect ${code} ${place(address, port)}`), code, {
    syscall: 'connect',
    address,
    port,
  })
}

/** `listen EADDRINUSE: address already in use :::80`. */
export function listenError(code: string, address: string, port: number): NodeJS.ErrnoException {
  const text = byCode.get(code)?.text ?? code
  return fill(new Error(`listen ${code}: ${text} ${place(address, port)}`), code, {
    syscall: 'listen',
    address,
    port,
  })
}

/** `read ECONNRESET`: a stream operation that failed. */
export function streamError(code: string, syscall: string): NodeJS.ErrnoException {
  return fill(new Error(`${syscall} ${code}`), code, { syscall })
}

/** `ENOENT: no such file or directory, open '/x'`. */
export function fileError(code: string, syscall: string, path: string): NodeJS.ErrnoException {
  const text = byCode.get(code)?.text ?? code
  return fill(new Error(`${code}: ${text}, ${syscall} '${path}'`), code, { syscall, path })
}

/** `getaddrinfo ENOTFOUND nosuch`. */
export function lookupError(code: string, syscall: string, hostname: string): Error {
  const error = fill(new Error(`${syscall} ${code} ${hostname}`), code, { syscall, hostname })
  return Object.assign(error, { errno: syscall === 'getaddrinfo' ? -3008 : undefined })
}

type ErrorClass = new (message: string) => Error

/** An error of Node's own, e.g. `nodeError(TypeError, 'ERR_MISSING_ARGS', '…')`. */
export function nodeError(Base: ErrorClass, code: string, message: string): Error {
  const error = new Base(message)
  Object.defineProperty(error, 'code', {
    value: code,
    enumerable: true,
    configurable: true,
    writable: true,
  })
  const { name } = error
  // Node shows the code in the first line of the stack, and nowhere else.
  Object.defineProperty(error, 'name', {
    value: `${name} [${code}]`,
    configurable: true,
    writable: true,
  })
  void error.stack
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true })
  error.toString = () => `${name} [${code}]: ${error.message}`
  Object.defineProperty(error, 'toString', { enumerable: false })
  return error
}

/** A port as Node accepts it: a whole number or its text, 0 to 65535. Throws as Node does. */
export function checkedPort(port: unknown, name: string): number {
  const valid =
    (typeof port === 'number' || (typeof port === 'string' && port.trim() !== '')) &&
    +port === +port >>> 0 &&
    +port <= 0xffff
  if (valid) return Number(port)
  const received =
    port === null || port === undefined ? String(port) : `type ${typeof port} (${shown(port)})`
  throw nodeError(
    RangeError,
    'ERR_SOCKET_BAD_PORT',
    `${name} should be >= 0 and < 65536. Received ${received}.`,
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
