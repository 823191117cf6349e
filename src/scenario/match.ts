/**
 * Does an event match a pattern? The triggers of a timeline as pure predicates.
 */

import type { TraceEvent } from '../trace/events.ts'
import type { EventPattern, FieldTest } from './scenario.ts'

/** One field against its test. A list field is compared with `includes` element by element. */
export function fieldMatches(value: unknown, test: FieldTest): boolean {
  if (test === null || typeof test !== 'object') return value === test
  if ('oneOf' in test) return test.oneOf.some((each) => each === value)
  if ('startsWith' in test) return typeof value === 'string' && value.startsWith(test.startsWith)
  if (Array.isArray(value)) return value.includes(test.includes)
  return typeof value === 'string' && value.includes(test.includes)
}

/** Every named field of a record passes its test. */
function fieldsMatch(record: object, tests: Readonly<Record<string, FieldTest>>): boolean {
  for (const [name, test] of Object.entries(tests)) {
    if (!Object.hasOwn(record, name)) return false
    if (!fieldMatches((record as Record<string, unknown>)[name], test)) return false
  }
  return true
}

/** The JSON object of an output line; null when the line is anything else. */
export function jsonLine(text: string): Record<string, unknown> | null {
  if (!text.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

export function commandMatches(
  argv: readonly string[],
  command: readonly string[] | undefined,
  includes: readonly string[] | undefined,
): boolean {
  if (command !== undefined && !command.includes(argv[0]?.toUpperCase() ?? '')) return false
  return includes === undefined || includes.every((each) => argv.indexOf(each, 1) > 0)
}

export function eventMatches(event: TraceEvent, pattern: EventPattern): boolean {
  if (event.kind !== pattern.kind) return false
  if (pattern.where !== undefined && !fieldsMatch(event, pattern.where)) return false
  if (pattern.command !== undefined || pattern.argv !== undefined) {
    if (event.kind === 'redis.reply') {
      if (pattern.argv !== undefined) return false
      return pattern.command === undefined || pattern.command.includes(event.command)
    }
    if (event.kind !== 'redis.command') return false
    if (!commandMatches(event.argv, pattern.command, pattern.argv)) return false
  }
  if (pattern.json !== undefined) {
    if (event.kind !== 'process.output') return false
    const line = jsonLine(event.text)
    return line !== null && fieldsMatch(line, pattern.json)
  }
  return true
}
