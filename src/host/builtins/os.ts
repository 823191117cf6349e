/**
 * `node:os` of one process: a small Linux container, the same on every machine.
 *
 * Two processors and 512 MiB; the host name is the process's name, `uptime` is the world's clock.
 */

import * as real from 'node:os'
import type { HostContext } from '../context.ts'

const TOTAL_BYTES = 536_870_912
const CPU = { model: 'virtual', speed: 2400 }

export function makeOs(context: HostContext): object {
  const { name } = context
  const cpus = () =>
    [0, 1].map(() => ({ ...CPU, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }))
  const os = {
    EOL: '\n',
    devNull: '/dev/null',
    constants: structuredCloneOf(real.constants),
    arch: () => 'x64',
    availableParallelism: () => 2,
    cpus,
    endianness: () => 'LE',
    freemem: () => TOTAL_BYTES / 2,
    getPriority: (_pid?: number) => 0,
    homedir: () => context.env.HOME ?? '/root',
    hostname: () => name,
    loadavg: () => [0, 0, 0],
    machine: () => 'x86_64',
    networkInterfaces: () => ({
      lo: [interfaceOf('127.0.0.1', '255.0.0.0', 8, true)],
      eth0: [interfaceOf(context.network.addHost(name), '255.255.255.0', 24, false)],
    }),
    platform: () => 'linux',
    release: () => '6.1.0',
    setPriority: (..._args: unknown[]) =>
      context.unsupported('os.setPriority', 'Time is divided by the world alone.'),
    tmpdir: () => '/tmp',
    totalmem: () => TOTAL_BYTES,
    type: () => 'Linux',
    uptime: () => Math.floor(context.readClockUs() / 10_000) / 100,
    userInfo: (_options?: unknown) => ({
      uid: 0,
      gid: 0,
      username: 'root',
      homedir: '/root',
      shell: '/bin/sh',
    }),
    version: () => '#1 SMP',
  }
  return os
}

function interfaceOf(address: string, netmask: string, bits: number, internal: boolean): object {
  const mac = internal ? '00:00:00:00:00:00' : '02:42:0a:00:00:01'
  return { address, netmask, family: 'IPv4', mac, internal, cidr: `${address}/${bits}` }
}

function structuredCloneOf(constants: object): object {
  return Object.fromEntries(
    Object.entries(constants).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? { ...value } : value,
    ]),
  )
}
