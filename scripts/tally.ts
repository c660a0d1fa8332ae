import { describeTrials } from '../lab/verification/run-suites.ts'

const KINDS = ['tests', 'journeys', 'checks'] as const

/** The result of one part of a run. */
export interface Tally {
  /** What is counted. */
  kind: (typeof KINDS)[number]
  passed: number
  failed: number
  /** The failures, one entry each; truncated if there are very many. */
  failures: readonly string[]
  /** How many trials were run, by kind: simulated histories, fuzzed inputs and the like, which do not count as tests. */
  trials?: Readonly<Record<string, number>>
}

/** Prints the closing lines of a run. Returns the exit code. */
export function close(tallies: readonly Tally[]): number {
  for (const line of closingLines(tallies)) console.log(line)
  return tallies.every(({ failed }) => failed === 0) ? 0 : 1
}

/**
 * Every failure once more, so that nobody has to search the log; then the number of trials of each kind; then how many
 * tests, journeys and checks passed; then the sum of these three.
 */
export function closingLines(tallies: readonly Tally[]): string[] {
  const total = (of: readonly Tally[], count: 'passed' | 'failed'): number =>
    of.reduce((sum, tally) => sum + tally[count], 0)
  const kinds = KINDS.flatMap((kind) => {
    const ofKind = tallies.filter((tally) => tally.kind === kind)
    const passed = total(ofKind, 'passed')
    return ofKind.length === 0 ? [] : [`${passed} of ${passed + total(ofKind, 'failed')} ${kind}`]
  })
  const trials = tallies.flatMap((tally) => describeTrials(tally.trials ?? {}) || [])
  return [
    ...tallies.flatMap(({ failures }) => failures.map((failure) => `✖ ${failure}`)),
    ...(trials.length > 0 ? [`Trials: ${trials.join(', ')}`] : []),
    `Passed: ${kinds.join(', ')}`,
    `${total(tallies, 'passed')} passed, ${total(tallies, 'failed')} failed`,
  ]
}
