/**
 * Where the files of a run lie, as arm and host must both know it.
 */

/** A lab that a run takes pieces from. Its files stay as they are: inside it `#exercises/x.ts` is its own. */
export interface Part {
  /** Stands in front of its modules: `<name>/<file>`. */
  readonly name: string
  /** The lab's own folder, with the programs that its exercises belong to. */
  readonly labDir: string
  readonly exerciseDirs: readonly string[]
  readonly targetDir: string
}

/** Where the files of a run lie. All paths absolute. */
export interface ProgramFiles {
  /** The lab's folder: programs are relative to it, packages resolve from it, processes start in it. */
  readonly labDir: string
  /**
   * Where `#exercises/<file>` leads, file by file. A relative import between two files of
   * `exerciseDirs` whose name is listed here leads to the listed file too, so that one exercise can
   * come from the folder under test and the rest from the solution.
   */
  readonly exercises: Readonly<Record<string, string>>
  readonly exerciseDirs: readonly string[]
  /** Files in this folder may import packages, built-ins, exercises and files in it; nothing else. */
  readonly targetDir: string
  /** Of a run that is put together from several labs; the folders under test are then theirs. */
  readonly parts?: readonly Part[]
}

/** The folders under test. */
export function targetDirsOf(files: ProgramFiles): readonly string[] {
  return files.parts === undefined
    ? [files.targetDir]
    : [...new Set(files.parts.map((part) => part.targetDir))]
}
