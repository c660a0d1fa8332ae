import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { OperationSort, OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { OperationRow } from '../../model/operation.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { actorWith } from '../../testing/runtime.ts'
import { listOperations } from './list.ts'

/** In the order of their creation: the state, and the second in which each ended. */
const ENDS: readonly (readonly [OperationState, number | null])[] = [
  ['SUCCEEDED', 50],
  ['RUNNING', null],
  ['FAILED', 10],
  ['PENDING', null],
  ['SUCCEEDED', 30],
  ['TAKEN_OVER', 30],
  ['WAITING', null],
  ['FAILED', 40],
]
const LAST_ENDED_FIRST = [0, 7, 5, 4, 2, 6, 3, 1]
const FIRST_ENDED_FIRST = [2, 4, 5, 7, 0, 1, 3, 6]

suite('operations by the time they ended', { concurrency: false }, () => {
  let engine: TestEngine
  const made: OperationRow[] = []

  before(async () => {
    engine = await testEngine()
    for (const [place, [state, second]] of ENDS.entries()) {
      const row = await engine.freeze({ installation: await engine.installation(), plan: planWith() })
      made.push(row)
      await sql`
        update runtime.operation set state = ${state}, holds_claim = ${state !== 'SUCCEEDED' && state !== 'TAKEN_OVER'},
          phase = case when ${state} = 'SUCCEEDED' then 'DONE' else phase end,
          created_at = timestamptz '2026-01-01T00:00:00Z' + ${place} * interval '1 microsecond',
          finished_at = timestamptz '2026-01-02T00:00:00Z' + ${second}::int * interval '1 second'
        where operation_id = ${row.operation_id}`.execute(engine.runtime.db)
    }
  })
  after(() => engine.close())

  const list = (query: object, actor: Actor = engine.runtime.actor) =>
    listOperations(
      { deps: engine.deps, actor },
      { params: {}, query: runtimeApi['GET /operations'].query.parse(query), body: undefined },
    )
  const placeOf = ({ operationId }: { operationId: string }) =>
    made.findIndex(({ operation_id }) => operation_id === operationId)
  const pagesOf = async (query: { sort: OperationSort; limit: string } & Record<string, string>) => {
    const places: number[] = []
    let cursor: string | null = null
    do {
      const page = await list({ ...query, ...(cursor !== null && { cursor }) })
      places.push(...page.items.map(placeOf))
      cursor = page.nextCursor
    } while (cursor !== null)
    return places
  }

  test('those that have not ended come last, and pages of every size contain each once', async () => {
    for (const limit of ['1', '2', '3', '5', '8', '200']) {
      assert.deepEqual(await pagesOf({ sort: '-finishedAt', limit }), LAST_ENDED_FIRST, limit)
      assert.deepEqual(await pagesOf({ sort: 'finishedAt', limit }), FIRST_ENDED_FIRST, limit)
    }
  })

  test('filters, search and scopes narrow it', async () => {
    assert.deepEqual(await pagesOf({ sort: '-finishedAt', limit: '1', state: 'FAILED' }), [7, 2])
    assert.deepEqual(await pagesOf({ sort: '-finishedAt', limit: '1', state: 'FAILED,WAITING' }), [7, 2, 6])
    assert.deepEqual(await pagesOf({ sort: '-finishedAt', limit: '1', state: 'WAITING,PENDING' }), [6, 3])
    assert.deepEqual(await pagesOf({ sort: 'finishedAt', limit: '3', q: 'CR' }), FIRST_ENDED_FIRST)
    assert.deepEqual(await pagesOf({ sort: 'finishedAt', limit: '3', q: 'no such thing' }), [])
    const { workspace_id: workspaceId = 0 } = made[4] ?? {}
    const actor = actorWith([{ permissions: ['read'], scope: { ...SCOPE, workspaceId } }], 'Grace')
    assert.deepEqual((await list({ sort: '-finishedAt' }, actor)).items.map(placeOf), [4])
    assert.deepEqual((await list({ sort: '-finishedAt' }, actorWith([]))).items, [])
  })

  test('a cursor of another order is refused', async () => {
    const byEnd = await list({ sort: '-finishedAt', limit: '1' })
    const byCreation = await list({ limit: '1' })
    await assert.rejects(list({ cursor: byEnd.nextCursor }), { code: 'REQUEST_INVALID' })
    await assert.rejects(list({ sort: 'finishedAt', cursor: byCreation.nextCursor }), {
      code: 'REQUEST_INVALID',
    })
    const made = Buffer.from(JSON.stringify([1, crypto.randomUUID(), 'other'])).toString('base64url')
    await assert.rejects(list({ sort: 'finishedAt', cursor: made }), { code: 'REQUEST_INVALID' })
  })
})
