import type { BrowserContext } from '@playwright/test'
import { startSystem, type System } from '../../../e2e/harness/system.ts'
import { mapConcurrently } from '../concurrency.ts'
import { openBrowser, signIn } from '../console-browser.ts'
import type { Suite, SuiteOptions, SuiteReport, Violation } from '../suite.ts'
import { publish } from './install.ts'
import { shrink } from './shrink.ts'
import { stepsOf } from './steps.ts'
import { runTrial, type TrialResult } from './trial.ts'

const MAX_SESSIONS = { quick: 24, full: 1_000 }
/** No session and no step begins later, so that a busy machine does not delay the other suites. */
const QUICK_MS = 30_000
const CONCURRENT_SESSIONS = 2

/** Needs the built console in `dist/web`, and `CHROMIUM_PATH` where Playwright's own browser is not installed. */
export const EDITOR: Suite = {
  name: 'editor',
  title:
    'the configuration editor in Chromium while others save: nothing typed is lost, nothing unseen is overwritten',
  run: runEditor,
}

async function runEditor({ size, seed, count, isBailing, databaseUrl }: SuiteOptions): Promise<SuiteReport> {
  const seeds =
    seed === null ? Array.from({ length: count ?? MAX_SESSIONS[size] }, (_, index) => index + 1) : [seed]
  const system = await startSystem(0, databaseUrl)
  const browser = await openBrowser()
  const isLimited = size === 'quick' && seed === null && count === null
  const end = isLimited ? performance.now() + QUICK_MS : Number.POSITIVE_INFINITY
  try {
    await publish(system)
    const contexts = await Promise.all(
      Array.from({ length: CONCURRENT_SESSIONS }, () => signIn(browser, system)),
    )
    const violations: Violation[] = []
    const results = await mapConcurrently(
      seeds,
      CONCURRENT_SESSIONS,
      async (one) => {
        const context = contexts.pop() ?? (await signIn(browser, system))
        const result = await runSeed(system, context, one, end)
        contexts.push(context)
        violations.push(...result.violations)
        return result
      },
      () => performance.now() > end || (isBailing && violations.length > 0),
    )
    const steps = results.reduce((sum, result) => sum + result.steps, 0)
    return {
      lines: [`${steps} steps in ${results.length} editing sessions`],
      trials: { 'editing sessions': results.length },
      violations,
    }
  } finally {
    await browser.close()
    await system.stop()
  }
}

/** Runs the session of one seed. If it fails, prints what happened and searches for fewer steps that fail as well. */
async function runSeed(
  system: System,
  context: BrowserContext,
  seed: number,
  end: number,
): Promise<{ steps: number; violations: Violation[] }> {
  const steps = stepsOf(seed)
  const run = (numbers: readonly number[]): Promise<TrialResult> =>
    runTrial(
      system,
      context,
      steps.filter((_, number) => numbers.includes(number)),
    )
  const all = [...steps.keys()]
  const first = await runTrial(system, context, steps, end)
  const { violation, log } = first
  if (violation === null) return { steps: first.steps, violations: [] }
  console.log([`  ✖ seed ${seed}: ${violation.promise}: ${violation.seen}`, ...log].join('\n      '))
  let shortest = log
  const left = await shrink(all.slice(0, violation.step + 1), async (numbers) => {
    const again = await run(numbers)
    if (again.violation?.promise !== violation.promise) return false
    shortest = again.log
    return true
  })
  console.log([`  seed ${seed} with ${left.length} of its steps:`, ...shortest].join('\n      '))
  return { steps: first.steps, violations: [{ promise: violation.promise, seen: violation.seen, seed }] }
}
