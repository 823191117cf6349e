/** CONFIG GET over a small fixed table, with the values of a Redis 7.0 that persists nothing. */
import { OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command, container } from '../command.ts'
import { globMatches } from '../glob.ts'

export const SETTINGS: Readonly<Record<string, string>> = {
  maxmemory: '0',
  'maxmemory-policy': 'noeviction',
  save: '',
  appendonly: 'no',
  appendfsync: 'everysec',
  databases: '16',
  timeout: '0',
  'tcp-keepalive': '300',
  'notify-keyspace-events': '',
  'stream-node-max-entries': '100',
  'stream-node-max-bytes': '4096',
  'proto-max-bulk-len': '536870912',
}

function get(call: Call): Reply {
  const found = new Map<string, string>()
  for (const bytes of call.args.slice(2)) {
    const asked = bytes.toString('latin1')
    const pattern = asked.toLowerCase()
    const value = Object.hasOwn(SETTINGS, pattern) ? SETTINGS[pattern] : undefined
    if (value !== undefined) found.set(asked, value)
    else if (/[*?[]/.test(pattern)) {
      for (const [name, set] of Object.entries(SETTINGS)) {
        if (globMatches(pattern, name)) found.set(name, set)
      }
    }
  }
  return [...found].flatMap(([name, value]) => [Buffer.from(name, 'latin1'), Buffer.from(value)])
}

export const config = [
  container('config', [
    command('get', -3, ['noscript', 'admin'], null, get),
    command('resetstat', 2, ['noscript', 'admin'], null, (call) => {
      call.engine.stats.commands = 0
      call.engine.stats.connections = 0
      return OK
    }),
  ]),
]
