import type { Case, Need } from '../cases/case.ts'
import { NEEDS } from '../cases/case.ts'
import type { Profile } from '../profile.ts'
import { printable } from '../../../../contract/protocol/foreign-text.ts'
import { seededRandom } from '../wire/random.ts'
import { checkRepeats } from './history.ts'
import { createJudges, judge, type CaseResult, type Judges } from './judges.ts'
import { createMemory, repeatAll, type Memory } from './repeat-all.ts'
import { createTrial, type Bench } from './trial.ts'

/** The case about the repeats after every other case: it is judged by all of them together. */
export const AFTER_EVERY_CASE = 'repeat.after-every-case'

/** Which needs of cases this profile does not meet. */
export function missingNeeds(profile: Profile): Set<Need> {
  const resources = Object.values(profile.resources)
  const writes = resources.flatMap((resource) => Object.values(resource.writes))
  const isMet: Record<Need, boolean> = {
    tokens: profile.verifiesTokens,
    start: profile.start !== undefined,
    state: profile.state !== undefined,
    changed: resources.some(({ changed }) => changed !== undefined),
    invalid: resources.some(({ invalid }) => invalid !== undefined),
    writes: writes.length > 0,
    issued: writes.some(({ isIssued }) => isIssued),
    schemas: writes.some(({ schema }) => schema !== undefined),
    sensitive: resources.some(({ sensitive, properties }) =>
      sensitive.some((name) => typeof properties[name] === 'string'),
    ),
    optional: resources.some(({ optional }) => optional.length > 0),
    references: resources.some(({ references }) => Object.keys(references).length > 0),
    resolves: profile.resolvesReferences,
    services: Object.keys(profile.services).length > 0,
    events: Object.values(profile.events).some((methods) => methods.length > 0),
    temporary: profile.provoke.temporaryFailure !== undefined,
    slow: profile.provoke.slow !== undefined,
    runbooks: profile.runbooks !== undefined,
    scenarios: profile.scenarios.length > 0,
  }
  return new Set((Object.keys(isMet) as Need[]).filter((need) => !isMet[need]))
}

/**
 * Runs the cases one after another, and beside the first of them those that mostly wait. Throws only a UsageError: whatever
 * the plugin answers becomes a result.
 */
export async function runCases(
  bench: Bench,
  cases: readonly Case[],
  { seed, onResult }: { seed: number; onResult?: (result: CaseResult) => void },
): Promise<CaseResult[]> {
  const missing = missingNeeds(bench.profile)
  const isMet = ({ needs }: Case): boolean => !needs.some((need) => missing.has(need))
  const judges = createJudges(cases.filter(isMet))
  const memory = createMemory()
  const results = new Map<string, CaseResult>()
  const end = (result: CaseResult): void => {
    results.set(result.id, result)
    onResult?.(result)
  }
  const run = { seed, judges, memory }
  const beside = new Map(
    cases
      .filter((one) => one.isBeside === true && isMet(one))
      .map((one) => [one, runCase(bench, one, { ...run, turn: 'beside' })]),
  )
  let isBesideOver = false
  const besideOver = Promise.all(beside.values()).then(() => (isBesideOver = true))
  for (const one of cases) {
    if (one.id === AFTER_EVERY_CASE) continue
    const unmet = one.needs.find((need) => missing.has(need))
    if (unmet !== undefined) {
      end(untested(one.id, NEEDS[unmet]))
      continue
    }
    const early = await beside.get(one)
    const wasAlone = isBesideOver
    const isSettled = early !== undefined && (isClean(early) || early.isCertain === true)
    let result = isSettled ? early : await runCase(bench, one, run)
    // what another case did to the plugin must not count against this one
    const hasProblem = ['FAILED', 'BLOCKED'].includes(result.status) || result.repeatProblem !== null
    if (!wasAlone && hasProblem && result.isCertain !== true) {
      await besideOver
      result = await runCase(bench, one, { ...run, turn: 'again' })
    }
    // what other cases show decides as well
    if (judges.has(one)) results.set(one.id, result)
    else end(result)
  }
  for (const one of cases) {
    const result = results.get(one.id)
    if (judges.has(one) && result !== undefined && isMet(one)) end(judges.verdict(result))
  }
  if (cases.some(({ id }) => id === AFTER_EVERY_CASE))
    end(afterEveryCase([...results.values()], await judge(() => memory.repeatAtEnd(bench))))
  return cases.flatMap(({ id }) => results.get(id) ?? [])
}

const isClean = (result: CaseResult): boolean => result.status === 'PASSED' && result.repeatProblem === null

const untested = (id: string, problem: string): CaseResult => ({
  id,
  status: 'NOT_TESTED',
  problem,
  repeatProblem: null,
  ms: 0,
  sent: [],
})

async function runCase(
  bench: Bench,
  one: Case,
  {
    seed,
    judges,
    memory,
    turn = '',
  }: { seed: number; judges: Judges; memory: Memory; turn?: '' | 'beside' | 'again' },
): Promise<CaseResult> {
  const started = performance.now()
  // a plugin remembers the installations of an earlier turn, so each has its own
  const trial = createTrial(bench, seededRandom(`${seed} ${bench.idTime} ${one.id} ${turn}`))
  const verdict = await judge(() => one.run(trial))
  const { status, problem } = verdict
  const { problem: repeatProblem } = await judge(async () => {
    checkRepeats(trial)
    memory.keep(trial, await repeatAll(trial))
  })
  judges.hear(one, trial)
  const ended = turn === 'beside' ? null : await startAgain(bench)
  const ms = performance.now() - started
  const isSent = status === 'FAILED' || repeatProblem !== null || ended !== null
  const sent = isSent ? trial.sent : []
  return ended === null
    ? { id: one.id, ...verdict, repeatProblem, ms, sent }
    : {
        id: one.id,
        status: 'FAILED',
        problem: printable(problem === null ? ended : `${problem}. ${ended}`),
        repeatProblem: null,
        ms,
        sent,
      }
}

/** After a plugin that the checker started has ended by itself. Returns how it ended; null if it runs. */
async function startAgain({ host }: Bench): Promise<string | null> {
  const ended = host?.endedByItself() ?? null
  if (ended !== null) await host?.start()
  return ended
}

function afterEveryCase(
  results: readonly CaseResult[],
  { problem: lastProblem }: Pick<CaseResult, 'problem'>,
): CaseResult {
  const found = results.filter(({ repeatProblem }) => repeatProblem !== null)
  const [first] = found
  const others = found.length > 1 ? ` (and after ${found.length - 1} more cases)` : ''
  const problem = first === undefined ? lastProblem : `After ${first.id}: ${first.repeatProblem}${others}`
  return {
    id: AFTER_EVERY_CASE,
    status: problem === null ? 'PASSED' : 'FAILED',
    problem,
    repeatProblem: null,
    ms: 0,
    sent: first?.sent ?? [],
  }
}
