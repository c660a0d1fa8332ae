import { startChangeRequests } from '#runtime/change-requests/run-change-requests.ts'
import { readOperation } from '#runtime/use-cases/operations/read.ts'
import { actorOf } from '../simulation/client.ts'
import type { DatabaseFaults } from '../simulation/driver.ts'
import { SimulatedRun } from '../simulation/run.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import { judge, NOTE_OPERATIONS, readSeen } from './judge.ts'
import type { Known } from './judge.ts'
import { effectText, People, PEOPLE } from './people.ts'

export interface ChangeHistory {
  violations: Violation[]
  trace: string[]
  /** How many requests ended in each state, and how many operations and crashes there were. */
  counts: Record<string, number>
}

const START = Date.parse('2026-03-01T00:00:00Z')
const STEPS_OF_EACH = 12
const CRASHES_MAX = 5
/** Until then, everything that people scheduled is over, whatever the clock did. */
const REST_MS = 900_000
const LIMIT_MS = 4 * 60 * 60_000

export const prepare = async ({ database }: Simulation): Promise<void> =>
  void (await database.query(NOTE_OPERATIONS))

/** Three people, two replicas and faults in one environment, all determined by the seed. */
export async function runChangeHistory(simulation: Simulation, seed: number): Promise<ChangeHistory> {
  const { database } = simulation
  const random = new SeededRandom(seed).fork('changes')
  const environmentKey = `changes-${seed}`
  const run = new SimulatedRun(simulation, {
    name: environmentKey,
    environmentKey,
    start: START + seed * LIMIT_MS,
    random,
  })
  const { schedule, note } = run
  database.shiftMs = 0
  const faults = new CrashesAnywhere(random.fork('faults'))
  const { fleet, users } = run.open({
    faults,
    clocks: random.pick(['right', 'wrong']),
    isLossy: () => false,
    calls: {
      plan: () => ({ fault: 'none', outcome: 'APPLIED', delayMs: 0, lease: 'held', recording: 'ok' }),
      onSent: () => {},
      onAnswer: () => {},
    },
  })
  const startReplica = (): void => {
    const { deps, worker } = fleet.startWorker()
    startChangeRequests(deps, {
      everyMs: 2_000,
      isPaused: () => Promise.resolve(false),
      onStarted: () => worker.wake(),
    })
  }
  const known = new Map<string, Known>()
  const scope = { environmentKey, applicationRuntimeId: environmentKey, workspaceId: 1 }
  const people = new People({
    schedule,
    database,
    fleet,
    users,
    scope,
    random: random.fork('people'),
    note,
    known,
  })
  let isOver = false
  const scenario = async (): Promise<void> => {
    startReplica()
    startReplica()
    for (const bundle of ['plain', 'single'] as const) await users.install(bundle)
    await schedule.wait(20_000)
    await people.begin()
    faults.isOver = false
    await Promise.all(
      PEOPLE.map(async (by) => {
        for (let step = 0; step < STEPS_OF_EACH; step++) {
          await people.act(by)
          while (fleet.running.length < 2) startReplica()
        }
      }),
    )
    faults.isOver = true
    while (fleet.running.length < 2) startReplica()
    // the clock goes on, so that what is scheduled ends
    await schedule.wait(60_000)
    database.shiftMs += REST_MS
    await schedule.wait(60_000)
  }
  const violations: Violation[] = []
  const failed = (error: unknown): void =>
    void violations.push({
      promise: 'the history runs',
      seen: error instanceof Error ? String(error.stack) : String(error),
    })
  void scenario()
    .catch(failed)
    .then(() => (isOver = true))
  const latest = schedule.now + LIMIT_MS
  await schedule.runUntil(() => isOver || schedule.now > latest).catch(failed)
  if (!isOver) violations.push({ promise: 'everything ends', seen: 'the history does not end' })

  const seen = await readSeen(database, environmentKey)
  const { deps } = fleet.startServer()
  const reading = effectsOf(
    seen.operations.map(({ operationId, changeRequestId }) => ({ operationId, changeRequestId })),
  )
  let effects: Map<string, string> | null = null
  void reading.then((found) => (effects = found), failed)
  await schedule.runUntil(() => effects !== null || violations.length > 0).catch(failed)
  violations.push(...judge(seen, known, effects ?? new Map()))
  for (const { process } of fleet.running) process.kill()
  if (violations.length > 0) await database.parkOperations()
  database.shiftMs = 0
  const counts: Record<string, number> = { operations: seen.operations.length, crashes: faults.count }
  for (const { state } of seen.requests) counts[state] = (counts[state] ?? 0) + 1
  return { violations: violations.map((one) => ({ ...one, seed })), trace: run.trace, counts }

  /** What the operations of each request changed. */
  async function effectsOf(
    operations: readonly { operationId: string; changeRequestId: string | null }[],
  ): Promise<Map<string, string>> {
    const changed = new Map<
      string,
      { target: string | null; changes: Parameters<typeof effectText>[1][number][] }
    >()
    for (const { operationId, changeRequestId } of operations) {
      if (changeRequestId === null) continue
      const context = { deps, actor: actorOf('ada', 'judge') }
      const detail = await readOperation(context, { params: { operationId }, query: {}, body: undefined })
      const target = detail.operationType === 'UPGRADE' ? detail.targetVersion : null
      const before = changed.get(changeRequestId)?.changes ?? []
      changed.set(changeRequestId, { target, changes: [...before, ...detail.changes] })
    }
    return new Map([...changed].map(([id, { target, changes }]) => [id, effectText(target, changes)]))
  }
}

/** A few crashes at any statement or commit, and some transactions that fail. */
class CrashesAnywhere implements DatabaseFaults {
  isOver = true
  count = 0
  private readonly random: SeededRandom

  constructor(random: SeededRandom) {
    this.random = random
  }

  interruption() {
    if (this.isOver || this.count >= CRASHES_MAX || !this.random.chance(0.002)) return 'none' as const
    this.count++
    return this.random.pick(['die-before', 'die-after', 'lose-answer'] as const)
  }

  transaction() {
    if (this.isOver || !this.random.chance(0.01)) return 'ok' as const
    return this.random.pick([
      'serialization-failure',
      'lost-before-commit',
      'unknown-applied',
      'unknown-not-applied',
    ] as const)
  }

  waitMs(): number {
    return this.random.between(0, 3)
  }
}
