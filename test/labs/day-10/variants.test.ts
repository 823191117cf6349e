/**
 * Wrong solutions that look right, and right ones that look different: each check must tell them
 * apart. One file of the solution is replaced, and only its own check is run.
 */

import { beforeAll, describe, expect, it } from 'vitest'
import lab from '../../../labs/agent-30days/day-10-sharding-lease/lab.ts'
import type { CheckVerdict } from '../../../src/judge/verdict.ts'
import { type Variant, verdictsOnVariants } from '../worlds.ts'

const LEASE_HEAD = `import { fenceCounter, leaseKey, leaseValue } from './keys.ts'
export async function tryAcquire(redis, shard, workerId, ttlMs) {
const key = leaseKey(shard)
`
const lease = (what: string, body: string): Variant => {
  return { check: 2, what, file: 'lease.ts', source: `${LEASE_HEAD}${body}\n}\n` }
}

const renewal = (what: string, script: string, body?: string): Variant => {
  const send = 'return await redis.eval(RENEW_SCRIPT, 1, key, mine, ttlMs)'
  const source = `import { leaseKey, leaseValue } from './keys.ts'
export const RENEW_SCRIPT = \`${script}\`
export async function renew(redis, shard, workerId, token, ttlMs) {
const key = leaseKey(shard)
const mine = leaseValue(workerId, token)
${body ?? send}
}
`
  return { check: 3, what, file: 'renew.ts', source }
}

const shardWork = (what: string, body: string): Variant => {
  const source = `export async function processShard(entries, handle) {\n${body}\n}\n`
  return { check: 4, what, file: 'worker.ts', source }
}

const fence = (what: string, body: string): Variant => {
  const source = `const seen = new Map()\nexport async function appendMessage(tx, write) {
const highestToken = await tx.highestToken(write.shard)
${body}
return (await tx.insertMessage(write)) ? { kind: 'accepted' } : { kind: 'duplicate' }
}
`
  return { check: 5, what, file: 'store.ts', source }
}

const GET = `redis.call('GET', KEYS[1])`
const EXTEND = `return redis.call('PEXPIRE', KEYS[1], ARGV[2])`
const NX = `(await redis.set(key, leaseValue(workerId, token), 'PX', ttlMs, 'NX')) === 'OK' ? { token } : null`

const spread = (what: string, source: string): Variant => {
  return { check: 1, what, file: 'shard.ts', source }
}

const RIGHT_SHARD = "createHash('sha1').update(userId).digest().readUInt32BE(0) % 256"
const HASH = "import { createHash } from 'node:crypto'\n"

