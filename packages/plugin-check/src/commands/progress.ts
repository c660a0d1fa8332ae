import type { Case } from '../cases/case.ts'
import type { Profile } from '../profile.ts'
import type { CaseResult } from '../run/judges.ts'
import { missingNeeds } from '../run/run-cases.ts'

const PROGRESS_MS = 5_000

/**
 * Prints the first failure at once, as others often follow from it, and a line every few seconds, also if the output is a
 * file: a run can take minutes, or hours if the plugin is slow. How long it still takes is estimated from the cases so far that
 * the profile makes possible; the others take no time. `now`: in milliseconds.
 */
export function progressOf(
  cases: readonly Case[],
  profile: Profile,
  { print, now = () => performance.now() }: { print(line: string): void; now?: () => number },
): (result: CaseResult) => void {
  const missing = missingNeeds(profile)
  const isPossible = ({ needs }: Case): boolean => !needs.some((need) => missing.has(need))
  const left = new Set(cases.filter(isPossible).map(({ id }) => id))
  const possible = left.size
  const startedAt = now()
  let printedAt = startedAt
  let done = 0
  let hasFailed = false
  return ({ id, status, problem }) => {
    done++
    left.delete(id)
    if (status === 'FAILED' && !hasFailed) {
      hasFailed = true
      print(`First failure: ${id}: ${problem ?? ''}`)
    }
    const at = now()
    if (at - printedAt < PROGRESS_MS || done === cases.length) return
    printedAt = at
    const leftMs = ((at - startedAt) / (possible - left.size)) * left.size
    print(`${done} of ${cases.length} cases${Number.isFinite(leftMs) ? forecast(leftMs) : ''}`)
  }
}

const forecast = (ms: number): string =>
  `; at this pace, ${ms < 60_000 ? 'less than a minute' : `about ${Math.round(ms / 60_000)} min`} more`
