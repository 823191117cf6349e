/**
 * Errors of the database, in words that help: what was expected, what came, what to do next.
 *
 * `SettingError`: the person who starts the program can mend it; nothing was done. `DatabaseError`: the
 * weather; `certainty` tells whether the transaction may have been committed all the same. Addresses
 * are shown without their passwords.
 */

/** Something to be mended before the program can start. One sentence each: expected, got, next. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

export type Certainty = 'did-not-happen' | 'unknown'

/** The database did not do what it was asked to, or did not say so. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  readonly certainty: Certainty

  constructor(message: string, certainty: Certainty, cause: unknown) {
    super(message, { cause })
    this.certainty = certainty
  }
}

/** The server's five-character code of an error (SQLSTATE), or null if it did not come from there. */
export function sqlStateOf(error: unknown): string | null {
  const code = fieldsOf(error).code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}

/**
 * Whether an error says that the connection, and not the statement, is at fault: no answer of the
 * server at all, or one of those with which it ends a session.
 */
export function endsSession(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === null || /^(08|57P|25P0[34]|58|XX)/.test(state)
}

/** What became of a COMMIT that failed: told to have failed, or not told. */
export function certaintyOfCommit(error: unknown): Certainty {
  const state = sqlStateOf(error)
  // Class 57 among them: an interruption can also arrive after the commit and before its answer. A
  // session that was ended while it stood idle in its transaction (25P03) never began to commit.
  return state === null || /^(08|57|58|XX)/.test(state) ? 'unknown' : 'did-not-happen'
}

/**
 * A failed first connection as a `SettingError`. `address` is the masked address, `who` the user that
 * it names, `database` the database.
 */
export function explainConnect(
  error: unknown,
  told: { readonly address: string; readonly user: string; readonly database: string },
): SettingError {
  const [got, expected, next] = reasonOf(error, told)
  return new SettingError(
    `DATABASE_URL=${told.address}: expected ${expected}, got ${got}. Next: ${next}.`,
    { cause: error },
  )
}

type Reason = readonly [got: string, expected: string, next: string]

function reasonOf(
  error: unknown,
  told: { readonly user: string; readonly database: string },
): Reason {
  const { code, message } = fieldsOf(error)
  const text = String(message ?? error)
  const server = 'a Postgres server that accepts connections'
  switch (code) {
    case 'ECONNREFUSED':
      return ['connection refused', server, 'start Postgres, or mend host and port']
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return ['a host name that leads nowhere', server, 'mend the host']
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return [`no way to that host (${code})`, server, 'look at host, port and firewall']
    case '28P01':
      return [
        'a refusal of the password',
        `a password that is right for ${told.user}`,
        'mend user or password; special characters are written as %40 and so on',
      ]
    case '28000':
      return [
        text,
        `a user who may connect as ${told.user}`,
        'create the role, or let pg_hba.conf admit it from here',
      ]
    case '3D000':
      return [
        'no such database',
        `a database named ${told.database}`,
        `createdb ${told.database}, or name another one`,
      ]
    case '53300':
      return [
        'no connection left',
        'room for another connection',
        'close other clients, or raise max_connections',
      ]
    case '57P03':
      return ['a server that is starting or stopping', server, 'try again in a moment']
    case '42501':
      return [
        text,
        `a user ${told.user} who may create a schema and tables`,
        `GRANT CREATE ON DATABASE ${told.database} TO ${told.user}, or create the schema for it`,
      ]
  }
  if (/client password must be/.test(text)) {
    return [
      'a server that asks for a password, and none in the address',
      'a password in the address',
      'write postgres://user:password@host:port/database',
    ]
  }
  if (/does not support SSL/.test(text)) {
    return ['a server without TLS', 'a server that speaks TLS', 'leave sslmode out of the address']
  }
  if (/timeout|timed out/i.test(text)) {
    return ['no answer in time', server, 'look at host, port and firewall']
  }
  if (typeof code === 'string' && /CERT|SIGNED|ALTNAME|SSL|TLS/.test(code)) {
    return [
      `a certificate that does not hold (${code})`,
      'a certificate that this machine trusts',
      'name its authority with sslrootcert=<file>, or mend the host',
    ]
  }
  return [
    oneLine(text) || 'a connection that was closed',
    'a Postgres server',
    'see whether something else listens at that host and port',
  ]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200)
}

function fieldsOf(error: unknown): { readonly code?: unknown; readonly message?: unknown } {
  return typeof error === 'object' && error !== null ? error : {}
}
