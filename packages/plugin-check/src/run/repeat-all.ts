import { isDeepStrictEqual } from 'node:util'
import { seededRandom } from '../wire/random.ts'
import { differs, finishedResponses, isSuperseded, nameOf } from './history.ts'
import { countState, readState } from './state.ts'
import { createTrial, essence, type Bench, type Sent, type Trial } from './trial.ts'

const REPEATS_MAX = 12

/**
 * Sends every finished call of the trial once more: the response is the same, or a refusal if a later operation has
 * arrived, and the business state does not change.
 */
export async function repeatAll(trial: Trial): Promise<void> {
  const finished = finishedResponses(trial.sent).slice(0, REPEATS_MAX)
  const installs = new Set(finished.map(({ call }) => call?.request.installation.bundleInstallId ?? ''))
  const stateBefore = await statesOf(trial, installs)
  for (const first of finished) {
    const { call } = first
    if (call === null) continue
    const again = await trial.settle(call)
    const isSame = isDeepStrictEqual(essence(first), essence(again))
    const isRefused = again.answer.kind === 'failure' && again.answer.retryable !== true
    trial.check(isSame || (isRefused && isSuperseded(first, trial.sent)), differs(first, again))
  }
  trial.check(
    isDeepStrictEqual(stateBefore, await statesOf(trial, installs)),
    'The repeats changed the business state',
  )
}

async function statesOf(trial: Trial, installs: ReadonlySet<string>): Promise<unknown[]> {
  const states: unknown[] = []
  for (const id of installs) states.push(await readState(trial.profile.state, id))
  return states
}

/** Calls of the run that are repeated once more at its end. */
export interface Memory {
  /** Keeps the last finished call of a trial, with what exists then. */
  keep(trial: Trial): Promise<void>
  /** Throws a CaseFailed. */
  repeatAtEnd(bench: Bench): Promise<void>
}

/** So many installations of a run, evenly over all of it. */
const KEPT_MAX = 40

export function createMemory(): Memory {
  const kept: { first: Sent; count: number }[] = []
  return {
    async keep(trial) {
      const first = finishedResponses(trial.sent).findLast((one) => !isSuperseded(one, trial.sent))
      if (first?.call == null) return
      const { bundleInstallId } = first.call.request.installation
      const count = countState(await readState(trial.profile.state, bundleInstallId))
      kept.push({ first, count })
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
