import { checkReference } from '../../packages/plugin-check/testing/check-reference.ts'
import { isFinding } from '../../packages/plugin-check/src/report/report.ts'
import { round } from './report.ts'
import type { Result } from './report.ts'

const RESPONSE_MS = 5
const SLOWEST_SHOWN = 8

/** Runs all cases of `plugin-check`, including those that kill the plugin, against the reference plugin with slow responses. */
export async function benchChecker(): Promise<Result> {
  const report = await checkReference({ defect: null, seed: 1, isProcess: true, answerMs: RESPONSE_MS })
  const finding = report.cases.find(isFinding)
  if (finding !== undefined)
    throw new Error(`The reference plugin has no defect, but ${finding.id} found: ${finding.problem}`)
  const seconds = report.durationMs / 1000
  const { PASSED, NOT_TESTED } = report.totals
  const slowest = report.cases.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_SHOWN)
  return {
    name: 'checker',
    rows: [
      { case: `all: ${PASSED} passed, ${NOT_TESTED} not tested`, seconds: round(seconds) },
      ...slowest.map(({ id, ms }) => ({ case: id, seconds: round(ms / 1000) })),
    ],
    figure: seconds,
    goal: 60,
    meaning: `Seconds of a whole run of the checker against a plugin that responds in ${RESPONSE_MS} ms.`,
  }
}
