/** I14: environments that share servers do not meet. */

import { keysOf } from '../facts/command-keys.ts'
import type { Moment } from '../facts/lives.ts'
import type { EnvironmentSetting } from '../setting.ts'
import { sec } from '../words.ts'
import { type Invariant, notApplicable, type Violation, verdict, violation } from './invariant.ts'

export const environment: Invariant = {
  id: 'I14',
  name: 'environment',
  sentence: 'Nothing crosses from one environment to another.',
  scope:
    'Keys that processes name in commands or change, and HTTP requests. A key belongs to the environment whose prefix it has, the longest one counting; with no such prefix, to whoever touched it first.',
  check(history, { environments }) {
    if (environments.length < 2) return notApplicable('there is one environment alone in this run')
    const home = new Map(
      environments.flatMap((each) => each.processes.map((name) => [name, each] as const)),
    )
    const first = new Map<string, Touch>()
    const violations: Violation[] = []
    let facts = 0
    const touched = (key: string, process: string, moment: Moment, did: string): void => {
      const own = home.get(process)
      if (!own) return
      facts += 1
      const before = first.get(key)
      const owner = ownerOf(key, environments) ?? before?.own ?? own
      if (!before) first.set(key, { own, process, moment })
      if (owner === own) return
      const whose =
        before && before.own === owner
          ? `, which ${before.process} had touched at ${sec(before.moment.t)}`
          : ''
      violations.push(
        violation({
          of: [before?.moment ?? moment, moment],
          actors: [process, before?.process ?? null],
          resource: key,
          sentence: `${process} of ${own.name} ${did} ${key} of ${owner.name} at ${sec(moment.t)}${whose}`,
        }),
      )
    }
    const named = new Set<string>()
    for (const event of history.events) {
      if (event.kind === 'redis.command') {
        for (const key of keysOf(event.argv)) {
          named.add(`${event.id} ${key}`)
          touched(key, event.process, event, `sent ${event.argv[0]} for`)
        }
      } else if (event.kind === 'http.request') {
        const [from, to] = [home.get(event.process), home.get(event.to)]
        if (!from || !to) continue
        facts += 1
        if (from === to) continue
        violations.push(
          violation({
            of: [event, event],
            actors: [event.process, event.to],
            resource: event.to,
            sentence: `${event.process} of ${from.name} sent ${event.method} ${event.path} to ${event.to} of ${to.name} at ${sec(event.t)}`,
          }),
        )
      }
    }
    for (const { effect, by } of history.redis.effects()) {
      if (by && !named.has(`${by.id} ${effect.key}`)) {
        touched(effect.key, by.process, effect, 'changed')
      }
    }
    return verdict(facts, violations, 'no process of a known environment touched a key or a server')
  },
}

interface Touch {
  readonly own: EnvironmentSetting
  readonly process: string
  readonly moment: Moment
}

function ownerOf(
  key: string,
  environments: readonly EnvironmentSetting[],
): EnvironmentSetting | null {
  let owner: EnvironmentSetting | null = null
  for (const each of environments) {
    if (each.keyPrefix === '' || !key.startsWith(each.keyPrefix)) continue
    if (!owner || each.keyPrefix.length > owner.keyPrefix.length) owner = each
  }
  return owner
}
