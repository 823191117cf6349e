import { describe, expect, it } from 'vitest'
import {
  encodeReply,
  encodeRequest,
  error,
  NULL_ARRAY,
  OK,
  ProtocolError,
  type Reply,
  ReplyParser,
  RequestParser,
  replyToValue,
} from '../../src/wire/resp.ts'

const bytes = (latin1: string): Buffer => Buffer.from(latin1, 'latin1')
const texts = (requests: readonly Buffer[][]): string[][] =>
  requests.map((args) => args.map((arg) => arg.toString('latin1')))

/** Feeds `input` in pieces of `size` bytes. */
function parseInPieces(input: Buffer, size: number): string[][] {
  const parser = new RequestParser()
  const requests: Buffer[][] = []
  for (let at = 0; at < input.length; at += size) {
    requests.push(...parser.push(input.subarray(at, at + size)))
  }
  return texts(requests)
}

describe('RequestParser', () => {
  const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))
  const requests = [['SET', 'k', everyByte], ['PING'], ['ECHO', ''], ['X', '\r\n$3\r\n']]
  const input = Buffer.concat([
    ...requests.slice(0, 2).map((args) => encodeRequest(args)),
    bytes('INLINE "two words"\r\n'),
    ...requests.slice(2).map((args) => encodeRequest(args)),
  ])
  const expected = [...requests.slice(0, 2), ['INLINE', 'two words'], ...requests.slice(2)]

  it('gives the same requests however the bytes are cut', () => {
    for (let size = 1; size <= input.length; size++) {
      expect(parseInPieces(input, size)).toEqual(expected)
    }
  })

  it('hands over the requests that stood before the fault', () => {
    const parser = new RequestParser()
    let fault: unknown
    try {
      parser.push(bytes('PING\r\n*1\r\n!'.concat('oops\r\n')))
    } catch (thrown) {
      fault = thrown
    }
    expect(fault).toBeInstanceOf(ProtocolError)
    expect((fault as ProtocolError).message).toBe("Protocol error: expected '$', got '!'")
    expect(texts((fault as ProtocolError).requests)).toEqual([['PING']])
  })

  it.each([
    ['PING'.repeat(20_000), 'Protocol error: too big inline request'],
    [`*${'1'.repeat(70_000)}`, 'Protocol error: too big mbulk count string'],
    [`*1\r\n$${'1'.repeat(70_000)}`, 'Protocol error: too big bulk count string'],
  ])('refuses a line of more than 64 KiB (case %#)', (line, message) => {
    expect(() => new RequestParser().push(bytes(line))).toThrow(message)
  })
})

describe('replies', () => {
  const replies: readonly (readonly [Reply, string, unknown])[] = [
    [OK, '+OK\r\n', { ok: 'OK' }],
    [error('ERR no'), '-ERR no\r\n', { error: 'ERR no' }],
    [7, ':7\r\n', 7],
    [-9223372036854775808n, ':-9223372036854775808\r\n', '-9223372036854775808'],
    [bytes('\x00\xff'), '$2\r\n\x00\xff\r\n', '\x00\xff'],
    [null, '$-1\r\n', null],
    [NULL_ARRAY, '*-1\r\n', null],
    [[1, [null, OK], []], '*3\r\n:1\r\n*2\r\n$-1\r\n+OK\r\n*0\r\n', [1, [null, { ok: 'OK' }], []]],
  ]

  it.each(replies)('case %#: is written, read back and told in a trace', (reply, wire, value) => {
    expect(encodeReply(reply).toString('latin1')).toBe(wire)
    expect(new ReplyParser().push(bytes(wire))).toEqual([reply])
    expect(replyToValue(reply)).toEqual(value)
  })

  it('are the same however the bytes are cut', () => {
    const all = bytes(replies.map(([, wire]) => wire).join(''))
    for (let size = 1; size < all.length; size++) {
      const parser = new ReplyParser()
      const read: Reply[] = []
      for (let at = 0; at < all.length; at += size) {
        read.push(...parser.push(all.subarray(at, at + size)))
      }
      expect(read).toEqual(replies.map(([reply]) => reply))
    }
  })

  it('longer than the first buffer are written whole', () => {
    const long = Buffer.alloc(100_000, 'x')
    expect(encodeReply([long, 1]).length).toBe(long.length + '*2\r\n$100000\r\n\r\n:1\r\n'.length)
  })

  it('that are no RESP2 are refused', () => {
    expect(() => new ReplyParser().push(bytes('HTTP/1.1 200 OK\r\n'))).toThrow('not a RESP2 reply')
  })
})
