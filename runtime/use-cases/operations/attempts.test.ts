import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { actorWith } from '../../testing/runtime.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { findOperation } from '../../store/operations/operations.ts'
import { countResults, readAttempts } from '../../store/operations/attempts.ts'
import { readCalls } from '../../store/operations/calls.ts'
import { readPlan } from '../../store/operations/plans.ts'
import { encodeCursor } from '../paging.ts'
import { listAttempts, readOperation, SHOWN_ENDS, readReceipt } from './read.ts'
import { operationDetail } from './detail.ts'

const ATTEMPTS = 47
/** All except the last, which the plugin rejected. */
const UNCERTAIN = ATTEMPTS - 1

suite('an operation with many attempts', { concurrency: false }, () => {
  let engine: TestEngine
  let operationId: string

  before(async () => {
    engine = await testEngine()
    await engine.register('provisioner', { maxAttempts: ATTEMPTS })
    engine.plugin.script((_, before) =>
      before === ATTEMPTS - 1
        ? {
            errorCode: 'QUOTA',
            data: { message: 'No quota is left.', retryable: false, errorPath: ['provisioner'] },
          }
        : { status: 503, body: `busy ${before + 1}` },
    )
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    operationId = operation_id
    engine.work()
    await engine.until(operationId, 'FAILED')
  })
  after(() => engine.close())

  const params = () => ({ operationId })
  const list = (query: object, actor = engine.runtime.actor) =>
    listAttempts(
      { deps: engine.deps, actor },
      {
        params: params(),
        query: runtimeApi['GET /operations/{operationId}/attempts'].query.parse({
          stage: 'BEFORE_RESOURCES',
          pluginId: 'provisioner',
          ...query,
        }),
        body: undefined,
      },
    )
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const numbers = (attempts: readonly { attempt: number }[]) => attempts.map(({ attempt }) => attempt)

  test('has the first and the last 20 attempts, and counts all of them', async () => {
    const { stages } = await readOperation(engine.runtime.read, {
      params: params(),
      query: {},
      body: undefined,
    })
    const call = stages[0]?.calls[0]
    assert.ok(call)
    assert.deepEqual(numbers(call.attempts), [...range(1, 20), ...range(ATTEMPTS - 19, ATTEMPTS)])
    assert.equal(call.uncertainAttempts, UNCERTAIN)
    assert.equal(call.runAttempts, ATTEMPTS)
  })

  test('has all attempts in its receipt', async () => {
    const { operation } = await readReceipt(engine.runtime.read, {
      params: params(),
      query: {},
      body: undefined,
    })
    assert.deepEqual(numbers(operation.stages[0]?.calls[0]?.attempts ?? []), range(1, ATTEMPTS))
    assert.equal(operation.stages[0]?.calls[0]?.uncertainAttempts, UNCERTAIN)
  })

  test('pages have every attempt once, as the operation shows them', async () => {
    const { stages } = await readOperation(engine.runtime.read, {
      params: params(),
      query: {},
      body: undefined,
    })
    const all = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: '10', ...(cursor && { cursor }) })
      all.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    assert.deepEqual(numbers(all), range(1, ATTEMPTS))
    const shown = stages[0]?.calls[0]?.attempts ?? []
    assert.deepEqual(
      all.filter(({ attempt }) => attempt <= 20 || attempt > ATTEMPTS - 20),
      shown,
    )
  })

  test('a page can begin at any attempt', async () => {
    assert.deepEqual(numbers((await list({ from: '21', limit: '5' })).items), range(21, 25))
    assert.deepEqual(await list({ from: String(ATTEMPTS + 1) }), { items: [], nextCursor: null })
    assert.deepEqual(await list({ cursor: encodeCursor([Number.MAX_SAFE_INTEGER]) }), {
      items: [],
      nextCursor: null,
    })
    await assert.rejects(list({ cursor: encodeCursor(['x']) }), { code: 'REQUEST_INVALID' })
  })

  test('a call that the operation does not make has no attempts', async () => {
    assert.deepEqual(await list({ pluginId: 'nobody' }), { items: [], nextCursor: null })
    assert.deepEqual(await list({ stage: 'AFTER_RESOURCES' }), { items: [], nextCursor: null })
  })

  test('people who may not see the operation do not find it', async () => {
    const elsewhere = actorWith([{ permissions: ['read'], scope: { ...SCOPE, workspaceId: 9_999 } }], 'Grace')
    await assert.rejects(list({}, elsewhere), { code: 'NOT_FOUND' })
  })

  test('an attempt that ends while the operation is read is not counted as less than none', async () => {
    const pausing = await testEngine()
    try {
      await pausing.register('provisioner')
      let reply = (): void => undefined
      const called = new Promise<void>((resolve) => {
        pausing.plugin.script(async ({ stage }) => {
          if (stage === 'AFTER_RESOURCES') return { outcome: 'APPLIED' }
          resolve()
          await new Promise<void>((done) => {
            reply = done
          })
          return { outcome: 'APPLIED' }
        })
      })
      const { operation_id } = await pausing.freeze({
        installation: await pausing.installation(),
        plan: planWith(),
      })
      pausing.work()
      await called
      const { db, vault } = pausing.deps
      const rows = {
        operation: await findOperation(db, operation_id),
        plan: await readPlan(db, vault, operation_id),
        calls: await readCalls(db, vault, operation_id),
        attempts: await readAttempts(db, operation_id, SHOWN_ENDS),
      }
      reply()
      await pausing.until(operation_id, 'SUCCEEDED')
      const results = await countResults(db, operation_id, SHOWN_ENDS)
      assert.ok(rows.operation !== undefined)
      const nothing = {
        retries: [],
        notes: [],
        successor: undefined,
        plugins: [],
        putAside: new Set<never>(),
        endpoints: [],
        batches: [],
        takenOver: [],
      }
      const others = { ...nothing, attemptsRemoved: false, bindings: undefined }
      const { stages } = operationDetail({ ...rows, ...others, operation: rows.operation, results })
      const calls = stages.flatMap((stage) => stage.calls)
      assert.deepEqual(
        calls.map(({ uncertainAttempts }) => uncertainAttempts),
        [0, 0],
      )
    } finally {
      await pausing.close()
    }
  })
})

test('an attempt that ends while its operation is read is in progress everywhere in the response', async () => {
  const engine = await testEngine()
  try {
    const called = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    await engine.register('provisioner', { maxAttempts: 1 })
    engine.plugin.script(async () => {
      called.resolve()
      await ended.promise
      return { outcome: 'APPLIED' }
    })
    const { operation_id: operationId } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    engine.work()
    await called.promise
    const endsAfterAttempts: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.some((row) => 'duration_ms' in row)) {
          ended.resolve()
          await engine.until(operationId, 'SUCCEEDED')
        }
        return result
      },
    }
    const deps = { ...engine.deps, db: engine.deps.db.withPlugin(endsAfterAttempts) }
    const { state, stages } = await readOperation(
      { deps, actor: engine.runtime.actor },
      { params: { operationId }, query: {}, body: undefined },
    )
    assert.equal(state, 'RUNNING')
    assert.equal(stages[0]?.calls[0]?.attempts.length, 1)
    assert.equal(stages[0]?.calls[0]?.uncertainAttempts, 0)
  } finally {
    await engine.close()
  }
})