const WRONG: readonly Variant[] = [
  spread(
    'another count, announced as the right one',
    `${HASH}console.log('{"event":"shard.count","count":256}')\nexport const SHARD_COUNT = 1024\nexport const shardOf = (userId) => ${RIGHT_SHARD}\n`,
  ),
  spread(
    'a report printed at the exit',
    `${HASH}export const SHARD_COUNT = 256\nconst right = (userId) => ${RIGHT_SHARD}\nprocess.on('exit', () => {\nfor (let n = 1000; n < 3000; n += 1) console.log(JSON.stringify({ event: 'shard', userId: 'u-' + n, shard: right('u-' + n) }))\n})\nexport const shardOf = () => 1\n`,
  ),
  spread(
    'a table of the ids that are always asked',
    `${HASH}export const SHARD_COUNT = 256\nexport const shardOf = (userId) => (/^u-\\d{4}$|^ü-1$|^用户-7$/.test(userId) ? ${RIGHT_SHARD} : 0)\n`,
  ),

  lease('one token for all', `const token = 1\nreturn ${NX}`),
  lease('a random token', `const token = Math.floor(Math.random() * 1e9)\nreturn ${NX}`),
  lease('the clock as token', `const token = Date.now()\nreturn ${NX}`),
  lease(
    'a counter per process',
    `globalThis.n = (globalThis.n ?? 0) + 1\nconst token = globalThis.n\nreturn ${NX}`,
  ),
  lease(
    'GET and SET of the counter',
    `const token = Number(await redis.get(fenceCounter(shard))) + 1\nawait redis.set(fenceCounter(shard), token)\nreturn ${NX}`,
  ),
  lease(
    'the counter put back after losing',
    `const token = await redis.incr(fenceCounter(shard))\nconst won = ${NX}\nif (!won) await redis.decr(fenceCounter(shard))\nreturn won`,
  ),
  lease(
    'a look first and a SET without NX',
    `const token = await redis.incr(fenceCounter(shard))\nif (await redis.exists(key)) return null\nawait redis.set(key, leaseValue(workerId, token), 'PX', ttlMs)\nreturn { token }`,
  ),
  lease(
    'a loser that lengthens the winner’s lease',
    `const token = await redis.incr(fenceCounter(shard))\nconst won = ${NX}\nif (!won) await redis.pexpire(key, ttlMs + 5000)\nreturn won`,
  ),
  lease(
    'nine tenths of the time',
    `const token = await redis.incr(fenceCounter(shard))\nttlMs *= 0.92\nreturn ${NX}`,
  ),

  renewal('nothing but 0', 'return 0'),
  renewal('a comparison that extends nothing', `if ${GET} == ARGV[1] then return 1 end return 0`),
  renewal(
    'one millisecond',
    `if ${GET} == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], 1) end return 0`,
  ),
  renewal(
    'seconds for milliseconds',
    `if ${GET} == ARGV[1] then return redis.call('EXPIRE', KEYS[1], ARGV[2]) end return 0`,
  ),
  renewal(
    'a lease for ever',
    `if ${GET} == ARGV[1] then redis.call('PERSIST', KEYS[1]) return 1 end return 0`,
  ),
  renewal(
    'a lease removed',
    `if ${GET} == ARGV[1] then redis.call('DEL', KEYS[1]) return 1 end return 0`,
  ),
  renewal(
    'an owner without a token',
    `local v = ${GET} if v and string.match(v, '^[^|]+') == string.match(ARGV[1], '^[^|]+') then ${EXTEND} end return 0`,
  ),
  renewal(
    'arguments the wrong way round',
    `if ${GET} == ARGV[2] then return redis.call('PEXPIRE', KEYS[1], ARGV[1]) end return 0`,
  ),
  renewal(
    'a lapsed lease brought back',
    `local v = ${GET} if not v or v == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end return 0`,
  ),
  renewal(
    '0 whatever the script says',
    `if ${GET} == ARGV[1] then ${EXTEND} end return 0`,
    'await redis.eval(RENEW_SCRIPT, 1, key, mine, ttlMs)\nreturn 0',
  ),
  renewal(
    'a comparison by script and an extension behind it',
    `if ${GET} == ARGV[1] then return 1 end return 0`,
    'if ((await redis.eval(RENEW_SCRIPT, 1, key, mine)) !== 1) return 0\nreturn redis.pexpire(key, ttlMs)',
  ),
  renewal(
    'two scripts',
    `if ${GET} == ARGV[1] then return 1 end return 0`,
    `if ((await redis.eval(RENEW_SCRIPT, 1, key, mine)) !== 1) return 0\nreturn redis.eval("return redis.call('PEXPIRE', KEYS[1], ARGV[1])", 1, key, ttlMs)`,
  ),

  shardWork(
    'a pause in place of the end',
    'let last\nfor (const entry of entries) {\nlast = handle(entry)\nawait new Promise((resolve) => setTimeout(resolve, 650))\n}\nawait last',
  ),
  shardWork(
    'starts one after the other',
    'await Promise.all(entries.map(async (entry, n) => {\nawait new Promise((resolve) => setTimeout(resolve, n * 700))\nawait handle(entry)\n}))',
  ),
  shardWork(
    'a race with a timeout',
    'for (const entry of entries) await Promise.race([handle(entry), new Promise((resolve) => setTimeout(resolve, 800))])',
  ),
  shardWork(
    'the last two side by side',
    'for (const entry of entries.slice(0, -2)) await handle(entry)\nawait Promise.all(entries.slice(-2).map(handle))',
  ),
  shardWork(
    'users side by side',
    'const lanes = new Map()\nfor (const entry of entries) lanes.set(entry.userId, [...(lanes.get(entry.userId) ?? []), entry])\nawait Promise.all([...lanes.values()].map(async (lane) => {\nfor (const entry of lane) await handle(entry)\n}))',
  ),
  shardWork(
    'failures swallowed',
    'for (const entry of entries) {\ntry {\nawait handle(entry)\n} catch {}\n}',
  ),
  shardWork(
    'a second try',
    'for (const entry of entries) {\ntry {\nawait handle(entry)\n} catch {\nawait handle(entry)\n}\n}',
  ),

  fence(
    'tokens as text',
    `if (String(write.token) < String(highestToken)) return { kind: 'refused', highestToken }\nawait tx.raiseToken(write.shard, Math.max(write.token, highestToken))`,
  ),
  fence(
    'only the one before is refused',
    `if (write.token === highestToken - 1) return { kind: 'refused', highestToken }\nif (write.token > highestToken) await tx.raiseToken(write.shard, write.token)`,
  ),
  fence(
    'an equal token is refused',
    `if (write.token <= highestToken) return { kind: 'refused', highestToken }\nawait tx.raiseToken(write.shard, write.token)`,
  ),
  fence(
    'nothing is remembered',
    `if (write.token < highestToken) return { kind: 'refused', highestToken }`,
  ),
  fence(
    'another token is written',
    `if (write.token < highestToken) return { kind: 'refused', highestToken }\nawait tx.raiseToken(write.shard, write.token)\nwrite = { ...write, token: 0 }`,
  ),
  fence(
    'another text is written',
    `if (write.token < highestToken) return { kind: 'refused', highestToken }\nawait tx.raiseToken(write.shard, write.token)\nwrite = { ...write, body: 'x', seq: write.seq + 100 }`,
  ),
  fence(
    'a refusal without the token',
    `if (write.token < highestToken) return { kind: 'refused' }\nawait tx.raiseToken(write.shard, write.token)`,
  ),
  fence(
    'one fence for all shards',
    `const top = seen.get('all') ?? 0\nif (write.token < Math.max(top, highestToken)) return { kind: 'refused', highestToken: Math.max(top, highestToken) }\nseen.set('all', write.token)\nawait tx.raiseToken(write.shard, write.token)`,
  ),
]

