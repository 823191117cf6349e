/**
 * How runs are named. A session is all that one user says; each message of it is a run of its own,
 * numbered without gaps. Rows of the store are unique by session and number.
 */

/** The session of a user. */
export function sessionOf(userId: string): string {
  return `run-${userId}`
}

/** The run of one message. */
export function runIdOf(session: string, seq: number): string {
  return `${session}.${seq}`
}
