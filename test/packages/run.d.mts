import type { PackageCase } from './cases.mjs'

export interface CaseResult {
  readonly versions: readonly string[]
  /** Null when the case is good. */
  readonly problem: string | null
  readonly digest: string
  readonly virtualMs: number
  readonly realMs: number
}

export const PROGRAMS: string
export function runCase(tested: PackageCase, folder?: string, seed?: string): Promise<CaseResult>
export function manifestOf(
  name: string,
  dir: string,
): { readonly version: string; readonly engines?: { readonly node?: string } }
export function problemOf(
  decides: string,
  events: readonly object[],
  end: { readonly why: string },
): string | null
