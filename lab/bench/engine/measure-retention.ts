import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import { fromUrl } from '#database/settings.ts'
import { systemClock } from '#http-kit/clock.ts'
import { createLog } from '#http-kit/log.ts'
import type { Db } from '#runtime/model/db.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { startRetention } from '#runtime/retention/run-retention.ts'
import { readRetention } from '#runtime/store/retention/retention-row.ts'
import { CONCURRENCY, createEngine } from './operations.ts'
import type { EngineContext } from './operations.ts'

/** Operations processed per second in two consecutive slices. */
export interface Pair {
  without: number
  with: number
}

export interface RetentionMeasured {
  pairs: Pair[]
  /** Operations, with their attempts, that retention removed per second. */
  removedPerSecond: number
  /** Of one operation in compact tables, before and after its attempts and requests are removed. */
  bytes: { before: number; after: number }
}

const OLD = 24_000
const WARM_UP = 500
/** Operations that wait, so that the worker never lacks work. */
const BACKLOG = 400
const SLICE_MS = 3_000
const PAIRS = 16

const task = JSON.parse(process.argv[2] ?? '') as EngineContext
process.send?.(await measure(task))
process.exit(0)

/** Alternates slices with and without retention, so that other load affects both equally. */
async function measure(context: EngineContext): Promise<RetentionMeasured> {
  const { db, close } = openDatabase<RuntimeTables>(fromUrl(context.databaseUrl), {
    max: 2,
    statementTimeoutMs: 120_000,
  })
  const engine = await createEngine(context)
  await engine.prepare()
  await engine.fill(OLD)
  await endLongAgo(db)
  const before = await sizeOf(db)
  await addLater(db)
  await engine.fill(WARM_UP + BACKLOG)
  await sql`analyze`.execute(db)
  const log = createLog({ name: 'bench', level: 'warn' })
  let isPaused = true
  const retention = startRetention(
    { db, clock: systemClock, log },
    { operationsDays: 400, attemptsDays: 90, pollMs: 10, isPaused: () => Promise.resolve(isPaused) },
  )
  let [done, made] = [0, WARM_UP + BACKLOG]
  const warm = Promise.withResolvers<void>()
  await engine.start(() => {
    done++
    if (done === WARM_UP) warm.resolve()
  })
  await warm.promise
  const slice = async (hasRetention: boolean): Promise<number> => {
    isPaused = !hasRetention
    const [began, doneBefore] = [performance.now(), done]
    while (performance.now() - began < SLICE_MS) {
      const missing = BACKLOG - (made - done)
      if (missing > 0) {
        await engine.fill(missing)
        made += Math.ceil(missing / CONCURRENCY) * CONCURRENCY
      } else await sleep(5)
    }
    return ((done - doneBefore) * 1_000) / (performance.now() - began)
  }
  const pairs: Pair[] = []
  const { operations: removedBefore } = await readRetention(db)
  for (let index = 0; index < PAIRS; index++) {
    const first = await slice(index % 2 === 0)
    const second = await slice(index % 2 === 1)
    pairs.push(index % 2 === 0 ? { with: first, without: second } : { without: first, with: second })
  }
  const { operations } = await readRetention(db)
  if (operations === OLD) throw new Error('Retention had nothing to do at the end')
  await retention.stop()
  await engine.stop()
  // what retention does to operations that it keeps
  await sql`delete from runtime.attempt`.execute(db)
  await sql`update runtime.plugin_call set request = null`.execute(db)
  await sql`delete from runtime.operation where operation_id not in (select operation_id from runtime.operation_plan)`.execute(
    db,
  )
  const after = await sizeOf(db)
  await close()
  const removedPerSecond = ((operations - removedBefore) * 1_000) / (PAIRS * SLICE_MS)
  return { pairs, removedPerSecond, bytes: { before, after } }
}

/** Ends all operations as if their calls had succeeded 500 days ago. */
async function endLongAgo(db: Db): Promise<void> {
  await sql`
    update runtime.operation set state = 'SUCCEEDED', phase = 'DONE', holds_claim = false,
      created_at = created_at - interval '500 days', started_at = created_at - interval '500 days',
      finished_at = created_at - interval '500 days'`.execute(db)
  await sql`
    update runtime.plugin_call set outcome = 'APPLIED', ended_well = true, attempts = 1, run_attempts = 1,
      request = convert_to(${'x'.repeat(800)}, 'UTF8')`.execute(db)
  await sql`
    insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, finished_at, outcome, response)
    select operation_id, stage, plugin_id, 1, 1, 1, clock_timestamp(), 'APPLIED',
      json_build_object('data', ${'x'.repeat(550)}::text) from runtime.plugin_call`.execute(db)
}

/** Gives each installation a later operation, because its last one is never removed. */
async function addLater(db: Db): Promise<void> {
  await sql`
    insert into runtime.operation (operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id,
      workspace_id, bundle_environment_key, bundle_id, operation_type, target_version, execution_sequence, state, phase,
      holds_claim, requested_by_id, requested_by_name, finished_at)
    select gen_random_uuid(), bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, operation_type, target_version, execution_sequence + 1, 'SUCCEEDED', 'DONE',
      false, requested_by_id, requested_by_name, clock_timestamp()
    from runtime.operation`.execute(db)
  await sql`update runtime.retention set due_at = clock_timestamp()`.execute(db)
}

/** Bytes of one operation with its plan, calls and attempts. */
async function sizeOf(db: Db): Promise<number> {
  let bytes = 0
  for (const table of ['operation', 'operation_plan', 'plugin_call', 'attempt']) {
    await sql`vacuum full ${sql.table(`runtime.${table}`)}`.execute(db)
    const { rows } = await sql<{ bytes: number }>`
      select pg_total_relation_size(${`runtime.${table}`}::regclass)::float8
        / greatest(1, (select count(*) from runtime.operation_plan)) as bytes`.execute(db)
    bytes += rows[0]?.bytes ?? 0
  }
  return bytes
}
