import { describe, expect, it } from 'vitest'
import { SETTING, Story } from '../story.ts'
import { onlySentence, verdictOf } from './expect-verdict.ts'

const get = (who: string, key: string, story = new Story()) => story.redis(who, ['GET', key], null)

describe('I14, environment', () => {
  it('holds when each keeps to its prefix', () => {
    const story = get('dev-a', 'dev:x', get('prod-a', 'prod:x'))
    expect(verdictOf('I14', story)).toEqual({ kind: 'held', facts: 2 })
  })

  it('is violated by a read of another’s key', () => {
    expect(onlySentence('I14', get('dev-a', 'prod:x', get('prod-a', 'prod:x').at(1000)))).toBe(
      'dev-a of dev sent GET for prod:x of prod at 1.0 s, which prod-a had touched at 0.0 s',
    )
  })

  it('is violated by a key without a prefix that both touch, whatever the command', () => {
    for (const argv of [
      ['XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 'runs', '>'],
      ['EVAL', 'return 1', '1', 'runs'],
      ['MSET', 'runs', '1'],
      ['DEL', 'runs'],
    ]) {
      const story = get('prod-a', 'runs').at(5).redis('dev-a', argv, null)
      expect(onlySentence('I14', story)).toContain('for runs of prod')
    }
  })

  it('is violated by a change inside a script that names no key', () => {
    const write = { op: 'set', key: 'prod:x', value: '1' } as const
    const story = new Story().redis('dev-a', ['EVAL', 'set', '0'], 1, write)
    expect(onlySentence('I14', story)).toContain('dev-a of dev changed prod:x of prod')
  })

  it('is violated by a request to a server of another environment', () => {
    const story = new Story().post('dev-a', 'prod-b', '/messages', {}, 200)
    expect(onlySentence('I14', story)).toContain('POST /messages to prod-b of prod')
  })

  it('is vacuous when none of its processes does anything', () => {
    expect(verdictOf('I14', get('somebody', 'x')).kind).toBe('vacuous')
  })

  it('is not applicable with one environment alone', () => {
    const environments = SETTING.environments.slice(0, 1)
    expect(verdictOf('I14', get('prod-a', 'x'), { environments }).kind).toBe('not-applicable')
  })
})
