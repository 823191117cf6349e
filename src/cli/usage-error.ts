/**
 * A slip of the person who typed the command: told once, clearly, and nothing is run.
 *
 * Every usage error says where it is, what was expected, what came instead, and what to do next.
 * Exit code 3. Not for faults of the code under test (those are verdicts) nor for our own bugs.
 */

export interface UsageDetails {
  /** The option, variable or file that is wrong. */
  readonly where: string
  readonly expected: string
  readonly got: string
  /** The next step; where it is a command, one that can be copied. */
  readonly next: string
}

export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly details: UsageDetails

  constructor(message: string, details: UsageDetails) {
    super(message)
    this.details = details
  }
}

/** For a terminal: the message and a line for each detail, ending in a newline. */
export function usageText(error: UsageError): string {
  const { where, expected, got, next } = error.details
  return [
    error.message,
    `  where     ${where}`,
    `  expected  ${expected}`,
    `  got       ${got}`,
    `  next      ${next}`,
    '',
  ].join('\n')
}

/** The same on one line, for the `error` member of the JSON answer. */
export function usageLine(error: UsageError): string {
  const { where, expected, got, next } = error.details
  return `${error.message} (where: ${where}; expected: ${expected}; got: ${got}; next: ${next})`
}
