/** A fault planted on purpose: one piece of one source file is another one while a suite runs. */
export interface Mutant {
  /** As after `--mutant`, and in the table. */
  name: string
  /** What is wrong with it, in one line. */
  breaks: string
  area: 'engine' | 'saves' | 'protocol' | 'events'
  /** From the top of the project. */
  file: string
  /** Must stand in the file exactly once, so that a changed source is noticed. */
  from: string
  to: string
  /** What must notice it: a suite of `prove`, with how much of it, or a test file. The first is enough for the quick form. */
  killers: readonly [Killer, ...Killer[]]
}

/** `only`: of the tests in the file those whose name has this in it. */
export type Killer = { suite: string; count?: number } | { test: string; only?: string }

/** The source with the fault in it. Throws where the piece does not stand there exactly once. */
export function plant({ name, file, from, to }: Mutant, source: string): string {
  const pieces = source.split(from)
  if (pieces.length !== 2)
    throw new Error(
      `the mutant ${name} wants to change a piece of ${file} that stands there ${pieces.length - 1} times`,
    )
  return pieces.join(to)
}
