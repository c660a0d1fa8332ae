import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { reasonOf } from '#contract/protocol/messages.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith } from '../testing/plan.ts'
import { keepSigningKey } from '../store/signing-keys.ts'
import { noteWorker, noWorkerSince, recordTrouble } from '../store/troubles.ts'
import type { Db } from '../model/db.ts'

// What keeps the platform itself from working (docs/runtime-api.md#troubles). The database that accepts no writes is in
// database-away.test.ts, with a complete replica.

suite('the troubles of the platform', { concurrency: false }, () => {
  let engine: TestEngine
  let db: Db
  before(async () => {
    engine = await testEngine()
    ;({ db } = engine.runtime)
    await engine.register('provisioner')
  })
  after(() => engine.close())

  const freeze = async () => engine.freeze({ installation: await engine.installation(), plan: planWith() })

  test('work that is due is told to wait for a worker only while none looks for it', async () => {
    assert.equal(await noWorkerSince(db), null)
    const { operation_id: operationId } = await freeze()
    // it has just become due
    assert.equal(await noWorkerSince(db), null)
    await sql`
      update runtime.operation set available_at = clock_timestamp() - interval '1 minute'
      where operation_id = ${operationId}`.execute(db)
    assert.notEqual(await noWorkerSince(db), null)

    await keepSigningKey(db, { kid: 'replica', kty: 'OKP' })
    await noteWorker(db, 'replica')
    assert.equal(await noWorkerSince(db), null)
    const { rows } = await sql<{ at: string }>`
      update runtime.signing_key set worker_seen_at = clock_timestamp() - interval '50 seconds'
      returning worker_seen_at as at`.execute(db)
    assert.equal(await noWorkerSince(db), rows[0]?.at)

    // the lease of a worker that notes nothing
    const { operation_id: leased } = await freeze()
    await sql`
      update runtime.operation set state = 'RUNNING', available_at = clock_timestamp() + interval '1 minute'
      where operation_id = ${leased}`.execute(db)
    assert.equal(await noWorkerSince(db), null)
    await Promise.all([operationId, leased].map((id) => engine.runtime.fail(id)))
  })

  test('a result that the database did not accept is not an interruption', async () => {
    engine.plugin.script((_, earlier) => (earlier === 0 ? 'reset' : { outcome: 'APPLIED' }))
    const { operation_id: operationId } = await freeze()
    const { endsWell, detailOf } = engineSteps(engine)
    await endsWell(operationId)
    // as a worker leaves it that could not record the response
    const { rows } = await sql<{ since: string }>`
      update runtime.attempt set finished_at = null, failure = null, outcome = null
      where operation_id = ${operationId} and stage = 'BEFORE_RESOURCES' and attempt = 1
      returning started_at as since`.execute(db)
    const first = async () => (await detailOf(operationId)).stages[0]?.calls[0]?.attempts[0]?.failure ?? null
    assert.equal(reasonOf((await first()) ?? {}), 'callInterrupted')

    const { since } = rows[0] ?? { since: '' }
    const trouble = { kind: 'database.read_only', since, until: new Date().toISOString() } as const
    // every replica notices it
    await Promise.all([recordTrouble(db, trouble), recordTrouble(db, trouble)])
    const { rows: recorded } = await sql`
      select from runtime.process_event where kind = 'database.read_only'`.execute(db)
    assert.equal(recorded.length, 1)
    assert.equal(reasonOf((await first()) ?? {}), 'callNotRecorded')
    assert.match((await first())?.message ?? '', /accepted no writes/)
  })
})
