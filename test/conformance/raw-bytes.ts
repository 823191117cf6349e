/** Raw bytes to a real server and to the parser and engine: what comes back, and who hangs up. */
import net from 'node:net'
import { RedisEngine } from '../../src/infra/redis/engine.ts'
import type { LuaRuntime } from '../../src/infra/redis/lua.ts'
import { encodeReply, error, ProtocolError, RequestParser } from '../../src/wire/resp.ts'

export interface RawAnswer {
  readonly bytes: string
  readonly closed: boolean
}

/** Ends every input, so that the answer to it tells that all has been read. */
const SENTINEL = '*2\r\n$4\r\nECHO\r\n$8\r\nsentinel\r\n'
const SENTINEL_ANSWER = '$8\r\nsentinel\r\n'

export function answerOfReal(port: number, input: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let bytes = ''
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from(input + SENTINEL, 'latin1'))
    })
    socket.on('data', (data) => {
      bytes += data.toString('latin1')
      if (!bytes.endsWith(SENTINEL_ANSWER)) return
      resolve({ bytes: bytes.slice(0, -SENTINEL_ANSWER.length), closed: false })
      socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve({ bytes, closed: true }))
  })
}

export function answerOfEngine(lua: LuaRuntime, input: string, chunkBytes: number): RawAnswer {
  const engine = new RedisEngine({ lua, random: () => 0 })
  const session = engine.open()
  const parser = new RequestParser()
  const all = Buffer.from(input + SENTINEL, 'latin1')
  let bytes = ''
  const run = (requests: readonly Buffer[][]): void => {
    for (const args of requests) {
      const outcome = engine.execute(session, args, Date.now() * 1000)
      if (outcome.kind === 'reply') bytes += encodeReply(outcome.reply).toString('latin1')
    }
  }
  for (let at = 0; at < all.length; at += chunkBytes) {
    try {
      run(parser.push(all.subarray(at, at + chunkBytes)))
    } catch (fault) {
      if (!(fault instanceof ProtocolError)) throw fault
      run(fault.requests)
      bytes += encodeReply(error(`ERR ${fault.message}`)).toString('latin1')
      return { bytes, closed: true }
    }
  }
  return { bytes: bytes.slice(0, -SENTINEL_ANSWER.length), closed: false }
}

export const RAW_INPUTS: readonly (readonly [title: string, input: string])[] = [
  ['inline requests', 'PING\r\nPING hello\nECHO  a \r\n'],
  ['inline quotes and escapes', 'ECHO "a\\x41\\n\\t\\"b"\r\nECHO \'it\\\'s\'\r\n'],
  ['empty lines are passed over', '\r\n\r\nPING\r\n'],
  ['a quote that is not closed', 'ECHO "abc\r\n'],
  ['text behind a closing quote', 'ECHO "abc"def\r\n'],
  ['an empty multibulk is passed over', '*0\r\n*-1\r\nPING\r\n'],
  ['a count that is no number', '*abc\r\n'],
  ['a count that is too large', '*2147483648\r\n'],
  ['an argument without its mark', '*1\r\n#3\r\nabc\r\n'],
  ['an argument with a negative length', '*1\r\n$-5\r\n'],
  ['an argument whose length is no number', '*2\r\n$4\r\nECHO\r\n$x\r\n'],
  ['an argument that is too long', '*1\r\n$536870913\r\n'],
  ['good requests before a bad one', '*1\r\n$4\r\nPING\r\n*1\r\n!'],
  ['an empty argument', '*2\r\n$4\r\nECHO\r\n$0\r\n\r\n'],
  ['binary arguments', '*2\r\n$4\r\nECHO\r\n$4\r\n\r\n\0\xff\r\n'],
]
