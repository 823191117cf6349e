/**
 * Prints where `shardOf` puts the users `u-1000` … `u-2999`, a hundred to a line, and a few single ids
 * that show whether bytes, byte order and modulus are as agreed, some of them drawn by lot.
 */

import { randomInt } from 'node:crypto'
import { say } from 'agent-30days-shared/log.ts'
import { SHARD_COUNT, shardOf } from '#exercises/shard.ts'
import { checkShard } from './contract.ts'

const place = (userId: string) => checkShard(shardOf(userId), SHARD_COUNT, userId)

say('shard.count', { count: SHARD_COUNT })
const drawn = Array.from({ length: 20 }, () => `user-${randomInt(1_000_000_000)}`)
for (const userId of ['u-1001', 'u-1059', 'u-2077', 'u-3310', 'ü-1', '用户-7', ...drawn]) {
  say('shard', { userId, shard: place(userId) })
}
for (let first = 1000; first < 3000; first += 100) {
  const shards = Array.from({ length: 100 }, (_, i) => place(`u-${first + i}`))
  say('shards', { first, shards })
}
