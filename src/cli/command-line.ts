/**
 * The command line's grammar: verbs, options, help. What the verbs do is handed in.
 *
 * Commander parses; its complaints come out as UsageErrors like every other slip, and it never ends
 * the process itself.
 */

import { Command, CommanderError } from 'commander'
import type { RunFlags } from './run-options.ts'
import { didYouMean } from './suggest.ts'
import { UsageError } from './usage-error.ts'

export interface GradingFlags {
  readonly seed?: string
  readonly json?: boolean
  readonly twice?: boolean
  readonly arm?: string
  /** False with `--no-together`. */
  readonly together?: boolean
}

export interface GradeFlags extends GradingFlags {
  readonly target?: string
  readonly check?: string
}

export interface ProcessFlags {
  readonly target?: string
}

export interface Verbs {
  start(flags: GradingFlags): Promise<void>
  selftest(flags: GradingFlags): Promise<void>
  grade(lab: string | undefined, flags: GradeFlags): Promise<void>
  process(program: string, args: readonly string[], flags: ProcessFlags): Promise<void>
  run(file: string | undefined, args: readonly string[], flags: RunFlags): Promise<void>
  bench(): Promise<void>
}

const EXIT_CODES = `
Exit codes: 0 all checks held · 1 some violated · 2 some inconclusive, none violated ·
            3 usage · 4 a bug in leaselab itself`

/** Parses and carries out one command. `write` gets what help and --version print. */
export async function parseCommand(
  argv: readonly string[],
  verbs: Verbs,
  version: string,
  write: (text: string) => void,
): Promise<void> {
  const program = new Command('leaselab')
    .description('Grades labs on distributed coordination in a deterministic, simulated world.')
    .version(version)
    .addHelpText('after', EXIT_CODES)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
  const graded = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--seed <n>', 'all chance comes from this number', once('--seed'))
      .option('--json', 'print the verdict as JSON and nothing else')
      .option('--twice', 'run every world twice; a difference is a bug of ours (exit 4)')
      .option('--no-together', 'leave out the ungraded run with all files together')
      .option('--arm <arm>', 'sim: in memory; real: child processes, with REDIS_URL', once('--arm'))
  graded('start', 'with SELFTEST=1: grade the lab and folder that one stands in').action(
    (flags: GradingFlags) => verbs.start(flags),
  )
  graded('selftest', 'MOCK=1 SELFTEST=1 start, for shells that cannot write it so').action(
    (flags: GradingFlags) => verbs.selftest(flags),
  )
  graded('grade', "grade a folder with one's own solutions")
    .argument('[lab]', 'name of the lab; may be left out within its folder')
    .option('--target <folder>', 'the folder to grade', once('--target'))
    .option('--check <n>', 'only this check', once('--check'))
    .action((lab: string | undefined, flags: GradeFlags) => verbs.grade(lab, flags))
  program
    .command('process')
    .description("run one of a lab's programs as an ordinary Node process, for real")
    .argument('<program>', 'e.g. worker; the lab is the one whose folder one stands in')
    .argument('[args...]', 'for the program')
    .option('--target <folder>', "the folder with the exercises' files")
    .passThroughOptions()
    .action((name: string, args: readonly string[], flags: ProcessFlags) =>
      verbs.process(name, args, flags),
    )
  program
    .command('run')
    .description('run a Node program in a world of its own, with a Redis behind REDIS_URL')
    .argument('[file]', 'JavaScript or TypeScript; left out with --process')
    .argument('[args...]', 'for the program; its own options after --')
    .option('--process <name=file>', 'one of several programs (repeatable)', collect)
    .option('--seed <n>', 'all chance comes from this number', once('--seed'))
    .option('--until <time>', 'virtual time at the most: 500ms, 60s, 2m', once('--until'))
    .option('--env <K=V>', 'a variable; process:K=V for one process (repeatable)', collect)
    .option('--freeze <fault>', 'worker-a@12s+35s: at 12 s, for 35 s (repeatable)', collect)
    .option('--kill <fault>', 'worker-a@20s: SIGKILL (repeatable)', collect)
    .option('--term <fault>', 'worker-a@20s: SIGTERM (repeatable)', collect)
    .option('--restart <fault>', 'worker-a@20s: SIGKILL and a new life (repeatable)', collect)
    .option('--trace <file>', 'write what happened as JSON lines', once('--trace'))
    .option('--inspect', 'wait for a debugger before the world begins')
    .action((file: string | undefined, args: readonly string[], flags: RunFlags) => {
      refuseSecond(argv, '--inspect')
      return verbs.run(file, args, flags)
    })
  program
    .command('bench')
    .description('measure the laboratory on this machine')
    .action(() => verbs.bench())
  if (argv.length === 0) {
    write(program.helpInformation() + EXIT_CODES.concat('\n'))
    return
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw asUsageError(error, program, argv)
  }
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** An option that may be given once. */
function once(option: string): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before !== undefined) throw givenTwice(option, `${before} and ${value}`)
    return value
  }
}

function refuseSecond(argv: readonly string[], option: string): void {
  const end = argv.indexOf('--')
  const ours = end < 0 ? argv : argv.slice(0, end)
  if (ours.filter((word) => word === option).length > 1) throw givenTwice(option, 'it twice')
}

function givenTwice(option: string, got: string): UsageError {
  return new UsageError(`${option} is given twice.`, {
    where: `option ${option}`,
    expected: 'it once, or not at all',
    got,
    next: 'call again and give it once',
  })
}

function asUsageError(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): UsageError {
  const verb = program.commands.find((command) => command.name() === argv[0])
  const got = ['leaselab', ...argv].join(' ')
  const help = verb ? `pnpm leaselab ${verb.name()} --help` : 'pnpm leaselab --help'
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? ''
  if (error.code === 'commander.unknownCommand') {
    const verbs = program.commands.map((command) => command.name())
    return new UsageError(`There is no command ${quoted}.${didYouMean(quoted, verbs)}`, {
      where: 'command line',
      expected: `one of: ${verbs.join(', ')}`,
      got,
      next: help,
    })
  }
  if (error.code === 'commander.unknownOption') {
    const options = (verb ?? program).options.flatMap((option) => option.long ?? [])
    return new UsageError(`There is no option ${quoted}.${didYouMean(quoted, options)}`, {
      where: `command line${verb ? `, ${verb.name()}` : ''}`,
      expected: options.length === 0 ? 'no options' : `one of: ${options.join(', ')}`,
      got,
      next: help,
    })
  }
  const said = error.message.replace(/^error: /, '').split('\n')[0] ?? ''
  return new UsageError(`${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}.`, {
    where: `command line${verb ? `, ${verb.name()}` : ''}`,
    expected: `leaselab ${verb ? `${verb.name()} ${verb.usage()}` : program.usage()}`,
    got,
    next: help,
  })
}
