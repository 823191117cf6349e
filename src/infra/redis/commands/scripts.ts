/** EVAL and its kin, SCRIPT. Source: eval.c. Not here: SCRIPT DEBUG, FUNCTION, FCALL. */
import { error, OK, type Reply } from '../../../wire/resp.ts'
import { type Call, command, container, keyOf, word } from '../command.ts'
import { NO_SCRIPT, NOT_AN_INTEGER } from '../errors.ts'
import { parseInt64 } from '../integers.ts'
import type { ScriptRun } from '../scripting.ts'

const SHA_LENGTH = 40
const TOO_MANY_KEYS = error("ERR Number of keys can't be greater than number of args")
const NEGATIVE_KEYS = error("ERR Number of keys can't be negative")
const FLUSH_MODE = error('ERR SCRIPT FLUSH only support SYNC|ASYNC option')
const NOT_BUSY = error('NOTBUSY No scripts in execution right now.')

function scriptRun(call: Call, readOnly: boolean): ScriptRun {
  const count = parseInt64(call.args[2] as Buffer)
  if (count === null) throw NOT_AN_INTEGER
  if (count > call.args.length - 3) throw TOO_MANY_KEYS
  if (count < 0) throw NEGATIVE_KEYS
  const end = 3 + Number(count)
  return { keys: call.args.slice(3, end), args: call.args.slice(end), readOnly }
}

function evalText(readOnly: boolean) {
  return (call: Call): Reply => {
    const run = scriptRun(call, readOnly)
    return call.engine.scripts.eval(call.args[1] as Buffer, call.session, run)
  }
}

function evalSha(readOnly: boolean) {
  return (call: Call): Reply => {
    const sha = keyOf(call)
    if (sha.length !== SHA_LENGTH) throw NO_SCRIPT
    return call.engine.scripts.evalSha(sha, call.session, scriptRun(call, readOnly))
  }
}

function exists(call: Call): Reply {
  return call.args.slice(2).map((sha) => (call.engine.scripts.has(sha.toString('latin1')) ? 1 : 0))
}

function flush(call: Call): Reply {
  const { args } = call
  if (args.length > 3) throw FLUSH_MODE
  if (args.length === 3 && !['sync', 'async'].includes(word(args[2]))) throw FLUSH_MODE
  call.engine.scripts.flush()
  return OK
}

export const scripts = [
  command('eval', -3, ['noscript'], 'numkeys', evalText(false)),
  command('evalsha', -3, ['noscript'], 'numkeys', evalSha(false)),
  command('eval_ro', -3, ['noscript', 'readonly'], 'numkeys', evalText(true)),
  command('evalsha_ro', -3, ['noscript', 'readonly'], 'numkeys', evalSha(true)),
  container('script', [
    command('load', 3, ['noscript'], null, (call) => {
      return Buffer.from(call.engine.scripts.load(call.args[2] as Buffer), 'latin1')
    }),
    command('exists', -3, ['noscript'], null, exists),
    command('flush', -2, ['noscript'], null, flush),
    command('kill', 2, ['noscript'], null, () => {
      throw NOT_BUSY
    }),
  ]),
]
