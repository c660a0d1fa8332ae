import type { Scope } from '#contract/protocol/scope.ts'
import { asError } from '#edge/as-error.ts'
import { checkTexts } from '../invariants/canaries.ts'
import { judgeFacts } from '../invariants/check-invariants.ts'
import { readJournal } from '../invariants/journal.ts'
import { readState } from '../invariants/state.ts'
import { WRITABLE } from '../simulation/bundles.ts'
import { Fleet } from '../simulation/fleet.ts'
import type { CallPlan } from '../simulation/flights.ts'
import { outcomeOf } from '../simulation/outcome.ts'
import { Persons } from '../simulation/person.ts'
import type { View } from '../simulation/person.ts'
import { CANARY, Plugins } from '../simulation/plugins.ts'
import { SeededRandom } from '../seeded-random.ts'
import { Schedule } from '../simulation/schedule.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { Violation } from '../suite.ts'
import { Boundaries } from './boundaries.ts'
import type { Crash } from './boundaries.ts'

export interface Run {
  boundaries: readonly string[]
  /** What became of the operations. */
  outcome: string
  trace: string[]
  violations: Violation[]
}

const START = Date.parse('2026-03-01T00:00:00Z')
/** In which a part of the scenario must be over, whatever crashed. */
const BOUND_MS = 60_000

/**
 * Lives the scenario once: an INSTALL with two plugins, a CONFIGURE, an UPGRADE that drops a resource, a CONFIGURE that
 * fails, its retry, and the DETACH that takes it over. Whatever dies is started anew, on the same database and beside the
 * same plugins; whoever got no answer asks again with the same key.
 */
export async function crashRun(
  simulation: Simulation,
  seed: number,
  crashes: readonly Crash[],
): Promise<Run> {
  const { database, vault } = simulation
  // the same chance for all, so that all runs are the same up to their crash
  const random = new SeededRandom(1)
  // each in a time of its own, so that ids differ
  const start = START + seed * 60 * 60_000
  const schedule = new Schedule(start, random.fork('schedule'), () => database.isBusy())
  const trace: string[] = []
  const logged: string[] = []
  const note = (text: string): void => {
    trace.push(`${((schedule.now - start) / 1000).toFixed(3).padStart(9)}  ${text}`)
  }
  const boundaries = new Boundaries(crashes)
  const plugins = new Plugins(WRITABLE, () => schedule.now)
  let isFailing = false
  const fleet = new Fleet({
    schedule,
    database,
    faults: boundaries,
    random: random.fork('fleet'),
    vault,
    clocks: 'right',
    note,
    log: (text) => logged.push(text),
    pollMs: 2_000,
    network: {
      schedule,
      random: random.fork('network'),
      plugins,
      plan(actor, { pluginId, stage }) {
        note(`${actor.name} calls ${pluginId} ${stage}`)
        const fate = boundaries.fate(actor, `call of ${pluginId} ${stage}`)
        if (fate === 'die-before') actor.kill()
        if (fate === 'die-after') schedule.after(0, () => actor.kill())
        return fate === 'die-before'
          ? null
          : planOf(isFailing ? 'FAILED' : fate === 'lose-answer' ? 'answer lost' : 'none')
      },
      sent: () => {},
      answered: () => {},
    },
  })
  const people = new Persons({
    schedule,
    database,
    fleet,
    random: random.fork('people'),
    scope: { environmentKey: 'sim', applicationRuntimeId: `point-${seed}`, workspaceId: 1 } satisfies Scope,
    note,
    isBadLine: () => false,
  })

  const comesTo = async (isThere: (view: View) => boolean): Promise<View> => {
    const bound = schedule.now + BOUND_MS
    for (;;) {
      if (fleet.alive.length === 0) fleet.startWorker()
      const view = await people.look()
      if (isThere(view)) return view
      if (schedule.now > bound) throw new Error('the scenario does not go on')
      await schedule.wait(400)
    }
  }
  const isFree = ({ installations: [one] }: View): boolean => one?.claim === null && one.state === 'ACTIVE'
  const isFailed = ({ installations: [one] }: View): boolean => one?.claim?.state === 'FAILED'
  const scenario = async (): Promise<void> => {
    fleet.startWorker()
    await people.install('orders')
    const installed = await comesTo(isFree)
    await people.save(installed, ['orders'])
    const configured = await comesTo(isFree)
    await people.upgrade(installationOf(configured))
    isFailing = false
    const upgraded = await comesTo(isFree)
    isFailing = true
    await people.save(upgraded, ['orders'])
    const failed = await comesTo(isFailed)
    await people.retry(claimOf(failed))
    const again = await comesTo((view) => isFailed(view) && claimOf(view).run === 2)
    isFailing = false
    await people.takeOver(claimOf(again))
    await comesTo(({ installations: [one] }) => one?.state === 'DETACHED')
    for (const { worker } of fleet.alive) await worker.stop()
  }

  const violations: Violation[] = []
  let ended: 'running' | 'done' | Error = 'running'
  scenario().then(
    () => (ended = 'done'),
    (error: unknown) => (ended = asError(error)),
  )
  await schedule.runUntil(() => ended !== 'running').catch((error: Error) => (ended = error))
  const problem: unknown = ended
  if (problem instanceof Error) violations.push({ promise: 'I10', seen: problem.message })
  const { scopeId } = await people.look()
  const scopes = scopeId === null ? [] : [scopeId]
  const facts = {
    deliveries: plugins.deliveries,
    writes: people.writes,
    isQuiet: true,
    state: await readState(database, scopes),
    journal: await readJournal(database, scopes),
  }
  violations.push(...judgeFacts(facts), ...checkTexts(CANARY, 'the log', logged))
  if (violations.length > 0) await database.leaveAlone()
  return { boundaries: boundaries.seen, outcome: outcomeOf(facts), trace, violations }
}

function planOf(fault: 'none' | 'FAILED' | 'answer lost'): CallPlan {
  return { fault, chosen: 'APPLIED', slowMs: 0, ownership: 'held', database: 'ok' }
}

function installationOf({ installations: [one] }: View): View['installations'][number] {
  if (one === undefined) throw new Error('nothing is installed')
  return one
}

function claimOf(view: View): NonNullable<View['installations'][number]['claim']> {
  const { claim } = installationOf(view)
  if (claim === null) throw new Error('nothing is claimed')
  return claim
}
