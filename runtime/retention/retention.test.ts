import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import canonicalize from 'canonicalize'
import { sql } from 'kysely'
import { OperationReceipt } from '#contract/runtime-api/receipts.ts'
import { openDatabase } from '#database/pool.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { createLog } from '#http-kit/log.ts'
import type { RuntimeTables } from '../model/tables.ts'
import type { OperationRow } from '../model/operation.ts'
import type { InstallationColumns } from '../model/installation.ts'
import { findScope, scopeOf } from '../store/configuration/scopes.ts'
import { readPlansAt } from '../store/operations/plans.ts'
import { recover } from '../store/recovery/recover.ts'
import { readRetention } from '../store/retention/retention-row.ts'
import { testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { plannedRequest, planWith } from '../testing/plan.ts'
import { readOperation } from '../use-cases/operations/read.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { archiveReceipts } from './archive-receipts.ts'
import { removeStep } from './remove-step.ts'
import type { RetentionPeriods } from './remove-step.ts'
import { startRetention } from './run-retention.ts'

const REQUEST = Buffer.from(JSON.stringify(plannedRequest(planWith())))
const PERIODS = { operationsDays: 400, attemptsDays: 90 }

suite('retention', { concurrency: false }, () => {
  let engine: TestEngine

  before(async () => {
    engine = await testEngine()
  })
  after(() => engine.close())
  beforeEach(async () => {
    // leaves nothing of an earlier test to remove
    await makeDue()
    await run()
    await makeDue()
  })

  const makeDue = () =>
    sql`update runtime.retention set due_at = clock_timestamp(), attempts_until = null, attempts_until_id = null`.execute(
      engine.runtime.db,
    )

  /** Operations of one installation that succeeded one after the other, each with an attempt of both calls. */
  const operationsOf = async (
    installation: InstallationColumns,
    types: readonly OperationRow['operation_type'][],
  ): Promise<string[]> => {
    const ids: string[] = []
    for (const operationType of types) {
      const plan = planWith()
      const { operation_id } = await engine.freeze({ installation, operationType, plan })
      await engine.runtime.succeed(operation_id)
      await sql`
        with call as (
          update runtime.plugin_call set attempts = 1, request = ${REQUEST} where operation_id = ${operation_id}
          returning *
        )
        insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, finished_at, response)
        select operation_id, stage, plugin_id, 1, 1, 1, clock_timestamp() + interval '5 ms', '{}' from call`.execute(
        engine.runtime.db,
      )
      ids.push(operation_id)
    }
    return ids
  }

  /** Moves operations into the past, as if they had been made and finished then. */
  const age = (ids: readonly string[], days: number) =>
    sql`update runtime.operation
      set created_at = created_at - make_interval(days => ${days}), finished_at = finished_at - make_interval(days => ${days})
      where operation_id = any(${[...ids]}::uuid[])`.execute(engine.runtime.db)

  const run = async (periods: RetentionPeriods = PERIODS, db = engine.runtime.db): Promise<void> => {
    for (;;) if ((await removeStep(db, periods)).kind !== 'removed') return
  }

  const stored = async (ids: readonly string[]): Promise<string[]> => {
    const { rows } = await sql<{ operation_id: string }>`
      select operation_id from runtime.operation where operation_id = any(${[...ids]}::uuid[]) order by 1`.execute(
      engine.runtime.db,
    )
    return rows.map(({ operation_id }) => operation_id)
  }

  const attemptsOf = async (id: string): Promise<number> => {
    const { rows } = await sql<{ attempts: number }>`
      select count(*)::int4 as attempts from runtime.attempt where operation_id = ${id}`.execute(
      engine.runtime.db,
    )
    return rows[0]?.attempts ?? 0
  }

  const rowsOf = async (...tables: string[]) =>
    Promise.all(
      tables.map(async (table) => {
        const { rows } = await sql`
          select row_to_json(remaining)::text as row from ${sql.table(`runtime.${table}`)} as remaining order by 1`.execute(
          engine.runtime.db,
        )
        return rows
      }),
    )

  /** The plans that the first snapshot of an installation's scope is displayed with. */
  const plansOf = async (installation: InstallationColumns) => {
    const scope = await findScope(engine.runtime.db, scopeOf(installation))
    assert.ok(scope !== undefined)
    return readPlansAt(engine.runtime.db, scope, scope.snapshot_version)
  }

  const auditOf = async () => {
    const { rows } = await sql<{ changes: { property: string; after: { value: number } }[] }>`
      select changes from runtime.audit_entry where action = 'retention.run' order by sequence`.execute(
      engine.runtime.db,
    )
    return rows.map(({ changes }) =>
      Object.fromEntries(changes.map(({ property, after: { value } }) => [property, value])),
    )
  }

  test('removes old configurations and nothing that is still needed', async () => {
    const { db } = engine.runtime
    const installation = await engine.installation()
    const old = await operationsOf(installation, [
      'INSTALL',
      'CONFIGURE',
      'UPGRADE',
      'CONFIGURE',
      'CONFIGURE',
    ])
    const recent = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    const failing = await engine.installation()
    const failed = await operationsOf(failing, ['INSTALL', 'CONFIGURE'])
    const { operation_id: claimed } = await engine.freeze({
      installation: failing,
      operationType: 'CONFIGURE',
      plan: planWith(),
    })
    await engine.runtime.fail(claimed)
    await sql`update runtime.operation set finished_at = clock_timestamp() where operation_id = ${claimed}`.execute(
      db,
    )
    const named = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    const batchId = uuidv7(engine.deps)
    await sql`
      insert into runtime.batch (batch_id, action, title, input, shown_input, concurrency, state, is_released,
        requested_by_id, requested_by_name, actor, grants_until, finished_at)
      values (${batchId}, 'RETRY', '', '', '{}', 1, 'FINISHED', true, 'a', 'A', '{}', clock_timestamp(), clock_timestamp())`.execute(
      db,
    )
    await sql`
      insert into runtime.batch_item (batch_id, position, target, bundle_install_id, scope_id, state, refused_in_plan, operation_id)
      select ${batchId}, 0, operation_id, bundle_install_id, scope_id, 'SUCCEEDED', false, operation_id
      from runtime.operation where operation_id = ${named[1]}`.execute(db)
    await age([...old, ...failed, claimed, ...named], 500)
    await age(recent, 399)
    const hours = await sql`
      insert into runtime.operation_total
      select environment_key, date_trunc('hour', created_at, 'UTC'), count(*) from runtime.operation
      where created_at < clock_timestamp() - interval '300 days' group by 1, 2`.execute(db)
    assert.ok(Number(hours.numAffectedRows) > 0)
    const untouched = [
      'installation',
      'installed_resource',
      'configuration_property',
      'snapshot',
      'snapshot_change',
      'scope',
      'plugin',
      'batch',
      'batch_item',
      'requester',
    ]
    const before = await rowsOf(...untouched)
    const plansBefore = await plansOf(installation)

    await run({ operationsDays: 400, attemptsDays: 0 })

    const gone = [old[1]!, old[3]!, failed[1]!]
    const all = [...old, ...recent, ...failed, claimed, ...named]
    assert.deepEqual(await stored(all), all.filter((id) => !gone.includes(id)).toSorted())
    assert.deepEqual(await rowsOf(...untouched), before)
    assert.deepEqual(await plansOf(installation), plansBefore)
    assert.equal(plansBefore.length, 1)
    for (const table of ['plugin_call', 'operation_plan', 'attempt'] as const) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int4 as count from ${sql.table(`runtime.${table}`)}
        where operation_id = any(${gone}::uuid[])`.execute(db)
      assert.equal(rows[0]?.count, 0, table)
    }
    assert.equal(await attemptsOf(old[0]!), 2)
    const { rows: totals } = await sql<{ counted: number; stored: number }>`
      select (select sum(total)::int4 from runtime.operation_total) as counted, count(*)::int4 as stored
      from runtime.operation where created_at < clock_timestamp() - interval '300 days'`.execute(db)
    assert.equal(totals[0]?.counted, totals[0]?.stored)
    assert.deepEqual((await auditOf()).at(-1), { operations: 3, attempts: 6, batches: 0 })

    // a year later, the batch goes, then what it named
    await sql`update runtime.batch set created_at = created_at - interval '401 days',
      finished_at = finished_at - interval '401 days'`.execute(db)
    await makeDue()
    await run({ operationsDays: 400, attemptsDays: 0 })
    assert.deepEqual(await stored(named), named.filter((id) => id !== named[1]).toSorted())
    assert.deepEqual((await auditOf()).at(-1), { operations: 1, attempts: 2, batches: 1 })
  })

  test('removes attempts and requests of finished operations sooner, and says so', async () => {
    const ids = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE'])
    const recent = await operationsOf(await engine.installation(), ['INSTALL'])
    await age(ids, 91)
    await age(recent, 89)
    const read = (operationId: string) =>
      readOperation(engine.runtime.read, { params: { operationId }, query: {}, body: undefined })

    await run()

    for (const id of ids) {
      const { attemptsRemoved, stages } = await read(id)
      assert.equal(attemptsRemoved, true)
      for (const call of stages.flatMap(({ calls }) => calls)) {
        assert.deepEqual(call.attempts, [])
        assert.equal(call.request, null)
        assert.equal(call.outcome, 'APPLIED')
      }
    }
    const remaining = await read(recent[0]!)
    assert.equal(remaining.attemptsRemoved, false)
    assert.equal(remaining.stages[0]?.calls[0]?.attempts.length, 1)
  })

  test('an operation that is taken over late has its attempts until the next run, and says so', async () => {
    const { db } = engine.runtime
    const [late] = await operationsOf(await engine.installation(), ['INSTALL'])
    const [later] = await operationsOf(await engine.installation(), ['INSTALL'])
    await age([late!], 100)
    await age([later!], 95)
    await sql`update runtime.operation set state = 'FAILED' where operation_id = ${late}`.execute(db)
    const isRemoved = async () => {
      const request = { params: { operationId: late! }, query: {}, body: undefined }
      const { attemptsRemoved } = await readOperation(engine.runtime.read, request)
      return attemptsRemoved
    }
    await run()
    assert.deepEqual([await attemptsOf(late!), await attemptsOf(later!)], [2, 0])

    await sql`update runtime.operation set state = 'TAKEN_OVER' where operation_id = ${late}`.execute(db)
    assert.equal(await isRemoved(), false)
    await sql`update runtime.retention set due_at = clock_timestamp()`.execute(db)
    await run({ operationsDays: 400, attemptsDays: 120 })
    assert.equal(await attemptsOf(late!), 2)
    await sql`update runtime.retention set due_at = clock_timestamp()`.execute(db)
    await run()
    assert.equal(await attemptsOf(late!), 0)
    assert.equal(await isRemoved(), true)
  })

  test('keeps everything where the periods are 0, and before the first run is due', async () => {
    const ids = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    await age(ids, 5_000)
    await run({ operationsDays: 0, attemptsDays: 0 })
    await sql`update runtime.retention set due_at = clock_timestamp() + interval '1 hour'`.execute(
      engine.runtime.db,
    )
    assert.deepEqual(await removeStep(engine.runtime.db, PERIODS), { kind: 'none' })
    assert.deepEqual(await stored(ids), ids.toSorted())
    assert.equal(await attemptsOf(ids[1]!), 2)
  })

  test('a step that is interrupted changes nothing, and the next one continues', async () => {
    const { db } = engine.runtime
    const ids = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    await age(ids, 600)
    const dying = openDatabase<RuntimeTables>(engine.runtime.connection, {
      max: 1,
      applicationName: 'dying-replica',
    })
    const before = await readRetention(db)
    await db.transaction().execute(async (tx) => {
      // the step has deleted attempts and calls when it comes to this table
      await sql`lock table runtime.operation_note in access exclusive mode`.execute(tx)
      const step = assert.rejects(removeStep(dying.db, PERIODS))
      // on a machine that is too slow for this, the step ends by its lock timeout, which must leave no more behind
      const ended = { isOver: false }
      void step.finally(() => (ended.isOver = true))
      while (!ended.isOver)
        await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'dying-replica' and wait_event_type = 'Lock'`.execute(db)
      await step
    })
    await dying.close()
    assert.equal(await attemptsOf(ids[1]!), 2)
    assert.deepEqual((await readRetention(db)).operations, before.operations)

    await run()
    assert.deepEqual(await stored(ids), ids.filter((id) => id !== ids[1]).toSorted())
    assert.equal((await readRetention(db)).operations, before.operations + 1)
  })

  test('stores receipts before it removes attempts, and removes nothing that it cannot store', async () => {
    const { db } = engine.runtime
    const directory = await mkdtemp(join(tmpdir(), 'archive-'))
    const archiveTo = (path: string) => (ids: readonly string[]) => archiveReceipts(engine.deps, path, ids)
    const ids = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    await age(ids, 100)
    await assert.rejects(removeStep(db, PERIODS, archiveTo(join(directory, 'missing'))), SettingsError)
    // root may write everywhere
    if (process.getuid?.() !== 0) {
      await chmod(directory, 0o500)
      await assert.rejects(removeStep(db, PERIODS, archiveTo(directory)), /cannot write; change its owner$/)
      await chmod(directory, 0o700)
    }
    assert.equal(await attemptsOf(ids[1]!), 2)

    await runTo(directory)
    const files = (await readdir(directory, { recursive: true })).filter((name) =>
      ids.some((id) => name.endsWith(`${id}.json`)),
    )
    assert.equal(files.length, 3)
    const read = () => Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')))
    const texts = await read()
    for (const text of texts) {
      const { sha256, ...content } = JSON.parse(text)
      assert.equal(OperationReceipt.parse(JSON.parse(text)).operation.stages[0]?.calls[0]?.attempts.length, 1)
      assert.equal(
        createHash('sha256')
          .update(canonicalize(content) ?? '')
          .digest('hex'),
        sha256,
      )
    }
    assert.equal(await attemptsOf(ids[1]!), 0)

    // a step that is repeated does not write them again
    const months = [...new Set(files.map((file) => dirname(join(directory, file))))]
    for (const month of months) await utimes(month, 1, 1)
    await archiveReceipts(engine.deps, directory, ids)
    for (const month of months) assert.equal((await stat(month)).mtimeMs, 1_000)

    // what is stored stays when the operation itself goes
    await age(ids, 400)
    await makeDue()
    await runTo(directory)
    assert.deepEqual(
      await stored(ids),
      ids.filter((id) => id !== ids[1]),
    )
    assert.deepEqual(await read(), texts)
    await rm(directory, { recursive: true })

    async function runTo(path: string): Promise<void> {
      for (;;) if ((await removeStep(db, PERIODS, archiveTo(path))).kind !== 'removed') return
    }
  })

  test('two replicas share a run, and count everything once', async () => {
    const { db } = engine.runtime
    const ids: string[] = []
    for (let index = 0; index < 3; index++)
      ids.push(
        ...(await operationsOf(await engine.installation(), [
          'INSTALL',
          'CONFIGURE',
          'CONFIGURE',
          'CONFIGURE',
        ])),
      )
    await age(ids, 450)
    const before = await readRetention(db)
    const entries = (await auditOf()).length
    const log = createLog({ name: 'test', level: 'silent' })
    const replicas = [1, 2].map(() => startRetention({ ...engine.deps, log }, { ...PERIODS, pollMs: 5 }))
    const deadline = performance.now() + 60_000
    while ((await auditOf()).length === entries && performance.now() < deadline)
      await engine.deps.clock.sleep(10)
    await Promise.all(replicas.map((replica) => replica.stop()))
    assert.equal((await stored(ids)).length, 6)
    const after = await readRetention(db)
    assert.equal(after.operations - before.operations, 6)
    assert.equal(after.failures, before.failures)
    assert.deepEqual((await auditOf()).slice(entries), [{ operations: 6, attempts: 24, batches: 0 }])
  })

  test('says that an operation of that time was removed, whether or not it existed', async () => {
    const ids = await operationsOf(await engine.installation(), ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    await age(ids, 420)
    await run()
    const refusalOf = async (operationId: string) => {
      try {
        await readOperation(engine.runtime.read, { params: { operationId }, query: {}, body: undefined })
      } catch (error) {
        return error as Error & { code: string; reason?: string }
      }
      throw new Error('it was not refused')
    }
    const at = (daysAgo: number) =>
      uuidv7({
        clock: { now: () => new Date(Date.now() - daysAgo * 86_400_000) },
        random: engine.deps.random,
      })
    const { message: old, code } = await refusalOf(at(420))
    assert.equal(code, 'NOT_FOUND')
    assert.match(old, /finished before \d{4}-\d\d-\d\d were removed/)
    assert.doesNotMatch((await refusalOf(at(1))).message, /removed/)
  })

  test('execution sequences continue after what was removed, also after a restore', async () => {
    const { db } = engine.runtime
    const installation = await engine.installation()
    const ids = await operationsOf(installation, ['INSTALL', 'CONFIGURE', 'CONFIGURE'])
    await age(ids, 420)
    await run()
    const [next] = await operationsOf(installation, ['CONFIGURE'])
    const sequenceOf = async (id: string) => {
      const row = await db
        .selectFrom('runtime.operation')
        .select('execution_sequence')
        .where('operation_id', '=', id)
        .executeTakeFirstOrThrow()
      return row.execution_sequence
    }
    assert.equal(await sequenceOf(next!), 4)
    await recover(db, { isForced: true })
    const [later] = await operationsOf(installation, ['CONFIGURE'])
    assert.ok((await sequenceOf(later!)) > 100_000)
  })
})
