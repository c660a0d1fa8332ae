import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { inTransaction } from '#database/transaction.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { actorWith } from '../../testing/runtime.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { readPluginHealth } from './plugin-health.ts'

suite('the health of a plugin', { concurrency: false }, () => {
  let engine: TestEngine
  let operationId: string
  let workspaceId: number

  before(async () => {
    engine = await testEngine()
    await engine.register('provisioner')
    // UNKNOWN, no connection, a failure of the plugin, then success: in each of the two stages
    engine.plugin.script((_, before) => {
      if (before === 0) return { outcome: 'UNKNOWN' }
      if (before === 1) return 'reset'
      if (before === 2)
        return { errorCode: 'BUSY', data: { message: 'Busy.', retryable: true, errorPath: ['provisioner'] } }
      return { outcome: 'APPLIED' }
    })
    const installation = await engine.installation()
    workspaceId = installation.workspace_id
    const { operation_id } = await engine.freeze({ installation, plan: planWith() })
    operationId = operation_id
    engine.work()
    await engine.until(operationId, 'SUCCEEDED')
  })
  after(() => engine.close())

  const read = (query: object = {}, { actor = engine.runtime.actor, limit = 50_000 } = {}) =>
    readPluginHealth(
      { deps: engine.deps, actor },
      {
        params: { pluginId: 'provisioner' },
        query: runtimeApi['GET /plugins/{pluginId}/health'].query.parse(query),
        body: undefined,
      },
      limit,
    )

  test('counts attempts, uncertain ones and those that a success took', async () => {
    const health = await read()
    assert.equal(health.complete, true)
    const { attempts, succeeded, uncertain, attemptsNeeded, p50Ms, p95Ms } = health.total
    assert.deepEqual([attempts, succeeded, uncertain, attemptsNeeded], [8, 2, 4, 4])
    assert.ok(p50Ms !== null && p95Ms !== null && p50Ms > 0 && p95Ms >= p50Ms)
    const sum = (rows: readonly { attempts: number }[]) => rows.reduce((all, row) => all + row.attempts, 0)
    assert.equal(sum(health.buckets), 8)
    assert.deepEqual(
      health.versions.map(({ bundle, version, attempts }) => [bundle.bundleId, version, attempts]),
      [['crm', '1.0.0', 8]],
    )
    assert.deepEqual(
      health.latest.map(({ attempt, outcome, errorCode }) => [attempt, outcome, errorCode]).slice(0, 4),
      [
        [4, 'APPLIED', null],
        [3, null, 'BUSY'],
        [2, null, 'PLUGIN_UNREACHABLE'],
        [1, 'UNKNOWN', 'PLUGIN_RESULT_UNKNOWN'],
      ],
    )
    const [newest] = health.latest
    assert.deepEqual([newest?.operationType, newest?.title], ['INSTALL', 'CRM'])
    assert.deepEqual(Object.keys(newest?.scope ?? {}), [
      'environmentKey',
      'applicationRuntimeId',
      'workspaceId',
    ])
    assert.deepEqual(runtimeApi['GET /plugins/{pluginId}/health'].answer.parse(health), health)
  })

  test('attempts that a firewall or a closed port rejected are not uncertain', async () => {
    const { db } = engine.runtime
    const port = 'http://127.0.0.1:1/provisioner'
    await db
      .updateTable('runtime.plugin')
      .set({ endpoint: port })
      .where('plugin_id', '=', 'provisioner')
      .execute()
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    await engine.until(operation_id, 'FAILED')
    const { endpoints, total } = await read()
    assert.deepEqual([total.attempts, total.uncertain], [16, 4])
    // before and after the change of the endpoint
    assert.deepEqual(
      endpoints.map(({ endpoint, attempts, uncertain, succeeded }) => [
        endpoint,
        attempts,
        uncertain,
        succeeded,
      ]),
      [
        [engine.plugin.endpoint('provisioner'), 8, 4, 2],
        [port, 8, 0, 0],
      ],
    )
  })

  test('reads only the newest attempts of a busy plugin, and says so', async () => {
    const health = await read({}, { limit: 3 })
    assert.equal(health.total.attempts, 3)
    assert.equal(health.complete, false)
    assert.equal(health.since, health.latest.at(-1)?.startedAt)
  })

  test('reads only the range', async () => {
    const { db } = engine.runtime
    await sql`
      update runtime.attempt set started_at = started_at - interval '2 days', finished_at = finished_at - interval '2 days'
      where operation_id = ${operationId} and stage = 'BEFORE_RESOURCES'`.execute(db)
    assert.equal((await read({ range: 'day' })).total.attempts, 12)
    const week = await read({ range: 'week' })
    assert.equal(week.total.attempts, 16)
    assert.ok(week.buckets.length >= 2)
    // the endpoint of attempts from before its record is not known
    assert.deepEqual([week.endpoints[0]?.endpoint, week.endpoints[0]?.attempts], [null, 4])
  })

  test('people see the attempts of the operations that they may see', async () => {
    const inScope = actorWith([{ permissions: ['read'], scope: { ...SCOPE, workspaceId } }], 'Grace')
    assert.equal((await read({ range: 'week' }, { actor: inScope })).total.attempts, 8)
    const nothing = await read({ range: 'week' }, { actor: actorWith([], 'Grace') })
    assert.deepEqual([nothing.total.attempts, nothing.latest.length], [0, 0])
  })

  test('finds attempts by an index on plugin and time', async () => {
    const plan = await inTransaction(engine.runtime.db, async (tx) => {
      // a table of a few rows would be read whole
      await sql`set local enable_seqscan = off`.execute(tx)
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain select 1 from runtime.attempt where plugin_id = 'provisioner' and started_at >= '2026-01-01'
        order by started_at desc limit 10`.execute(tx)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    assert.match(plan, /Index.* Scan Backward using attempt_plugin/)
    assert.doesNotMatch(plan, /Sort/)
  })
})
