/**
 * Answers that Node gives from its thread pool or from the system, as events of the world.
 *
 * The work itself is done at once and synchronously; only the answer comes in a later event, and the
 * process stays alive for it, as it would in Node. Promises are the realm's own.
 */

import type { HostContext } from '../context.ts'

type Outcome<T> = { readonly value: T } | { readonly error: unknown }

function attempt<T>(work: () => T): Outcome<T> {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

/** Runs `tell` in an event of this process, now in virtual time. */
export function later(context: HostContext, tell: () => void): void {
  if (!context.guard('an asynchronous call')) return
  const handle = context.open('request')
  context.schedule('job', 0, () => {
    handle.close()
    tell()
  })
}

/** For `(…, callback)` forms: `work` now, `callback(error, value)` later. */
export function answerCallback<T>(
  context: HostContext,
  work: () => T,
  callback: (error: unknown, value?: T) => void,
): void {
  const outcome = attempt(work)
  later(context, () => {
    if ('error' in outcome) callback(outcome.error)
    else callback(null, outcome.value)
  })
}

/** For promise forms: `work` now, settled later. */
export function answerPromise<T>(context: HostContext, work: () => T): Promise<T> {
  const RealmPromise = context.realm.Promise as PromiseConstructor
  const outcome = attempt(work)
  return new RealmPromise<T>((resolve, reject) => {
    later(context, () => {
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value)
    })
  })
}
