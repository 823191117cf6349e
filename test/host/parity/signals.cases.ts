/**
 * A signal sent from outside to a program that has printed `up`, as an ordinary process and as PID 1.
 * SIGKILL of PID 1 is not among them: `unshare` then ends with a code of its own.
 */

import type { ParityCase } from './case.ts'

const LATER = `setTimeout(() => { console.log('survived'); process.exit(0) }, 400); console.log('up')`

export const SIGNALS: readonly ParityCase[] = [
  ...['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'].map((signal) => ({
    claim: `${signal} without a handler ends an ordinary process`,
    source: LATER,
    signal,
  })),
  ...['SIGTERM', 'SIGINT', 'SIGUSR2'].map((signal) => ({
    claim: `${signal} with a handler runs it and ends nothing`,
    source: `process.on('${signal}', (name) => console.log('got', name)); ${LATER}`,
    signal,
  })),
  {
    claim: 'SIGKILL ends a process whatever it handles',
    source: `process.on('SIGTERM', () => console.log('no')); process.on('exit', () => console.log('no')); ${LATER}`,
    signal: 'SIGKILL',
  },
  {
    claim: 'SIGCHLD and SIGWINCH without a handler are ignored',
    source: LATER,
    signal: 'SIGWINCH',
  },
  {
    claim: 'a handler of SIGTERM drains for a while and chooses the exit code',
    source: `process.once('SIGTERM', async () => { console.log('draining'); await new Promise((f) => setTimeout(f, 20)); console.log('drained'); process.exitCode = 7; clearTimeout(t) }); const t = setTimeout(() => {}, 5000); console.log('up')`,
    signal: 'SIGTERM',
  },
  {
    claim: 'a handler that is removed leaves the default',
    source: `const h = () => console.log('no'); process.on('SIGTERM', h); process.off('SIGTERM', h); ${LATER}`,
    signal: 'SIGTERM',
  },
  ...['SIGTERM', 'SIGINT', 'SIGUSR2'].map((signal) => ({
    claim: `PID 1: ${signal} without a handler is ignored`,
    source: `console.error(process.pid); ${LATER}`,
    signal,
    isPid1: true,
  })),
  {
    claim: 'PID 1: SIGTERM reaches a handler',
    source: `process.on('SIGTERM', (name) => { console.log(name, process.pid); process.exit(3) }); ${LATER}`,
    signal: 'SIGTERM',
    isPid1: true,
  },
]
