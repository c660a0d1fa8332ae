import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '../wire/random.ts'
import { differs, finishedResponses, isSuperseded, nameOf } from './history.ts'
import { sideBySide } from './side-by-side.ts'
import { countState, readState } from './state.ts'
import { createTrial, essence, type Bench, type Sent, type Trial } from './trial.ts'

const REPEATS_MAX = 12

/** The business state by `bundleInstallId`. */
type States = ReadonlyMap<string, unknown>

/**
 * Sends every finished call of the trial once more: the response is the same, or a refusal if a later operation has
 * arrived, and the business state does not change. Returns that state.
 */
export async function repeatAll(trial: Trial): Promise<States> {
  const finished = new Map<string, Sent[]>()
  for (const first of finishedResponses(trial.sent).slice(0, REPEATS_MAX)) {
    const id = installationOf(first)
    finished.set(id, [...(finished.get(id) ?? []), first])
  }
  const stateBefore = await statesOf(trial, finished.keys())
  await sideBySide([...finished.values()], (calls) => repeatEach(trial, calls))
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
  return new Map(
    await sideBySide([...installations], async (id) => [id, await readState(profile.state, id)] as const),
  )
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
      const sample = kept.filter((_, index) => index % stride === 0)
      await sideBySide(sample, async ({ first, count }) => {
        const { call } = first
        if (call === null) return
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
      })
    },
  }
}
