/**
 * The packages that are run unmodified in a world, and how: the programs of each, what happens to
 * them, and which one decides. A case is good when that program ends with code 0, its last line is
 * `ok`, and nobody has written to stderr. Times are virtual ms.
 */

const killed = (process, fromMs, toMs) => [
  { atMs: fromMs, process, verb: 'signal', signal: 'SIGKILL' },
  { atMs: toMs, process, verb: 'start' },
]

export const CASES = [
  {
    name: 'ioredis',
    packages: ['ioredis'],
    redis: true,
    programs: { door: 'door.mjs', client: 'ioredis.mjs' },
    decides: 'client',
    verbs: killed('door', 5000, 8000),
  },
  {
    name: 'hono',
    packages: ['hono', '@hono/node-server'],
    programs: { server: 'hono-server.mjs', client: 'hono-client.mjs' },
    decides: 'client',
    verbs: killed('server', 5000, 7000),
  },
  {
    name: 'undici',
    packages: ['undici'],
    programs: { server: 'http-server.mjs', client: 'undici.mjs' },
    decides: 'client',
    verbs: killed('server', 20_000, 23_000),
  },
  {
    name: 'pg',
    packages: ['pg'],
    programs: { server: 'postgres-server.mjs', client: 'pg.mjs' },
    decides: 'client',
    verbs: killed('server', 10_000, 12_000),
  },
  {
    name: 'prom-client',
    packages: ['prom-client'],
    programs: { server: 'prom-server.mjs', client: 'prom-scrape.mjs' },
    decides: 'client',
    verbs: killed('server', 5000, 7000),
  },
  {
    name: 'pino',
    packages: ['pino'],
    programs: { collector: 'pino-collector.mjs', client: 'pino.mjs' },
    decides: 'collector',
    verbs: killed('client', 5000, 6000),
  },
]
