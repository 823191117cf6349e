/**
 * The command line: reads what is asked for, finds lab and target, calls the verb.
 *
 * Answers an exit code, never ends the process: what was written must reach a pipe. A slip is told on
 * stderr (as JSON on stdout with `--json`) and is exit 3, before anything is run or written. Every
 * other error passes through to the launcher: a bug of ours, exit 4.
 */

import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { errorVerdict } from '../judge/grade.ts'
import { makeInk } from '../show/ink.ts'
import { maskAddress } from '../wire/mask-address.ts'
import { type GradingFlags, parseCommand, type Verbs } from './command-line.ts'
import {
  callerFolder,
  chooseArm,
  type Environment,
  readEnvironment,
  variablesForBench,
  wantsColour,
} from './env.ts'
import { grade } from './grade.ts'
import {
  DEFAULT_LAB,
  DEFAULT_REAL_LAB,
  findLab,
  findTarget,
  implicitTarget,
  type LabPlace,
  labAround,
  listLabs,
  loadLab,
  shownFrom,
} from './labs.ts'
import { builtPath, type Layout } from './layout.ts'
import { DEFAULT_SEED, parseCheck, parseSeed } from './options.ts'
import { realRunner, refuseOnRealArm } from './real-arm.ts'
import type { RunFlags } from './run-options.ts'
import { UsageError, usageLine, usageText } from './usage-error.ts'

export interface Outcome {
  readonly exitCode: number
  /** Address of a module for the launcher to import at the end, as if Node had been started with it. */
  readonly program: string | null
}

export async function main(layout: Layout, argv: readonly string[]): Promise<Outcome> {
  keepVerdictWithoutReader()
  const { version } = JSON.parse(readFileSync(join(layout.root, 'package.json'), 'utf8'))
  let session: Session
  try {
    session = new Session(layout)
    await parseCommand(argv, session, version, writeOut)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    if (argv.includes('--json')) writeOut(`${JSON.stringify(errorVerdict(3, usageLine(error)))}\n`)
    else process.stderr.write(usageText(error))
    return { exitCode: 3, program: null }
  }
  return { exitCode: session.exitCode, program: session.program }
}

/** The verbs, for one command. */
class Session implements Verbs {
  readonly #layout: Layout
  /** Where the person stands. */
  readonly #here = currentFolder()
  exitCode: number = 0
  program: string | null = null

  constructor(layout: Layout) {
    this.#layout = layout
  }

  async start(flags: GradingFlags): Promise<void> {
    const environment = readEnvironment()
    if (!environment.selftest) {
      throw new UsageError('The live view is not built yet; the self-check is.', {
        where: 'leaselab start',
        expected: 'SELFTEST=1',
        got: 'SELFTEST is not set',
        next: 'MOCK=1 SELFTEST=1 pnpm start (or, in any shell: pnpm selftest)',
      })
    }
    await this.#selfCheck(environment, flags)
  }

  async selftest(flags: GradingFlags): Promise<void> {
    await this.#selfCheck({ ...readEnvironment(), mock: true, selftest: true }, flags)
  }

  async grade(
    name: string | undefined,
    flags: GradingFlags & { readonly target?: string; readonly check?: string },
  ): Promise<void> {
    const environment = readEnvironment()
    const place =
      name === undefined ? this.#labHere() : findLab(this.#layout, name, 'argument <lab>')
    if (flags.target === undefined) {
      throw new UsageError('Which folder is to be graded?', {
        where: 'option --target',
        expected: 'the folder with your files',
        got: 'nothing',
        next: `pnpm leaselab grade ${place.name} --target ${shownFrom(this.#here, join(place.dir, 'starter'))}`,
      })
    }
    await this.#grade(environment, place, flags.target, 'option --target', flags, flags.check)
  }

