import { availableParallelism } from 'node:os'
import { CASES } from '../../../packages/plugin-check/src/cases/all-cases.ts'
import type { Case } from '../../../packages/plugin-check/src/cases/case.ts'
import { DEFECTS, type DefectName } from '../../../packages/plugin-check/testing/defects.ts'
import { STYLES, type StyleName } from '../../../packages/plugin-check/testing/styles.ts'
import {
  checkReference,
  findingsOf,
  unrelatedTo,
} from '../../../packages/plugin-check/testing/check-reference.ts'
import { mapConcurrently } from '../concurrency.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import { checkExamples } from './examples.ts'

const NAMES = Object.keys(DEFECTS) as DefectName[]
const STYLE_NAMES = Object.keys(STYLES) as StyleName[]

/** In the quick form each broken plugin gets its own case and, like each style, every so many-th of the others. */
const QUICK_STRIDE = 48
const QUICK_CONCURRENCY = 4

/** A run against a plugin that answers at once, without the cases that kill it, takes at most this long. */
const RUN_MS = 60_000

const needsProcess = ({ needs }: Case): boolean => needs.includes('start')
const ownCase = (name: DefectName): string => DEFECTS[name].own

/** The checker finds each planted defect with the case that is meant to find it, and nothing in correct plugins, whose styles
 * differ. */
export const CHECKER: Suite = {
  name: 'checker',
  title: 'plugin-check against broken plugins, the reference plugin and the examples',
  async run({ size, seed, isBailing }) {
    const used = seed ?? 1
    const isFull = size === 'full'
    const examples = await checkExamples({ seed: used, isFull })
    const correct = await checkReference({
      defect: null,
      seed: used,
      isProcess: false,
      cases: CASES.filter((one) => !needsProcess(one)),
    })
    const killed = isFull
      ? [
          await checkReference({
            defect: null,
            seed: used,
            isProcess: true,
            cases: CASES.filter(needsProcess),
          }),
        ]
      : []
    const violations = [correct, ...killed]
      .flatMap(findingsOf)
      .map((id) => violation(used, `${id} finds something in the reference plugin`))
    if (correct.durationMs > RUN_MS)
      violations.push(violation(used, `a run took ${Math.round(correct.durationMs / 1000)} s`))
    await mapConcurrently(STYLE_NAMES, isFull ? availableParallelism() : QUICK_CONCURRENCY, async (style) => {
      const cases = CASES.filter((one, index) => !needsProcess(one) && (isFull || isQuick(index, used)))
      const found = await checkReference({ defect: null, style, seed: used, isProcess: false, cases })
      for (const id of findingsOf(found)) {
        const problem = found.cases.find((one) => one.id === id)?.problem ?? ''
        violations.push(violation(used, `${id} finds something in the style ${style}: ${problem}`))
      }
    })
    await mapConcurrently(NAMES, isFull ? availableParallelism() : QUICK_CONCURRENCY, async (name) => {
      if (isBailing && violations.length > 0) return
      const found = await findings(name, used, isFull)
      if (!found.includes(ownCase(name)))
        violations.push(violation(used, `${ownCase(name)} does not find ${name}`))
      for (const id of unrelatedTo(name, found))
        violations.push(violation(used, `${id} is unrelated to ${name}`))
    })
    return report(examples.lines, [...examples.violations, ...violations])
  },
}

/**
 * What the checker finds in a broken plugin. A defect whose own case kills the plugin or reads its log runs as a process;
 * the others run in this process, without the cases that need one.
 */
async function findings(defect: DefectName, seed: number, isFull: boolean): Promise<string[]> {
  const defining = CASES.find(({ id }) => id === ownCase(defect))
  const isProcess = defining !== undefined && needsProcess(defining)
  const cases = CASES.filter(
    (one, index) =>
      one === defining ||
      (isFull ? isProcess || !needsProcess(one) : !isProcess && !needsProcess(one) && isQuick(index, seed)),
  )
  const report = await checkReference({ defect, seed, isProcess, cases })
  const own = report.cases.find(({ id }) => id === ownCase(defect))
  // a defect can be one that only a SHOULD is about
  const isOwnFound = own?.status === 'FAILED' || own?.status === 'BLOCKED'
  return [...new Set([...findingsOf(report), ...(isOwnFound ? [own.id] : [])])]
}

const isQuick = (index: number, seed: number): boolean => index % QUICK_STRIDE === seed % QUICK_STRIDE

const violation = (seed: number, seen: string): Violation => ({ promise: 'plugin-check', seen, seed })

function report(lines: readonly string[], violations: Violation[]): SuiteReport {
  return {
    lines: [...lines, `${NAMES.length} broken plugins, ${STYLE_NAMES.length} styles, ${CASES.length} cases`],
    trials: { 'broken plugins': NAMES.length, styles: STYLE_NAMES.length, cases: CASES.length },
    violations,
  }
}
