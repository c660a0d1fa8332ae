import { isDeepStrictEqual } from 'node:util'
import type { Case, Need } from '../cases/case.ts'
import { NEEDS } from '../cases/case.ts'
import type { Profile } from '../profile.ts'
import { UsageError } from '../profile.ts'
import { seededRandom } from '../wire/random.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { printable } from '../report/printable.ts'
import { readState } from './state.ts'
import {
  CaseBlocked,
  CaseFailed,
  CaseUntested,
  createTrial,
  essence,
  type Bench,
  type Sent,
  type Trial,
} from './trial.ts'

export type Status = 'PASSED' | 'FAILED' | 'BLOCKED' | 'NOT_TESTED'

export interface CaseResult {
  id: string
  status: Status
  /** Why it did not pass. */
  problem: string | null
  /** What the repeat after the case found. */
  repeatProblem: string | null
  ms: number
  /** The exchanges of a case that failed. */
  sent: readonly Sent[]
}

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

/** Runs the cases one after another. Throws only a UsageError: whatever the plugin answers becomes a result. */
export async function runCases(
  bench: Bench,
  cases: readonly Case[],
  { seed, onResult }: { seed: number; onResult?: (result: CaseResult) => void },
): Promise<CaseResult[]> {
  const missing = missingNeeds(bench.profile)
  const results: CaseResult[] = []
  for (const one of cases) {
    if (one.id === AFTER_EVERY_CASE) continue
    const unmet = one.needs.find((need) => missing.has(need))
    const result = unmet === undefined ? await runCase(bench, one, seed) : untested(one.id, NEEDS[unmet])
    results.push(result)
    onResult?.(result)
  }
  if (cases.some(({ id }) => id === AFTER_EVERY_CASE)) {
    const result = afterEveryCase(results)
    results.push(result)
    onResult?.(result)
  }
  return results
}

const untested = (id: string, problem: string): CaseResult => ({
  id,
  status: 'NOT_TESTED',
  problem,
  repeatProblem: null,
  ms: 0,
  sent: [],
})

async function runCase(bench: Bench, one: Case, seed: number): Promise<CaseResult> {
  const started = performance.now()
  const trial = createTrial(bench, seededRandom(`${seed} ${bench.idTime} ${one.id}`))
  const { status, problem } = await judge(() => one.run(trial))
  const { problem: repeatProblem } = await judge(() => repeatAll(trial))
  const ended = await startAgain(bench)
  const ms = performance.now() - started
  const isSent = status === 'FAILED' || repeatProblem !== null || ended !== null
  const sent = isSent ? [...trial.evidence, ...trial.sent] : []
  return ended === null
    ? { id: one.id, status, problem, repeatProblem, ms, sent }
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

async function judge(run: () => Promise<void>): Promise<{ status: Status; problem: string | null }> {
  try {
    await run()
    return { status: 'PASSED', problem: null }
  } catch (error) {
    if (error instanceof CaseFailed) return { status: 'FAILED', problem: printable(error.message) }
    if (error instanceof CaseUntested) return { status: 'NOT_TESTED', problem: error.message }
    // a state address or a plugin that was usable at the start of the run, and no longer is
    if (error instanceof CaseBlocked || error instanceof UsageError)
      return { status: 'BLOCKED', problem: printable(error.message) }
    const detail = error instanceof Error ? error.message.slice(0, 200) : 'unknown error'
    return { status: 'FAILED', problem: `The response could not be judged: ${printable(detail)}` }
  }
}

const REPEATS_MAX = 12

/**
 * Sends every finished call of the trial once more: the response is the same, or a refusal if a later operation has
 * arrived, and the business state does not change.
 */
async function repeatAll(trial: Trial): Promise<void> {
  const finished = finishedResponses(trial.sent)
  const installs = new Set(finished.map(({ call }) => call?.request.installation.bundleInstallId ?? ''))
  const stateBefore = await statesOf(trial, installs)
  for (const first of finished.slice(0, REPEATS_MAX)) {
    const { call } = first
    if (call === null) continue
    const again = await trial.settle(call)
    const isSame = isDeepStrictEqual(essence(first), essence(again))
    const isRefused = again.answer.kind === 'failure' && again.answer.retryable !== true
    const { operation, stage } = call.request
    trial.check(
      isSame || (isRefused && isSuperseded(first, trial.sent)),
      `${operation.operationType} ${stage} repeated: first ${describeAnswer(first.answer)}, then ${describeAnswer(again.answer)}`,
    )
  }
  trial.check(
    isDeepStrictEqual(stateBefore, await statesOf(trial, installs)),
    'The repeats changed the business state',
  )
}

/** The finished calls, each with its first such response, which no later one may change. */
function finishedResponses(sent: readonly Sent[]): Sent[] {
  const finished = new Map<string, Sent>()
  for (const one of sent) {
    if (one.call === null || !isDone(one.answer)) continue
    const { operation, stage } = one.call.request
    const key = `${operation.operationId} ${stage}`
    if (!finished.has(key)) finished.set(key, one)
  }
  return [...finished.values()]
}

/** Whether a later operation of the installation may have arrived, however it ended: a memory need not last longer. */
function isSuperseded({ call }: Sent, sent: readonly Sent[]): boolean {
  return sent.some(
    (other) =>
      other.call !== null &&
      other.answer.kind !== 'refused' &&
      other.call.request.installation.bundleInstallId === call?.request.installation.bundleInstallId &&
      other.call.request.executionSequence > call.request.executionSequence,
  )
}

async function statesOf(trial: Trial, installs: ReadonlySet<string>): Promise<unknown[]> {
  const states: unknown[] = []
  for (const id of installs) states.push(await readState(trial.profile.state, id))
  return states
}

function afterEveryCase(results: readonly CaseResult[]): CaseResult {
  const found = results.filter(({ repeatProblem }) => repeatProblem !== null)
  const [first] = found
  const others = found.length > 1 ? ` (and after ${found.length - 1} more cases)` : ''
  return {
    id: AFTER_EVERY_CASE,
    status: first === undefined ? 'PASSED' : 'FAILED',
    problem: first === undefined ? null : `After ${first.id}: ${first.repeatProblem}${others}`,
    repeatProblem: null,
    ms: 0,
    sent: first?.sent ?? [],
  }
}