  async process(
    name: string,
    args: readonly string[],
    flags: { readonly target?: string },
  ): Promise<void> {
    const { prepareProcess } = await import('./process.ts')
    const place = this.#labHere()
    const lab = await loadLab(this.#layout, place)
    const typed = flags.target ?? implicitTarget(lab, place.dir, this.#here)
    const target = findTarget(lab, place.dir, typed, this.#here, 'option --target')
    this.program = prepareProcess({
      layout: this.#layout,
      lab,
      labDir: place.dir,
      target,
      name,
      args,
    })
  }

  async run(file: string | undefined, args: readonly string[], flags: RunFlags): Promise<void> {
    const { planRun } = await import('./run-options.ts')
    const plan = planRun(file, args, flags, this.#here)
    const { run } = await import('./run.ts')
    const { runWorlds } = await import('../arm/run-worlds.ts')
    this.exitCode = await run(plan, {
      runWorlds,
      worldMain: builtPath(this.#layout, 'src/arm/world-main.ts'),
      out: writeOut,
      err: (text) => void process.stderr.write(text),
    })
  }

  async bench(): Promise<void> {
    const { bench } = await import('./bench.ts')
    const places = {
      root: this.#layout.root,
      worldMain: builtPath(this.#layout, 'src/arm/world-main.ts'),
    }
    const { table, kept } = await bench(places, variablesForBench())
    writeOut(`${table}\n`)
    this.exitCode = kept ? 0 : 1
  }

  async #selfCheck(environment: Environment, flags: GradingFlags): Promise<void> {
    const around = labAround(this.#layout, this.#here)
    const isReal = chooseArm(environment, flags.arm).redisUrl !== null
    const place =
      around ??
      findLab(
        this.#layout,
        environment.lab ?? (isReal ? DEFAULT_REAL_LAB : DEFAULT_LAB),
        environment.lab === null ? 'folder labs' : 'environment variable LAB',
      )
    const lab = await loadLab(this.#layout, place)
    const target = environment.target ?? implicitTarget(lab, place.dir, this.#here)
    await this.#grade(environment, place, target, 'environment variable TARGET', flags)
  }

  async #grade(
    environment: Environment,
    place: LabPlace,
    typedTarget: string,
    targetFrom: string,
    flags: GradingFlags,
    check?: string,
  ): Promise<void> {
    const lab = await loadLab(this.#layout, place)
    const target = findTarget(lab, place.dir, typedTarget, this.#here, targetFrom)
    const { redisUrl, notice } = chooseArm(environment, flags.arm)
    const request = {
      lab,
      labDir: place.dir,
      targetDir: target.dir,
      targetShown: target.shown,
      present: target.present,
      ...(target.parts === undefined ? {} : { parts: target.parts }),
      seed: parseSeed(flags.seed ?? DEFAULT_SEED),
      only: check === undefined ? null : parseCheck(check, lab),
      withoutTogether: flags.together === false,
      redisShown: redisUrl === null ? null : maskAddress(redisUrl),
    }
    if (redisUrl !== null) refuseOnRealArm(lab, flags)
    if (notice !== null) process.stderr.write(`${notice}\n`)
    const { runWorlds } = await import('../arm/run-worlds.ts')
    this.exitCode = await grade(
      request,
      { json: flags.json === true, twice: flags.twice === true },
      {
        runWorlds: redisUrl === null ? runWorlds : await realRunner(redisUrl),
        worldMain: builtPath(this.#layout, 'src/arm/world-main.ts'),
        write: writeOut,
        ink: makeInk(wantsColour(process.stdout.isTTY === true)),
        now: () => performance.now(),
      },
    )
  }

  #labHere(): LabPlace {
    const around = labAround(this.#layout, this.#here)
    if (around !== null) return around
    const names = listLabs(this.#layout).map((lab) => lab.name)
    throw new UsageError('Which lab is meant?', {
      where: 'command line',
      expected: `to stand in a lab's folder, or the name of one: ${names.join(', ')}`,
      got: `no name, in ${this.#here}`,
      next: `pnpm leaselab grade ${names[0] ?? DEFAULT_LAB} --target <folder>`,
    })
  }
}

/** Throws UsageError when the folder is gone from under us. */
function currentFolder(): string {
  try {
    return realpathSync(callerFolder(process.cwd()))
  } catch {
    throw new UsageError('The current folder is not there any more.', {
      where: 'command line',
      expected: 'to be called in a folder that exists',
      got: 'one that was removed or renamed',
      next: 'cd to the repository and call again',
    })
  }
}

/** The exit code is the verdict's, also when nobody reads the report to its end. */
function keepVerdictWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.stderr.write(`The report could not be written: ${error.message}\n`)
    process.exitCode = 4
  })
}

function writeOut(text: string): void {
  process.stdout.write(text)
}
