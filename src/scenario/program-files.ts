/**
 * Where the files of a run lie, as arm and host must both know it.
 */

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
}
