/**
 * Counts the rounds of loops: puts a call at the head of every loop body of a program's own files.
 *
 * A loop that never ends is then found by its rounds, which are the same on every machine, and named
 * by its line. Lines stay; what stands behind the head of a loop on the same line moves to the right.
 * A round that awaits costs more than one that does not. Packages are left as they are, and so is
 * text that the parser does not read (V8 says what is wrong with it, or the watchdog ends it).
 */

import { createRequire } from 'node:module'
import { cached } from '../text-cache.ts'

/** The global that is called at each round, with the site and the round's cost. */
export const ROUND = '__leaselabRound'

/** A round with an `await` takes that many times as long as an empty one, or more. */
const AWAIT_COST = 20

export interface LoopSite {
  readonly file: string
  /** From 1. */
  readonly line: number
}

const sites: LoopSite[] = []

export function loopSite(id: number): LoopSite | undefined {
  return sites[id]
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Parser {
  parse(code: string, options: object): Node
}

const LOOP_WORD = /\b(?:for|while|do)\b/
const LOOPS: ReadonlySet<string> = new Set([
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
])

let parser: Parser | null = null

/** Part of every key of the cache: how loops are looked for. */
const FINDER = 'loops 1, acorn 8'

/** A loop as found: its body, whether that is a block, and a round's cost. Offsets in characters. */
type Loop = readonly [
  start: number,
  bodyStart: number,
  bodyEnd: number,
  isBlock: 0 | 1,
  cost: number,
]

let enabled = true

/** Switched off only to measure what it costs. Holds for files that were not compiled before. */
export function setLoopCounting(on: boolean): void {
  enabled = on
}

/** JavaScript in, JavaScript out. `path` names the file in what is told of an endless loop. */
export function withRoundsCounted(code: string, path: string, isModule: boolean): string {
  if (!enabled || path.includes('/node_modules/') || !LOOP_WORD.test(code)) return code
  const pieces: { readonly at: number; readonly text: string }[] = []
  for (const [start, bodyStart, bodyEnd, isBlock, cost] of loopsOf(code, isModule)) {
    const call = `${ROUND}(${siteAt(code, path, start)},${cost});`
    if (isBlock) pieces.push({ at: bodyStart + 1, text: call })
    else pieces.push({ at: bodyStart, text: `{${call}` }, { at: bodyEnd, text: '}' })
  }
  pieces.sort((a, b) => a.at - b.at)
  let out = ''
  let from = 0
  for (const { at, text } of pieces) {
    out += code.slice(from, at) + text
    from = at
  }
  return out + code.slice(from)
}

/** Those of a text, outer ones first; none of a text that the parser does not read. */
function loopsOf(code: string, isModule: boolean): readonly Loop[] {
  const found = cached(`${FINDER} ${isModule ? 'module' : 'script'}`, code, () =>
    JSON.stringify(findLoops(code, isModule)),
  )
  return JSON.parse(found) as readonly Loop[]
}

function findLoops(code: string, isModule: boolean): readonly Loop[] {
  parser ??= createRequire(import.meta.url)('acorn') as Parser
  let tree: Node
  try {
    tree = parser.parse(code, {
      ecmaVersion: 'latest',
      sourceType: isModule ? 'module' : 'script',
      allowReturnOutsideFunction: !isModule,
      allowHashBang: true,
    })
  } catch {
    return []
  }
  const loops: Loop[] = []
  visit(tree, (loop) => {
    const body = loop.body as Node
    const isBlock = body.type === 'BlockStatement' ? 1 : 0
    loops.push([loop.start, body.start, body.end, isBlock, awaits(loop) ? AWAIT_COST : 1])
  })
  return loops
}

function siteAt(code: string, path: string, at: number): number {
  let line = 1
  for (let k = code.indexOf('\n'); k !== -1 && k < at; k = code.indexOf('\n', k + 1)) line += 1
  return sites.push({ file: path, line }) - 1
}

function visit(node: Node, onLoop: (loop: Node) => void): void {
  if (LOOPS.has(node.type)) onLoop(node)
  for (const child of childrenOf(node)) visit(child, onLoop)
}

/** Whether a round of the loop itself awaits, not a function made in it. */
function awaits(node: Node): boolean {
  if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await === true)) {
    return true
  }
  return childrenOf(node).some((child) => !/Function|Class/.test(child.type) && awaits(child))
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}
