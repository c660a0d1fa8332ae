/** What a kind of check came to. */
export interface Tally {
  passed: number
  failed: number
  /** What failed, in a line each; where there are very many not all of them. */
  failures: string[]
}

/**
 * Prints all that failed once more, below whatever was printed since, and the line that closes a run. Answers the code to
 * exit with.
 */
export function close(tallies: readonly Tally[]): number {
  const failures = tallies.flatMap((tally) => tally.failures)
  for (const failure of failures) console.log(`✖ ${failure}`)
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0)
  console.log(`${tallies.reduce((sum, tally) => sum + tally.passed, 0)} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
