import type { Family } from '../case.ts'
import { hashes } from './hashes.ts'
import { keys } from './keys.ts'
import { luaNumbers } from './lua-numbers.ts'
import { oddCalls } from './odd-calls.ts'
import { presence } from './presence.ts'
import { scriptEdges } from './script-edges.ts'
import { scripts } from './scripts.ts'
import { sessions } from './sessions.ts'
import { streamIds } from './stream-ids.ts'
import { streams } from './streams.ts'
import { strings } from './strings.ts'

export const FAMILIES: readonly Family[] = [
  strings,
  keys,
  hashes,
  streams,
  streamIds,
  scripts,
  scriptEdges,
  luaNumbers,
  sessions,
  oddCalls,
  presence,
]
