/**
 * So much of a Postgres server as its protocol takes: startup, SSL refused, login by SCRAM-SHA-256 or
 * md5, simple and extended queries over one table `notes (id int4, text text)` that is kept as long as
 * the process lives. `SELECT pg_sleep(s)` waits; anything unknown is error 42601.
 */

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import net from 'node:net'

const USERS = { scram: 'secret', md5: 'older secret' }
const ROUNDS = 4096
const notes = []

function message(type, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? text(part) : part)))
  const head = Buffer.alloc(5)
  head.write(type, 0, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const text = (value) => Buffer.from(`${value}\0`)
const int32 = (value) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const int16 = (value) => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

const READY = message('Z', Buffer.from('I'))
const TYPES = { int4: 23, text: 25 }

function failure(code, what) {
  const field = (letter, value) => Buffer.from(`${letter}${value}\0`)
  return message('E', field('S', 'ERROR'), field('C', code), field('M', what), Buffer.alloc(1))
}

function description(columns) {
  const fields = Object.entries(columns).map(([name, type]) =>
    Buffer.concat([
      text(name),
      int32(0),
      int16(0),
      int32(TYPES[type]),
      int16(-1),
      int32(-1),
      int16(0),
    ]),
  )
  return message('T', int16(fields.length), ...fields)
}

function row(values) {
  const cells = values.map((value) => {
    if (value === null) return int32(-1)
    const bytes = Buffer.from(String(value))
    return Buffer.concat([int32(bytes.length), bytes])
  })
  return message('D', int16(values.length), ...cells)
}

/** What a statement answers: columns or null, rows, tag; or an error. Parameters come as texts. */
async function execute(sql, parameters = []) {
  if (/^INSERT INTO notes/i.test(sql)) {
    const [given] = parameters.length > 0 ? parameters : [/\('(.*)'\)/.exec(sql)?.[1]]
    notes.push({ id: notes.length + 1, text: given })
    return { columns: { id: 'int4' }, rows: [[notes.length]], tag: 'INSERT 0 1' }
  }
  if (/^SELECT id, text FROM notes/i.test(sql)) {
    const from = Number(parameters[0] ?? 0)
    const rows = notes.filter(({ id }) => id > from).map((note) => [note.id, note.text])
    return { columns: { id: 'int4', text: 'text' }, rows, tag: `SELECT ${rows.length}` }
  }
  const sleep = /^SELECT pg_sleep\((\d+)\)/i.exec(sql)
  if (sleep !== null) {
    await new Promise((over) => setTimeout(over, Number(sleep[1]) * 1000))
    return { columns: { pg_sleep: 'text' }, rows: [['']], tag: 'SELECT 1' }
  }
  if (/^(BEGIN|COMMIT|ROLLBACK)$/i.test(sql)) return { columns: null, rows: [], tag: sql }
  return { error: failure('42601', `syntax error at or near "${sql.split(' ')[0]}"`) }
}

const answerOf = ({ error, rows, tag }) =>
  error !== undefined ? [error] : [...rows.map(row), message('C', tag)]

class Session {
  #socket
  #bytes = Buffer.alloc(0)
  #started = false
  #login = null
  #statements = new Map()
  #bound = null
  /** After an error in an extended query everything up to Sync is passed over. */
  #skipping = false
  #queue = Promise.resolve()

  constructor(socket) {
    this.#socket = socket
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes])
      for (let next = this.#take(); next !== null; next = this.#take()) {
        const { type, body } = next
        this.#queue = this.#queue.then(() => this.#handle(type, body))
      }
    })
  }

  #take() {
    const head = this.#started ? 1 : 0
    if (this.#bytes.length < head + 4) return null
    const length = this.#bytes.readInt32BE(head)
    if (this.#bytes.length < head + length) return null
    const type = this.#started ? String.fromCharCode(this.#bytes[0]) : 'startup'
    const body = this.#bytes.subarray(head + 4, head + length)
    this.#bytes = this.#bytes.subarray(head + length)
    if (type === 'startup' && body.readInt32BE(0) === 196608) this.#started = true
    return { type, body }
  }

  #send(...messages) {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(messages))
  }

  #handle(type, body) {
    if (type === 'startup') return this.#startup(body)
    if (type === 'p') return this.#password(body)
    if (type === 'X') return this.#socket.end()
    if (type === 'Q') return this.#simple(body.toString('utf8', 0, body.length - 1))
    if (type === 'S') {
      this.#skipping = false
      return this.#send(READY)
    }
    if (!this.#skipping) return this.#extended(type, body)
  }

  #startup(body) {
    if (body.readInt32BE(0) !== 196608) return this.#socket.write('N')
    const pairs = body.toString('utf8', 4).split('\0')
    const user = pairs[pairs.indexOf('user') + 1]
    if (user === 'md5') {
      this.#login = { kind: 'md5', user, salt: randomBytes(4) }
      return this.#send(message('R', int32(5), this.#login.salt))
    }
    this.#login = { kind: 'scram', user }
    this.#send(message('R', int32(10), 'SCRAM-SHA-256', Buffer.alloc(1)))
  }

  #password(body) {
    const { kind, user, salt, steps } = this.#login
    const secret = USERS[user] ?? ''
    if (kind === 'md5') {
      const md5 = (...parts) =>
        parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest('hex')
      const expected = `md5${md5(md5(secret, user), salt)}`
      return body.toString('utf8', 0, body.length - 1) === expected
        ? this.#welcome()
        : this.#reject()
    }
    if (steps === undefined) {
      const bare = /n,,(.*)$/s.exec(body.toString())[1]
      const nonce = /r=(.*)$/.exec(bare)[1] + randomBytes(12).toString('base64')
      const saltOf = randomBytes(16)
      const server = `r=${nonce},s=${saltOf.toString('base64')},i=${ROUNDS}`
      this.#login.steps = { bare, server, salt: saltOf, nonce }
      return this.#send(message('R', int32(11), Buffer.from(server)))
    }
    const last = body.toString()
    const [, without, proof] = /^(.*),p=(.*)$/.exec(last)
    const hmac = (key, value) => createHmac('sha256', key).update(value).digest()
    const salted = pbkdf2Sync(secret, steps.salt, ROUNDS, 32, 'sha256')
    const clientKey = hmac(salted, 'Client Key')
    const talk = `${steps.bare},${steps.server},${without}`
    const signature = hmac(createHash('sha256').update(clientKey).digest(), talk)
    const expected = clientKey.map((byte, at) => byte ^ signature[at])
    if (!expected.equals(Buffer.from(proof, 'base64'))) return this.#reject()
    const own = hmac(hmac(salted, 'Server Key'), talk).toString('base64')
    this.#send(message('R', int32(12), Buffer.from(`v=${own}`)))
    this.#welcome()
  }

  #reject() {
    const { user } = this.#login
    this.#send(failure('28P01', `password authentication failed for user "${user}"`))
    this.#socket.end()
  }

  #welcome() {
    this.#send(
      message('R', int32(0)),
      message('S', 'server_version', '16.0'),
      message('K', int32(process.pid), int32(1)),
      READY,
    )
  }

  async #simple(sql) {
    for (const statement of sql.split(';').map((part) => part.trim())) {
      if (statement === '') continue
      const result = await execute(statement)
      if (result.columns) this.#send(description(result.columns))
      this.#send(...answerOf(result))
      if (result.error !== undefined) break
    }
    this.#send(READY)
  }

  async #extended(type, body) {
    const texts = body.toString('latin1').split('\0')
    if (type === 'P') {
      this.#statements.set(
        texts[0],
        body
          .subarray(texts[0].length + 1)
          .toString('utf8')
          .split('\0')[0],
      )
      this.#send(message('1'))
    } else if (type === 'B') {
      const at = texts[0].length + 1 + texts[1].length + 1
      this.#bound = { sql: this.#statements.get(texts[1]), parameters: parametersIn(body, at) }
      this.#send(message('2'))
    } else if (type === 'D') {
      const result = await this.#run()
      if (result.error !== undefined) this.#skipping = true
      this.#send(result.error ?? (result.columns ? description(result.columns) : message('n')))
    } else if (type === 'E') {
      this.#send(...answerOf(await this.#run()))
    } else if (type === 'C') this.#send(message('3'))
  }

  /** Once for each Bind, whether Describe or Execute asks first. */
  async #run() {
    const { sql, parameters } = this.#bound
    this.#bound.result ??= await execute(sql, parameters)
    return this.#bound.result
  }
}

function parametersIn(body, start) {
  const formats = body.readInt16BE(start)
  let at = start + 2 + formats * 2
  const count = body.readInt16BE(at)
  at += 2
  return Array.from({ length: count }, () => {
    const length = body.readInt32BE(at)
    at += 4
    if (length < 0) return null
    at += length
    return body.toString('utf8', at - length, at)
  })
}

net.createServer((socket) => new Session(socket)).listen(5432)
