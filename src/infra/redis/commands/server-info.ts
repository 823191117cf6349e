/**
 * INFO and TIME: what the server says of itself. Figures that only a real process has (memory, CPU)
 * are fixed numbers, so that two runs say the same. Source of names and order: server.c.
 */
import { error, type Reply } from '../../../wire/resp.ts'
import { type Call, command } from '../command.ts'

const MEMORY_BYTES = 1_048_576

type Section = (call: Call) => readonly (readonly [name: string, value: string | number])[]

const SECTIONS: Readonly<Record<string, Section>> = {
  Server: (call) => {
    const upSeconds = Math.floor((call.clock.nowUs - (call.engine.startedAtUs ?? 0)) / 1_000_000)
    return [
      ['redis_version', '7.0.15'],
      ['redis_git_sha1', '00000000'],
      ['redis_git_dirty', 0],
      ['redis_mode', 'standalone'],
      ['arch_bits', 64],
      ['process_id', 1],
      ['run_id', call.engine.runId],
      ['tcp_port', 6379],
      ['server_time_usec', call.clock.nowUs],
      ['uptime_in_seconds', upSeconds],
      ['uptime_in_days', Math.floor(upSeconds / 86400)],
      ['hz', 10],
      ['configured_hz', 10],
    ]
  },
  Clients: (call) => [
    ['connected_clients', call.engine.sessions.size],
    ['cluster_connections', 0],
    ['maxclients', 10000],
    ['blocked_clients', call.engine.readers.count],
    ['tracking_clients', 0],
  ],
  Memory: () => [
    ['used_memory', MEMORY_BYTES],
    ['used_memory_human', '1.00M'],
    ['used_memory_peak', MEMORY_BYTES],
    ['maxmemory', 0],
    ['maxmemory_human', '0B'],
    ['maxmemory_policy', 'noeviction'],
  ],
  Persistence: () => [
    ['loading', 0],
    ['async_loading', 0],
    ['rdb_changes_since_last_save', 0],
    ['rdb_bgsave_in_progress', 0],
    ['rdb_last_bgsave_status', 'ok'],
    ['aof_enabled', 0],
    ['aof_rewrite_in_progress', 0],
  ],
  Stats: (call) => [
    ['total_connections_received', call.engine.stats.connections],
    ['total_commands_processed', call.engine.stats.commands],
  ],
  Replication: (call) => [
    ['role', 'master'],
    ['connected_slaves', 0],
    ['master_failover_state', 'no-failover'],
    ['master_replid', call.engine.runId],
    ['master_repl_offset', 0],
  ],
  CPU: () => [
    ['used_cpu_sys', '0.000000'],
    ['used_cpu_user', '0.000000'],
  ],
  Cluster: () => [['cluster_enabled', 0]],
  Keyspace: (call) =>
    call.engine.databases
      .filter((db) => db.size > 0)
      .map((db) => [`db${db.index}`, `keys=${db.size},expires=${db.expiringCount()},avg_ttl=0`]),
}

function info(call: Call): Reply {
  const asked = call.args.slice(1).map((bytes) => bytes.toString('latin1').toLowerCase())
  const all = asked.length === 0 || asked.some((n) => ['default', 'all', 'everything'].includes(n))
  const parts: string[] = []
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (!all && !asked.includes(name.toLowerCase())) continue
    const lines = section(call).map(([field, value]) => `${field}:${value}\r\n`)
    parts.push(`# ${name}\r\n${lines.join('')}`)
  }
  return Buffer.from(parts.join('\r\n'), 'latin1')
}

function time(call: Call): Reply {
  const { nowUs } = call.clock
  const seconds = Math.floor(nowUs / 1_000_000)
  return [Buffer.from(String(seconds)), Buffer.from(String(nowUs % 1_000_000))]
}

const DEBUG_REFUSED = error(
  'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you can ' +
    'run it from a local connection, otherwise you need to set this option in the configuration ' +
    'file, and then restart the server.',
)

export const server = [
  command('info', -1, [], null, info),
  command('time', 1, ['fast'], null, time),
  command('debug', -2, ['noscript', 'admin'], null, () => {
    throw DEBUG_REFUSED
  }),
]
