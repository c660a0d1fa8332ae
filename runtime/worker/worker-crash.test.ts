import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import type { KyselyPlugin } from 'kysely'
import { freePort } from '#database/free-port.ts'
import { openDatabase } from '#database/pool.ts'
import { inTransaction } from '#database/transaction.ts'
import { whyUnavailable } from '#database/unreachable.ts'
import type { Log } from '#http-kit/log.ts'
import { lockOperation } from '../store/operations/operations.ts'
import { readCalls } from '../store/operations/calls.ts'
import { releaseLeases } from '../store/operations/leases.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'
import type { TestEngine } from '../testing/engine.ts'
import type { RuntimeTables } from '../model/tables.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'

const engine: TestEngine = await testEngine()
const { attemptsOf, endsWell, detailOf } = engineSteps(engine)

suite('workers that start and stop', { concurrency: false }, () => {
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    for (const pluginId of ['provisioner', 'first', 'second', 'third']) await engine.register(pluginId)
  })

  /** An operation whose first call fails when `answer` is called; repeats of it succeed. */
  const withFirstCallOpen = async () => {
    const gate = Promise.withResolvers<void>()
    engine.plugin.script(async ({ stage }, before) => {
      if (before > 0 || stage === 'AFTER_RESOURCES') return { outcome: 'APPLIED' }
      await gate.promise
      return { outcome: 'FAILED' }
    })
    const installation = await engine.installation()
    const operation = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    return { ...operation, answer: gate.resolve }
  }

  test('a worker without a database reports the error that the throttled log knows an outage by', async () => {
    const nobody = { ...engine.runtime.connection, host: '127.0.0.1', port: await freePort() }
    const { db, close } = openDatabase<RuntimeTables>(nobody)
    const reported = Promise.withResolvers<unknown>()
    const log: Log = { ...engine.deps.log, warn: (_, __, error) => reported.resolve(error) }
    const worker = engine.work({}, { ...engine.deps, db, log })
    assert.equal(whyUnavailable(await reported.promise)?.reason, 'nothing listens there')
    await worker.stop()
    await close()
  })

  test('a worker that dies during a call is replaced, and the plugin gets the same request again', async () => {
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    const dead: RuntimeDeps = {
      ...engine.deps,
      clock: { ...engine.deps.clock, sleep: forever },
      http: {
        ...engine.deps.http,
        request: async (request) => {
          await engine.deps.http.request(request)
          return forever()
        },
      },
    }
    engine.work({ leaseMs: 500, graceMs: 0 }, { ...dead })
    while (engine.plugin.calls.length === 0) await engine.deps.clock.sleep(10)
    await endsWell(operation_id)
    assert.equal(engine.plugin.calls.length, 3)
    assert.equal(engine.plugin.calls[0]?.body, engine.plugin.calls[1]?.body)
    const detail = await detailOf(operation_id)
    const [lost, repeated] = detail.stages[0]?.calls[0]?.attempts ?? []
    assert.equal(lost?.outcome, null)
    assert.equal(lost?.failure?.errorCode, 'PLUGIN_RESULT_UNKNOWN')
    assert.equal(repeated?.outcome, 'APPLIED')
  })

  test('a worker that dies while the platform answers for a retired plugin is replaced, and nothing is sent or unknown', async () => {
    await engine.register('gone')
    await engine.deps.db
      .updateTable('runtime.plugin')
      .set({ retired_at: sql<string>`clock_timestamp()` })
      .where('plugin_id', '=', 'gone')
      .execute()
    const installation = await engine.installation()
    const plan = planWith([reader('gone', 1)])
    const { operation_id } = await engine.freeze({ installation, plan, operationType: 'DETACH' })
    const begun = Promise.withResolvers<void>()
    const stuck: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!result.rows.some(({ begun: ids }) => Array.isArray(ids) && ids.length > 0)) return result
        begun.resolve()
        return forever()
      },
    }
    const { clock, db } = engine.deps
    const dead = { ...engine.deps, db: db.withPlugin(stuck), clock: { ...clock, sleep: forever } }
    engine.work({ leaseMs: 500, graceMs: 0 }, dead)
    await begun.promise
    await endsWell(operation_id)
    assert.equal(engine.plugin.calls.length, 0)
    const [call] = (await detailOf(operation_id)).stages[0]?.calls ?? []
    assert.equal(call?.uncertainAttempts, 0)
    assert.deepEqual(
      call?.attempts.map(({ byPlatform, outcome, failure }) => [byPlatform, outcome, failure]),
      [
        [true, null, null],
        [true, 'NOT_APPLIED', null],
      ],
    )
  })

  test('a late response is recorded as late and changes nothing (G07)', async () => {
    const { operation_id, answer } = await withFirstCallOpen()
    // it cannot renew, as if it were suspended
    const paused = { ...engine.deps, clock: { ...engine.deps.clock, sleep: forever } }
    engine.work({ leaseMs: 300 }, paused)
    while (engine.plugin.calls.length === 0) await engine.deps.clock.sleep(10)
    await endsWell(operation_id)
    answer()
    const firstAttempt = async () =>
      (await attemptsOf(operation_id)).find(
        ({ stage, attempt }) => stage === 'BEFORE_RESOURCES' && attempt === 1,
      )
    while ((await firstAttempt())?.finished_at === null) await engine.deps.clock.sleep(10)
    const first = await firstAttempt()
    assert.equal(first?.late, true)
    assert.equal(first?.outcome, 'FAILED')
    assert.equal((await engine.until(operation_id, 'SUCCEEDED')).failure, null)
    const calls = await readCalls(engine.runtime.db, engine.deps.vault, operation_id)
    assert.ok(calls.every(({ ended_well, outcome }) => ended_well && outcome === 'APPLIED'))
  })

  test('a released operation is leased again at once, and the previous holder changes nothing', async () => {
    const { operation_id, answer } = await withFirstCallOpen()
    const previous = engine.work({ leaseMs: 3_600_000, concurrency: 1 })
    while (engine.plugin.calls.length === 0) await engine.deps.clock.sleep(10)
    assert.equal(await releaseLeases(engine.runtime.db), 1)
    await endsWell(operation_id)
    answer()
    await previous.stop()
    const [first] = await attemptsOf(operation_id)
    assert.equal(first?.outcome, 'FAILED')
    assert.equal(first?.late, true)
    assert.equal((await engine.until(operation_id, 'SUCCEEDED')).failure, null)
    assert.equal(await releaseLeases(engine.runtime.db), 0)
  })

  test('a late response that cannot be recorded at once is recorded as soon as it can be', async () => {
    const { db } = engine.runtime
    const { operation_id, answer } = await withFirstCallOpen()
    // a sequence also counts what is rolled back
    await sql`create sequence late_answers`.execute(db)
    await sql`create function refuse_late_answer() returns trigger language plpgsql as $$
      begin
        if nextval('late_answers') = 1 then raise exception 'refused'; end if;
        return new;
      end $$`.execute(db)
    await sql`create trigger refuse_late_answer before update on runtime.attempt
      for each row when (new.late) execute function refuse_late_answer()`.execute(db)
    const previous = engine.work({ leaseMs: 3_600_000, concurrency: 1 })
    while (engine.plugin.calls.length === 0) await engine.deps.clock.sleep(10)
    await releaseLeases(db)
    await endsWell(operation_id)
    answer()
    await previous.stop()
    const [first] = await attemptsOf(operation_id)
    assert.deepEqual([first?.outcome, first?.late], ['FAILED', true])
    await sql`drop trigger refuse_late_answer on runtime.attempt`.execute(db)
  })

  test('many workers never run one operation at the same time', async () => {
    const running = new Map<string, number>()
    let most = 0
    engine.plugin.script(async ({ request }) => {
      const id = request.operation.operationId
      running.set(id, (running.get(id) ?? 0) + 1)
      most = Math.max(most, running.get(id) ?? 0)
      await engine.deps.clock.sleep(5)
      running.set(id, (running.get(id) ?? 0) - 1)
      return { outcome: 'APPLIED' }
    })
    const ids: string[] = []
    for (let index = 0; index < 30; index++) {
      const installation = await engine.installation()
      ids.push(
        (await engine.freeze({ installation, plan: planWith([reader('first', 1), reader('second', 2)]) }))
          .operation_id,
      )
    }
    const workers = [engine.work(), engine.work(), engine.work()]
    for (const id of ids) await engine.until(id, 'SUCCEEDED')
    await Promise.all(workers.map((worker) => worker.stop()))
    assert.equal(most, 1)
    assert.equal(engine.plugin.calls.length, 30 * 4)
  })

  test('one failed renewal does not lose a lease', async () => {
    const { db } = engine.runtime
    const begun = performance.now()
    const at = (ms: number) => engine.deps.clock.sleep(Math.max(0, begun + ms - performance.now()))
    engine.plugin.script(async ({ stage }) => {
      if (stage === 'BEFORE_RESOURCES') await at(4_600)
      return { outcome: 'APPLIED' }
    })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
    // leases are renewed every second, and lost after two seconds without a renewal
    const worker = engine.work({ leaseMs: 3_000 })
    await at(1_500)
    await inTransaction(db, async (tx) => {
      await lockOperation(tx, operation_id)
      await at(2_500)
    })
    await engine.until(operation_id, 'SUCCEEDED')
    await worker.stop()
    assert.equal(worker.status().leasesLost, 0)
    assert.equal(engine.plugin.calls.length, 2)
  })

  test('a plugin that hangs does not delay operations of other plugins (E07)', async () => {
    engine.plugin.script(({ pluginId }) => (pluginId === 'first' ? 'hang' : { outcome: 'APPLIED' }))
    for (let index = 0; index < 12; index++) {
      await engine.freeze({
        installation: await engine.installation(),
        plan: planWith([reader('first', 1)]),
      })
    }
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith([reader('second', 1)]),
    })
    const worker = engine.work({ concurrency: 8, callsPerPlugin: 2 })
    const started = performance.now()
    await engine.until(operation_id, 'SUCCEEDED')
    assert.ok(performance.now() - started < 3_000)
    await worker.stop()
  })

  test('a plugin that does not answer gets one call at a time, until it answers (E07)', async () => {
    const troubled = { isHealthy: false, atOnce: 0, aloneInARow: 0 }
    engine.plugin.script(async ({ pluginId }) => {
      if (pluginId !== 'third' || troubled.isHealthy) return { outcome: 'APPLIED' }
      troubled.atOnce++
      let isAlone = troubled.atOnce === 1
      await engine.deps.clock.sleep(20)
      isAlone &&= troubled.atOnce === 1
      troubled.atOnce--
      troubled.aloneInARow = isAlone ? troubled.aloneInARow + 1 : 0
      return 'reset'
    })
    await engine.register('third', { maxAttempts: 1_000 })
    const ids: string[] = []
    for (let index = 0; index < 6; index++) {
      const installation = await engine.installation()
      ids.push((await engine.freeze({ installation, plan: planWith([reader('third', 1)]) })).operation_id)
    }
    const worker = engine.work({ callsPerPlugin: 6 })
    const isTroubled = () => worker.status().troubledPlugins.includes('third')
    while (!isTroubled()) await engine.deps.clock.sleep(5)
    // calls that started earlier may still be on their way; on a busy machine for a long time
    troubled.aloneInARow = 0
    const deadline = performance.now() + 30_000
    while (troubled.aloneInARow < 10 && performance.now() < deadline) await engine.deps.clock.sleep(5)
    assert.ok(troubled.aloneInARow >= 10)
    assert.ok(isTroubled())
    troubled.isHealthy = true
    for (const id of ids) await engine.until(id, 'SUCCEEDED')
    assert.deepEqual(worker.status().troubledPlugins, [])
    await worker.stop()
  })

  test('a worker that stops releases its operations, and another continues them', async () => {
    engine.plugin.script((_, before) => (before === 0 ? 'hang' : { outcome: 'APPLIED' }))
    await engine.register('third', { maxAttempts: 1 })
    const installation = await engine.installation()
    const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('third', 1)]) })
    const worker = engine.work({ graceMs: 50 })
    while (engine.plugin.calls.every(({ request }) => request.operation.operationId !== operation_id))
      await engine.deps.clock.sleep(10)
    await worker.stop()
    const call = (await readCalls(engine.runtime.db, engine.deps.vault, operation_id)).find(
      ({ attempts }) => attempts > 0,
    )
    assert.equal(call?.failed, false)
    const row = await engine.until(operation_id, 'RUNNING', 'WAITING')
    assert.equal(row.lease_owner, null)
  })
})

const forever = () => new Promise<never>(() => {})
