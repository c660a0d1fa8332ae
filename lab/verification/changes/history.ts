import type { ChangeState } from '#contract/runtime-api/vocabulary.ts'
import { startBatchRunner } from '#runtime/batches/run-batches.ts'
import { startChangeRequests } from '#runtime/change-requests/run-change-requests.ts'
import { readChangeRequest } from '#runtime/use-cases/change-requests/read.ts'
import { readOperation } from '#runtime/use-cases/operations/read.ts'
import { actorOf } from '../simulation/client.ts'
import type { DatabaseFaults } from '../simulation/driver.ts'
import { SimulatedRun } from '../simulation/run.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { Users } from '../simulation/users.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import { PEOPLE } from './caller.ts'
import { aboutTarget, effectText } from './effects.ts'
import { isQuiet, judge, NOTE_OPERATIONS, readSeen } from './judge.ts'
import type { Known, Seen } from './judge.ts'
import { People } from './people.ts'

export interface ChangeHistory {
  violations: Violation[]
  trace: string[]
  /** How many requests ended in each state, and how many operations, batches, later waves and crashes there were. */
  counts: Record<string, number>
}

const START = Date.parse('2026-03-01T00:00:00Z')
/** How many steps a person takes. */
const [STEPS_MIN, STEPS_MAX] = [4, 12]
const CRASHES_MAX = 5
/** How long a history waits for what the platform does by itself. */
const QUIET_MS = 60_000
/** Until then, everything that people scheduled is over, whatever the clock did. */
const REST_MS = 900_000
const LIMIT_MS = 4 * 60 * 60_000

export const prepare = async ({ database }: Simulation): Promise<void> =>
  void (await database.query(NOTE_OPERATIONS))

/**
 * The replicas of later histories in the database would find what one leaves behind: they would remind of it, judge it again, and reach
 * the most requests of a person and the most freezes.
 */
const CLEAR = `
  update runtime.change_request set state = 'WITHDRAWN', ended_at = clock_timestamp() where ended_at is null;
  update runtime.batch set state = 'STOPPED', finished_at = clock_timestamp() where finished_at is null;
  delete from runtime.change_freeze;
  delete from runtime.change_policy`

/** Three people, two replicas and faults in two environments, all determined by the seed. */
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
      plan: () => ({
        fault: !faults.isOver && random.chance(0.15) ? 'failure' : 'none',
        outcome: 'APPLIED',
        delayMs: 0,
        lease: 'held',
        recording: 'ok',
      }),
      onSent: () => {},
      onAnswer: () => {},
    },
  })
  const startReplica = (): void => {
    const { deps, worker } = fleet.startWorker()
    const options = { isPaused: () => Promise.resolve(false), onStarted: () => worker.wake() }
    startChangeRequests(deps, { ...options, everyMs: 4_000 })
    startBatchRunner(deps, { ...options, pollMs: 4_000 })
  }
  const known = new Map<string, Known>()
  const scope = { environmentKey, applicationRuntimeId: environmentKey, workspaceId: 1 }
  const other = `${environmentKey}-too`
  const environments = [environmentKey, other]
  const elsewhere = new Users({
    schedule,
    database,
    fleet,
    random: random.fork('elsewhere'),
    scope: { ...scope, environmentKey: other, applicationRuntimeId: other },
    note,
    isLossy: () => false,
  })
  const people = new People({
    name: environmentKey,
    schedule,
    database,
    fleet,
    users,
    elsewhere,
    scope,
    environments,
    random: random.fork('people'),
    note,
    known,
  })
  let isOver = false
  const scenario = async (): Promise<void> => {
    startReplica()
    startReplica()
    for (const bundle of ['plain', 'single'] as const) await users.install(bundle)
    await elsewhere.install('plain')
    await untilQuiet()
    await people.begin()
    faults.isOver = false
    await Promise.all(
      PEOPLE.map(async (by) => {
        const steps = random.integer(STEPS_MIN, STEPS_MAX)
        for (let step = 0; step < steps; step++) {
          await people.act(by)
          while (fleet.running.length < 2) startReplica()
        }
      }),
    )
    faults.isOver = true
    while (fleet.running.length < 2) startReplica()
    // the clock goes on, so that what is scheduled ends
    await untilQuiet()
    database.shiftMs += REST_MS
    await untilQuiet()
  }
  async function untilQuiet(): Promise<void> {
    const latest = schedule.now + QUIET_MS
    do await schedule.wait(1_000)
    while (schedule.now < latest && !(await isQuiet(database, environments)))
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

  const seen = await readSeen(database, environments)
  const { deps } = fleet.startServer()
  let shown: Parameters<typeof judge>[2] | null = null
  void Promise.all([effectsOf(seen), pagesOf(seen)]).then(
    ([effects, pages]) => (shown = { effects, pages }),
    failed,
  )
  await schedule.runUntil(() => shown !== null || violations.length > 0).catch(failed)
  if (shown !== null) violations.push(...judge(seen, known, shown))
  for (const { process } of fleet.running) process.kill()
  if (violations.length > 0) await database.parkOperations()
  await database.query(CLEAR)
  database.shiftMs = 0
  const laterWaves = seen.batches.flatMap(({ turns }) =>
    turns.filter(({ wave, begun }) => wave > 1 && !begun),
  )
  const counts: Record<string, number> = {
    operations: seen.operations.length,
    crashes: faults.count,
    batches: seen.batches.length,
    'later waves': laterWaves.length,
  }
  for (const { state } of seen.requests) counts[state] = (counts[state] ?? 0) + 1
  return { violations: violations.map((one) => ({ ...one, seed })), trace: run.trace, counts }

  /** The state of each request as its page shows it. */
  async function pagesOf({ requests }: Seen): Promise<Map<string, ChangeState>> {
    const context = { deps, actor: actorOf('ada', 'judge') }
    const pages = new Map<string, ChangeState>()
    for (const { changeRequestId } of requests) {
      const input = { params: { changeRequestId }, query: {}, body: undefined }
      pages.set(changeRequestId, (await readChangeRequest(context, input)).state)
    }
    return pages
  }

  /** What each operation changed; those of one request together, unless it is a batch. */
  async function effectsOf({ operations, batches }: Seen): Promise<Map<string, string>> {
    const details = new Map<string, Detail>()
    const context = { deps, actor: actorOf('ada', 'judge') }
    for (const { operationId, changeRequestId } of operations)
      if (changeRequestId !== null)
        details.set(
          operationId,
          await readOperation(context, { params: { operationId }, query: {}, body: undefined }),
        )
    return new Map(
      operations.flatMap(({ operationId, changeRequestId, batchId }) => {
        const detail = details.get(operationId)
        if (detail === undefined) return []
        const isUpgrade = detail.operationType === 'UPGRADE'
        const targetVersion = isUpgrade ? detail.targetVersion : null
        if (batchId !== null) {
          const waves = batches.find((batch) => batch.batchId === batchId)?.waves ?? null
          const about = aboutTarget(detail.installation.bundleInstallId, { targetVersion, waves })
          return [[operationId, effectText(about, isUpgrade ? [] : detail.changes)]]
        }
        const together = operations.filter((one) => one.changeRequestId === changeRequestId)
        const changes = together.flatMap((one) => details.get(one.operationId)?.changes ?? [])
        return [[operationId, effectText(targetVersion, changes)]]
      }),
    )
  }
}

type Detail = Awaited<ReturnType<typeof readOperation>>

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
