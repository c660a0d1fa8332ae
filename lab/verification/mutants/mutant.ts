/** A fault planted on purpose: a piece of a source file is replaced while a suite or a test runs. */
export interface Mutant {
  name: string
  /** The faulty behaviour, in one line. */
  breaks: string
  /** Relative to the root of the repository. */
  file: string
  /** Must be in the file exactly once, so that a changed source is noticed. */
  from: string
  to: string
  /** What must detect it. The quick form runs only the first. */
  killers: readonly [Killer, ...Killer[]]
}

export type Killer = { suite: string; count?: number } | { test: string; only?: string }

/** A test file; `only` runs the tests whose names contain it. */
export const test = (file: string, only?: string): Killer => ({
  test: file,
  ...(only !== undefined && { only }),
})

/** A verification suite, with this many trials or as many as in its quick form. */
export const suite = (name: string, count?: number): Killer => ({
  suite: name,
  ...(count !== undefined && { count }),
})

/** The source with the fault. Throws unless the piece occurs exactly once. */
export function plant({ name, file, from, to }: Mutant, source: string): string {
  const pieces = source.split(from)
  if (pieces.length !== 2)
    throw new Error(`the mutant ${name} replaces a piece of ${file} that is in it ${pieces.length - 1} times`)
  return pieces.join(to)
}
