/**
 * Why a run on real servers cannot begin: an address, a server or a machine that it cannot use.
 *
 * A slip of the person, as a UsageError of the command line is; told before anything is run. No text
 * in it holds a password.
 */

export interface RefusalDetails {
  readonly expected: string
  readonly got: string
  /** The next step; where it is a command, one that can be copied. */
  readonly next: string
}

export class RealRefusal extends Error {
  override readonly name = 'RealRefusal'
  readonly details: RefusalDetails

  constructor(message: string, details: RefusalDetails) {
    super(message)
    this.details = details
  }
}
