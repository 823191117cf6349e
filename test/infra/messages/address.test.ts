import { describe, expect, it } from 'vitest'
import { SettingError } from '../../../src/infra/messages/index.ts'
import { parseAddress, parseSchema } from '../../../src/infra/messages/postgres/address.ts'
import {
  certaintyOfCommit,
  endsSession,
  explainConnect,
} from '../../../src/infra/messages/postgres/errors.ts'
import { checkServer, type ServerFacts } from '../../../src/infra/messages/postgres/server-check.ts'

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError)
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

describe('a database address', () => {
  it('is taken apart; the database has the name of the user if none is given', () => {
    const { user, database } = parseAddress('postgres://an%40na:p@h/shop?x=1')
    expect({ user, database }).toEqual({ user: 'an@na', database: 'shop' })
    expect(parseAddress('postgresql://anna@h').database).toBe('anna')
  })

  it.each([
    ['redis://u:secret@h', 'does not begin with postgres://'],
    ['u:secret@h/db', 'does not begin with postgres://'],
    ['postgres://u:secret@h:port/db', 'cannot be read'],
    ['postgres://u:sec%ret@h/db', 'a % that does not begin a code'],
    ['postgres:///db', 'without a host'],
    ['postgres://h/db', 'without a user'],
  ])('%s is refused: %s', (url, got) => {
    const message = messageOf(() => parseAddress(url))
    expect(message).toContain(got)
    expect(message).toMatch(/^DATABASE_URL=.*: expected .*, got .*\. Next: .*\.$/)
    expect(message).not.toContain('secret')
    expect(message).not.toContain('sec%ret')
  })
})

describe('the name of a schema', () => {
  it.each(['leaselab', '_x', 'a'.repeat(63)])('%s is taken', (name) => {
    expect(parseSchema(name)).toBe(name)
  })

  it.each(['', 'Shop', '1a', 'a-b', 'a;drop', 'pg_x', 'information_schema', 'a'.repeat(64)])(
    "'%s' is refused",
    (name) => {
      expect(messageOf(() => parseSchema(name))).toMatch(
        /^DATABASE_SCHEMA=.*expected small letters/,
      )
    },
  )
})

describe('the server', () => {
  const good: ServerFacts = {
    version: 150_018,
    maxConnections: 100,
    reserved: 3,
    ownLimit: null,
    encoding: 'UTF8',
    isReplica: false,
  }
  const check = (facts: Partial<ServerFacts>, poolSize = 10, processes = 1) =>
    checkServer({ ...good, ...facts }, { address: 'postgres://u:***@h/db', poolSize, processes })

  it('has room for nine processes with ten connections each, and not for ten', () => {
    check({}, 10, 9)
    expect(messageOf(() => check({}, 10, 10))).toBe(
      'DATABASE_URL=postgres://u:***@h/db: expected room for 100 connections (DATABASE_POOL_SIZE 10 × DATABASE_PROCESSES 10), got room for 97 (max_connections 100 less 3 reserved). Next: DATABASE_POOL_SIZE=9, or fewer processes, or raise the limit.',
    )
  })

  it('may have given the role or the database a limit of its own', () => {
    check({ ownLimit: 10 })
    expect(messageOf(() => check({ ownLimit: 5 }))).toContain('the limit of this role or database')
    expect(messageOf(() => check({ ownLimit: 2 }, 1, 3))).toContain('Next: start fewer processes')
  })

  it.each([
    [{ version: 120_022 }, 'expected Postgres 13 or newer, got 12.22'],
    [{ isReplica: true }, 'got a replica'],
    [{ encoding: 'SQL_ASCII' }, 'expected a database in UTF8, got SQL_ASCII'],
  ])('%o is refused', (facts, text) => {
    expect(messageOf(() => check(facts))).toContain(text)
  })
})

describe('errors', () => {
  const withCode = (code: string, message = 'text') => Object.assign(new Error(message), { code })

  it.each([
    ['connection reset', withCode('ECONNRESET'), true, 'unknown'],
    ['no answer in time', new Error('Query read timeout'), true, 'unknown'],
    ['the server shuts down', withCode('57P01'), true, 'unknown'],
    ['interrupted', withCode('57014'), false, 'unknown'],
    ['ended while idle in its transaction', withCode('25P03'), true, 'did-not-happen'],
    ['a constraint', withCode('23505'), false, 'did-not-happen'],
    ['a deadlock', withCode('40P01'), false, 'did-not-happen'],
  ] as const)('%s: the session ends %s, a commit is %s', (_title, error, ends, certainty) => {
    expect(endsSession(error)).toBe(ends)
    expect(certaintyOfCommit(error)).toBe(certainty)
  })

  it.each([
    [withCode('EAI_AGAIN'), 'got a host name that leads nowhere'],
    [withCode('57P03'), 'got a server that is starting or stopping'],
    [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'got a certificate that does not hold'],
    [withCode('EHOSTUNREACH'), 'got no way to that host'],
  ])('a connection that fails is explained: %s', (error, text) => {
    const told = { address: 'postgres://u:***@h/db', user: 'u', database: 'db' }
    expect(explainConnect(error, told).message).toContain(text)
  })
})
