/**
 * Names as the trace has them: without the run's own prefix, so that checks find the keys under the
 * names that the lab gives them, in both arms.
 */

import type { ReplyValue } from '../trace/events.ts'

/** An argument without the prefix. */
export function outOfSpace(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text
}

/** A reply whose texts are without it. */
export function replyOutOfSpace(reply: ReplyValue, prefix: string): ReplyValue {
  if (typeof reply === 'string') return outOfSpace(reply, prefix)
  if (Array.isArray(reply)) return reply.map((part: ReplyValue) => replyOutOfSpace(part, prefix))
  return reply
}
