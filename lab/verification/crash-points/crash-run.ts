import { SeededRandom } from '../seeded-random.ts'
import type { CallPlan } from '../simulation/calls.ts'
import { outcomeOf, SimulatedRun } from '../simulation/run.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { InstallationView, ScopeView } from '../simulation/users.ts'
import type { Violation } from '../suite.ts'
import { CrashFaults } from './crash.ts'
import type { Crash } from './crash.ts'

export interface CrashRun {
  /** A description of each durable boundary. */
  boundaries: readonly string[]
  /** The final state of the operations. */
  outcome: string
  trace: string[]
  violations: Violation[]
}

const START = Date.parse('2026-03-01T00:00:00Z')
/** Every step of the scenario must complete within this time, whatever crashed. */
const BOUND_MS = 60_000

/**
 * Runs the scenario once: an INSTALL with two plugins, a CONFIGURE, an UPGRADE that drops a resource, a CONFIGURE that
 * fails, its retry, and the DETACH that takes it over. Crashed processes are replaced, on the same database and with
 * the same plugins; a user who got no response retries the request with the same key. The outcome must be the
 * `expected` one.
 */
export async function runWithCrashes(
  simulation: Simulation,
  seed: number,
  crashes: readonly Crash[],
  expected: string | null,
): Promise<CrashRun> {
  // the same random choices in all runs, so that they are equal up to the crash
  const random = new SeededRandom(1)
  // another start for each run, so that ids differ
  const start = START + seed * 60 * 60_000
  const run = new SimulatedRun(simulation, { name: `point-${seed}`, start, random })
  const { schedule, note } = run
  const faults = new CrashFaults(crashes)
  let isPluginFailing = false
  const { fleet, users } = run.open({
    faults,
    clocks: 'right',
    pollMs: 2_000,
    isLossy: () => false,
    calls: {
      plan(process, { pluginId, stage }) {
        note(`${process.name} calls ${pluginId} ${stage}`)
        const interruption = faults.interruption(process, `call of ${pluginId} ${stage}`)
        if (interruption === 'die-before') process.kill()
        if (interruption === 'die-after') schedule.after(0, () => process.kill())
        if (interruption === 'die-before') return null
        return planOf(isPluginFailing ? 'FAILED' : interruption === 'lose-answer' ? 'answer lost' : 'none')
      },
      onSent: () => {},
      onAnswer: () => {},
    },
  })

  const awaitView = async (isReached: (view: ScopeView) => boolean): Promise<ScopeView> => {
    const bound = schedule.now + BOUND_MS
    for (;;) {
      if (fleet.running.length === 0) fleet.startWorker()
      const view = await users.look()
      if (isReached(view)) return view
      if (schedule.now > bound) throw new Error('the scenario makes no progress')
      await schedule.wait(400)
    }
  }
  const isFree = ({ installations: [one] }: ScopeView): boolean =>
    one?.claim === null && one.state === 'ACTIVE'
  const isFailed = ({ installations: [one] }: ScopeView): boolean => one?.claim?.state === 'FAILED'
  const scenario = async (): Promise<void> => {
    fleet.startWorker()
    await users.install('orders')
    const installed = await awaitView(isFree)
    await users.save(installed, ['orders'])
    const configured = await awaitView(isFree)
    await users.upgrade(installationOf(configured))
    const upgraded = await awaitView(isFree)
    isPluginFailing = true
    await users.save(upgraded, ['orders'])
    const failed = await awaitView(isFailed)
    await users.retry(claimOf(failed))
    const failedAgain = await awaitView((view) => isFailed(view) && claimOf(view).run === 2)
    isPluginFailing = false
    await users.takeOver(claimOf(failedAgain))
    await awaitView(({ installations: [one] }) => one?.state === 'DETACHED')
    for (const { worker } of fleet.running) await worker.stop()
  }

  const { violations, facts } = await run.complete(scenario(), users)
  const outcome = facts === null ? '' : outcomeOf(facts)
  if (expected !== null && outcome !== expected)
    violations.push({ promise: 'I10', seen: `the outcome differs from that without crashes: ${outcome}` })
  return { boundaries: faults.boundaries, outcome, trace: run.trace, violations }
}

function planOf(fault: CallPlan['fault']): CallPlan {
  return { fault, outcome: 'APPLIED', delayMs: 0, lease: 'held', recording: 'ok' }
}

function installationOf({ installations: [one] }: ScopeView): InstallationView {
  if (one === undefined) throw new Error('nothing is installed')
  return one
}

function claimOf(view: ScopeView): NonNullable<InstallationView['claim']> {
  const { claim } = installationOf(view)
  if (claim === null) throw new Error('nothing is claimed')
  return claim
}
