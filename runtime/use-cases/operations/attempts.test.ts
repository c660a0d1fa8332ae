import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { countResults } from '../../store/operations/read-attempts.ts'
import { actorWith } from '../../testing/runtime.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { encodeCursor } from '../paging/cursor.ts'
import { listAttempts } from './attempts.ts'
import { readOperation } from './read.ts'
import { readReceipt } from './receipt.ts'

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

  test('does not count an attempt in progress, even if another statement sees it finished', async () => {
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    const during: unknown[] = []
    engine.plugin.script(async () => {
      const input = { params: { operationId: operation_id }, query: {}, body: undefined }
      const { stages } = await readOperation(engine.runtime.read, input)
      const counted = await countResults(engine.deps.db, operation_id)
      during.push({
        uncertain: stages[0]?.calls[0]?.uncertainAttempts,
        counted: counted.filter(({ stage }) => stage === 'BEFORE_RESOURCES'),
      })
      return { errorCode: 'QUOTA', data: { message: 'None.', retryable: false, errorPath: ['provisioner'] } }
    })
    await engine.until(operation_id, 'FAILED')
    assert.deepEqual(during, [{ uncertain: 0, counted: [] }])
  })
})
