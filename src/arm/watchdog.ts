/**
 * Watches a world child from outside: is it still getting anywhere, and how much memory has it?
 *
 * A hang is a child from which nothing has come for 5 s of its own CPU time: a loop that never ends.
 * 30 s of wall time without that much CPU is the machine's fault, not the code's. CPU time and memory
 * are read from /proc (Linux) or `ps` (macOS); where neither exists (Windows) wall time stands in for
 * CPU time, three times as long.
 */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const HANG_CPU_MS = 5000
export const STALL_WALL_MS = 30_000
export const MEMORY_LIMIT_BYTES = 600_000_000
const POLL_MS = 200
/** Linux counts CPU time in ticks of 1/100 s on every platform that Node runs on. */
const TICK_MS = 10

export type Alarm =
  | { readonly why: 'hang'; readonly detail: string }
  | { readonly why: 'memory'; readonly detail: string }
  /** The machine did not let it run. */
  | { readonly why: 'machine'; readonly detail: string }

interface Usage {
  readonly cpuMs: number
  readonly residentBytes: number
}

function linuxUsage(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const resident = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]
    const ticks = Number(fields[11]) + Number(fields[12])
    return { cpuMs: ticks * TICK_MS, residentBytes: Number(resident) * 4096 }
  } catch {
    return null
  }
}

function psUsage(pid: number): Usage | null {
  try {
    const text = execFileSync('ps', ['-o', 'time=,rss=', '-p', String(pid)], { encoding: 'utf8' })
    const [time, rss] = text.trim().split(/\s+/)
    const seconds = (time ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
    return { cpuMs: seconds * 1000, residentBytes: Number(rss) * 1024 }
  } catch {
    return null
  }
}

function usageOf(pid: number, wallMs: number): Usage | null {
  if (process.platform === 'linux') return linuxUsage(pid)
  if (process.platform === 'darwin') return psUsage(pid)
  return { cpuMs: wallMs / 3, residentBytes: 0 }
}

/** Polls until stopped; calls `alarm` once at the most. */
export class Watchdog {
  readonly #pid: number
  readonly #alarm: (alarm: Alarm) => void
  readonly #timer: NodeJS.Timeout
  readonly #mayBeQuiet: boolean
  #movedAt = performance.now()
  #cpuAtMove: number | null = null

  /** `quiet`: whether a child that neither says nor computes anything is an alarm (a world must go on). */
  constructor(
    pid: number,
    alarm: (alarm: Alarm) => void,
    quiet: 'quiet is an alarm' | 'quiet is fine' = 'quiet is an alarm',
  ) {
    this.#pid = pid
    this.#mayBeQuiet = quiet === 'quiet is fine'
    this.#alarm = alarm
    this.#timer = setInterval(() => this.#look(), POLL_MS)
  }

  /** Something came from the child. */
  moved(): void {
    this.#movedAt = performance.now()
    this.#cpuAtMove = null
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const stillMs = performance.now() - this.#movedAt
    const usage = usageOf(this.#pid, stillMs)
    if (usage === null) return
    this.#cpuAtMove ??= usage.cpuMs
    const cpuMs = usage.cpuMs - this.#cpuAtMove
    if (usage.residentBytes > MEMORY_LIMIT_BYTES) {
      const megabytes = MEMORY_LIMIT_BYTES / 1e6
      this.#ring({ why: 'memory', detail: `used more than ${megabytes} MB of memory` })
    } else if (cpuMs >= HANG_CPU_MS) {
      const seconds = HANG_CPU_MS / 1000
      this.#ring({
        why: 'hang',
        detail: `computed for ${seconds} s without letting the world go on: a loop that never ends`,
      })
    } else if (stillMs >= STALL_WALL_MS && !this.#mayBeQuiet) {
      const seconds = STALL_WALL_MS / 1000
      this.#ring({
        why: 'machine',
        detail: `the machine gave the run less than ${HANG_CPU_MS / 1000} s of CPU time in ${seconds} s`,
      })
    }
  }

  #ring(alarm: Alarm): void {
    this.stop()
    this.#alarm(alarm)
  }
}
