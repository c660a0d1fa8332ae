import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '../wire/random.ts'
import { differs, finishedResponses, isSuperseded, nameOf } from './history.ts'
import { countState, readState } from './state.ts'
import { createTrial, essence, type Bench, type Sent, type Trial } from './trial.ts'

const REPEATS_MAX = 12

/** The business state by `bundleInstallId`. */
type States = ReadonlyMap<string, unknown>

/**
 * Sends every finished call of the trial once more: the response is the same, or a refusal if a later operation has
 * arrived, and the business state does not change. Returns that state. Installations are repeated side by side, because
 * the wait for the responses is a good part of a run.
 */
export async function repeatAll(trial: Trial): Promise<States> {
  const finished = new Map<string, Sent[]>()
  for (const first of finishedResponses(trial.sent).slice(0, REPEATS_MAX)) {
    const id = installationOf(first)
    finished.set(id, [...(finished.get(id) ?? []), first])
  }
  const stateBefore = await statesOf(trial, finished.keys())
  // each to its end: a finding in one must leave no call under way in the next case
  const repeated = await Promise.allSettled([...finished.values()].map((calls) => repeatEach(trial, calls)))
  for (const one of repeated) if (one.status === 'rejected') throw one.reason
  const stateAfter = await statesOf(trial, finished.keys())
  trial.check(isDeepStrictEqual(stateBefore, stateAfter), 'The repeats changed the business state')
  return stateAfter
}

/** One after another, in the order in which they were sent first. */
async function repeatEach(trial: Trial, finished: readonly Sent[]): Promise<void> {
  for (const first of finished) {
    const { call } = first
    if (call === null) continue
    const again = await trial.settle(call)
    const isSame = isDeepStrictEqual(essence(first), essence(again))
    const isRefused = again.answer.kind === 'failure' && again.answer.retryable !== true
    trial.check(isSame || (isRefused && isSuperseded(first, trial.sent)), differs(first, again))
  }
}

const installationOf = ({ call }: Sent): string => call?.request.installation.bundleInstallId ?? ''

async function statesOf({ profile }: Trial, installations: Iterable<string>): Promise<States> {
  const states = [...installations].map(async (id) => [id, await readState(profile.state, id)] as const)
  return new Map(await Promise.all(states))
}

/** Calls of the run that are repeated once more at its end. */
export interface Memory {
  /** Keeps the last finished call of a trial whose installation is in `states`, with what exists then. */
  keep(trial: Trial, states: States): void
  /** Throws a CaseFailed. */
  repeatAtEnd(bench: Bench): Promise<void>
}

/** So many installations of a run, evenly over all of it. */
const KEPT_MAX = 40

export function createMemory(): Memory {
  const kept: { first: Sent; count: number }[] = []
  return {
    keep(trial, states) {
      const first = finishedResponses(trial.sent).findLast(
        (one) => states.has(installationOf(one)) && !isSuperseded(one, trial.sent),
      )
      if (first !== undefined) kept.push({ first, count: countState(states.get(installationOf(first))) })
    },
    async repeatAtEnd(bench) {
      const trial = createTrial(bench, seededRandom(`${bench.idTime} end`))
      const stride = Math.ceil(kept.length / KEPT_MAX)
      for (const { first, count } of kept.filter((_, index) => index % stride === 0)) {
        const { call } = first
        if (call === null) continue
        const again = await trial.settle(call)
        trial.check(
          isDeepStrictEqual(essence(first), essence(again)),
          `At the end of the run, ${differs(first, again)}`,
        )
        const found = countState(
          await readState(bench.profile.state, call.request.installation.bundleInstallId),
        )
        trial.check(
          found === count,
          `At the end of the run, the installation of ${nameOf(first)} has ${found} entries in the state instead of ${count}`,
        )
      }
    },
  }
}
