import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { inTransaction } from '#database/transaction.ts'
import type { Tx } from '../model/db.ts'
import { lockScopes } from '../store/configuration/scopes.ts'
import { lockCause, settleCauses } from '../store/operations/change-causes.ts'
import { engineSteps, testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith, reader } from '../testing/plan.ts'
import { until } from '../testing/stream.ts'

const engine: TestEngine = await testEngine()
const { db } = engine.runtime
const { failsWith, retry, endsWell } = engineSteps(engine)

/** Shorter than a statement waits for a lock. */
const SOON_MS = 3_000

/** Runs `part` while the transaction of a person is open that has done `hold`. */
async function meanwhile(hold: (tx: Tx) => Promise<unknown>, part: () => Promise<void>): Promise<void> {
  await inTransaction(db, async (tx) => {
    await hold(tx)
    await part()
  })
}

const isFailed = async (operationId: string) =>
  (
    await db
      .selectFrom('runtime.operation')
      .select('state')
      .where('operation_id', '=', operationId)
      .executeTakeFirst()
  )?.state === 'FAILED'

const causeOf = async (operationId: string) => {
  const { rows } = await sql<{
    cause_id: string
    state: string | null
    pending: boolean
    solved_by: { operationId: string } | null
  }>`
    select operation.cause_id, cause.state, cause.solved_by,
      (select bool_or(pending) from runtime.cause_failure as failed where failed.operation_id = ${operationId}) as pending
    from runtime.operation left join runtime.cause on cause.cause_id = operation.cause_id
    where operation.operation_id = ${operationId}`.execute(db)
  const [row] = rows
  assert.ok(row !== undefined)
  return row
}

suite('a worker waits for no transaction of a person', { concurrency: false }, () => {
  after(() => engine.close())
  beforeEach(async () => {
    engine.plugin.calls.length = 0
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    await engine.register('first')
  })
  const fails = (message: string) =>
    engine.plugin.script(() => ({ errorCode: 'FULL', data: { message, retryable: false } }))
  const frozen = async () => {
    const installation = await engine.installation()
    return engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
  }
  const failed = async () => {
    const { operation_id } = await frozen()
    await failsWith(operation_id, 'FULL')
    return operation_id
  }

  test('that holds the scope: resources are stored, calls are made, and a failure is', async () => {
    const operation = await frozen()
    const worker = engine.work()
    await meanwhile(
      (tx) => lockScopes(tx, [operation.scope_id], { skipLocked: false }),
      async () => {
        const stages = () => engine.plugin.calls.map(({ stage }) => stage)
        await until(() => stages().includes('AFTER_RESOURCES'), SOON_MS)
        fails('Full while the scope is held.')
        const other = await frozen()
        await until(() => isFailed(other.operation_id), SOON_MS)
      },
    )
    await engine.until(operation.operation_id, 'SUCCEEDED')
    await worker.stop()
  })

  test('that holds the cause: the failure of a solved cause is stored, and makes it new afterwards', async () => {
    fails('Full while the cause is held.')
    const first = await failed()
    const { cause_id: causeId } = await causeOf(first)
    await sql`update runtime.cause set state = 'SOLVED', solved_at = clock_timestamp() where cause_id = ${causeId}`.execute(
      db,
    )
    const { operation_id: second } = await frozen()
    await meanwhile(
      (tx) => lockCause(tx, causeId),
      async () => {
        const worker = engine.work()
        await until(() => isFailed(second), SOON_MS)
        assert.equal((await causeOf(second)).state, 'SOLVED')
        // the person still holds it
        assert.equal(await settleCauses(db, 10), 0)
        await worker.stop()
      },
    )
    assert.equal((await causeOf(second)).pending, true)
    assert.equal(await settleCauses(db, 10), 1)
    assert.deepEqual(
      { ...(await causeOf(second)), solved_by: null },
      { cause_id: causeId, state: 'NEW', pending: false, solved_by: null },
    )
    assert.equal(await settleCauses(db, 10), 0)
  })

  test('that is marking the cause as solved: the failure that it did not see makes it new', async () => {
    fails('Full while it is being solved.')
    const first = await failed()
    const { cause_id: causeId } = await causeOf(first)
    const { operation_id: second } = await frozen()
    await meanwhile(
      (tx) => sql`update runtime.cause set state = 'SOLVED' where cause_id = ${causeId}`.execute(tx),
      async () => {
        const worker = engine.work()
        await until(() => isFailed(second), SOON_MS)
        await worker.stop()
      },
    )
    assert.equal((await causeOf(second)).state, 'SOLVED')
    await settleCauses(db, 10)
    assert.equal((await causeOf(second)).state, 'NEW')
  })

  test('that created the same cause and is rolled back: the cause is created afterwards', async () => {
    fails('Full of something new.')
    const known = await failed()
    // as if it had not occurred yet
    await sql`delete from runtime.cause where cause_id = ${(await causeOf(known)).cause_id}`.execute(db)
    const { operation_id: operationId } = await frozen()
    const undone = new Error('undone')
    await assert.rejects(
      inTransaction(db, async (tx) => {
        await sql`select runtime.remember_failure(operation) from runtime.operation where operation_id = ${known}`.execute(
          tx,
        )
        const worker = engine.work()
        await until(() => isFailed(operationId), SOON_MS)
        await worker.stop()
        throw undone
      }),
      undone,
    )
    assert.deepEqual([(await causeOf(operationId)).state, (await causeOf(operationId)).pending], [null, true])
    await settleCauses(db, 10)
    assert.deepEqual(
      [(await causeOf(operationId)).state, (await causeOf(operationId)).pending],
      ['NEW', false],
    )
  })

  test('that holds the cause: a success after a retry is stored, and solves it afterwards', async () => {
    fails('Full, and then not.')
    const operationId = await failed()
    const { cause_id: causeId } = await causeOf(operationId)
    engine.plugin.script(() => ({ outcome: 'APPLIED' }))
    await retry(operationId, 1)
    await meanwhile(
      (tx) => lockCause(tx, causeId),
      () => endsWell(operationId).then(() => undefined),
    )
    const solutionOf = () =>
      sql<{ state: string; solver: string | null }>`
        select state, solved_by ->> 'operationId' as solver from runtime.cause where cause_id = ${causeId}`.execute(
        db,
      )
    assert.deepEqual((await solutionOf()).rows, [{ state: 'NEW', solver: null }])
    assert.equal(await settleCauses(db, 10), 1)
    assert.deepEqual((await solutionOf()).rows, [{ state: 'SOLVED', solver: operationId }])
  })

  test('and two that fail with the same causes in another order do not deadlock', async () => {
    const operations = await Promise.all(Array.from({ length: 4 }, () => frozen()))
    const failWith = (tx: Tx, at: number, message: string) =>
      sql`update runtime.operation set state = 'FAILED', finished_at = clock_timestamp(),
        failure = ${JSON.stringify({ errorCode: 'FULL', message, retryable: false, errorPath: ['bundle-runtime', 'first'] })}::json
        where operation_id = ${operations[at]?.operation_id ?? ''}`.execute(tx)
    await inTransaction(db, async (one) => {
      await failWith(one, 0, 'One of a pair.')
      await inTransaction(db, async (other) => {
        await failWith(other, 1, 'The other of a pair.')
        await failWith(one, 2, 'The other of a pair.')
        await failWith(other, 3, 'One of a pair.')
      })
    })
    await settleCauses(db, 10)
    for (const { operation_id } of operations)
      assert.deepEqual(
        [(await causeOf(operation_id)).state, (await causeOf(operation_id)).pending],
        ['NEW', false],
      )
  })
})