const RIGHT: readonly Variant[] = [
  spread(
    'the number put together by hand',
    `${HASH}export const SHARD_COUNT = 256\nexport function shardOf(userId) {\nconst [a, b, c, d] = createHash('sha1').update(Buffer.from(userId)).digest()\nreturn (((a * 256 + b) * 256 + c) * 256 + d) % SHARD_COUNT\n}\n`,
  ),
  lease(
    'INCR, then SET NX PX',
    `const token = await redis.incr(fenceCounter(shard))\nreturn ${NX}`,
  ),
  lease(
    'SET NX EX',
    `const token = await redis.incr(fenceCounter(shard))\nreturn (await redis.set(key, leaseValue(workerId, token), 'EX', ttlMs / 1000, 'NX')) === 'OK' ? { token } : null`,
  ),
  lease(
    'a script that sets with redis.call and small letters',
    `const token = await redis.eval("local t = redis.call('incr', KEYS[2]) if redis.call('set', KEYS[1], ARGV[1] .. '|' .. t, 'px', ARGV[2], 'nx') then return t end return 0", 2, key, fenceCounter(shard), workerId, ttlMs)\nreturn token ? { token } : null`,
  ),
  renewal(
    'SET XX in a script',
    `if ${GET} == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'XX') return 1 end return 0`,
  ),
  renewal(
    'by EVALSHA',
    `if ${GET} == ARGV[1] then ${EXTEND} end return 0`,
    `redis.defineCommand('renewLease', { numberOfKeys: 1, lua: RENEW_SCRIPT })\nreturn redis.renewLease(key, mine, ttlMs)`,
  ),
  renewal(
    'WATCH and MULTI on a connection of its own',
    'return 0',
    `const own = redis.duplicate()\ntry {\nawait own.watch(key)\nif ((await own.get(key)) !== mine) return 0\nconst done = await own.multi().pexpire(key, ttlMs).exec()\nreturn done === null ? 0 : done[0][1]\n} finally {\nown.disconnect()\n}`,
  ),
  shardWork('a list that is used up', 'while (entries.length > 0) await handle(entries.shift())'),
  shardWork(
    'a chain by reduce',
    'await entries.reduce((before, entry) => before.then(() => handle(entry)), Promise.resolve())',
  ),
  shardWork(
    'for await over a generator',
    'async function* each() {\nyield* entries\n}\nfor await (const entry of each()) await handle(entry)',
  ),
  fence(
    'raise only when larger',
    `if (write.token < highestToken) return { kind: 'refused', highestToken }\nif (write.token > highestToken) await tx.raiseToken(write.shard, write.token)`,
  ),
]

describe.each([
  ['a wrong solution is violated', WRONG, 'violated'],
  ['a right solution holds', RIGHT, 'held'],
] as const)('%s', (_, variants, status) => {
  let found: readonly CheckVerdict[] = []

  beforeAll(async () => {
    found = await verdictsOnVariants(lab, variants)
  }, 240_000)

  it.each(variants.map(({ check, what }, n) => [check, what, n] as const))(
    'check %i: %s',
    (_, __, n) => {
      const { status: got, got: figures, hint } = found[n]!
      expect({ status: got, figures: got === status ? '' : figures }).toEqual({
        status,
        figures: '',
      })
      if (status === 'violated') expect(hint).not.toBeNull()
    },
  )
})
