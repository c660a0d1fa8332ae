import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { inTransaction } from '#database/transaction.ts'
import { actorWith } from '../../testing/runtime.ts'
import { testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { MERGED_STREAMS_MAX } from '../../store/visible-scopes.ts'
import { planWith } from '../../testing/plan.ts'
import { listOperations, countMatchingOperations } from './list.ts'

/** More than are looked up at once, and all older than those that one page reads. */
const OLD = 3_100
const NEW = 20_100

suite('the search for frequent words', { concurrency: false }, () => {
  let engine: TestEngine

  before(async () => {
    engine = await testEngine()
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    await inTransaction(engine.runtime.db, async (tx) => {
      // the words are stored at once below
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`
        insert into runtime.operation (operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id,
          workspace_id, bundle_environment_key, bundle_id, operation_type, target_version, execution_sequence, state, phase,
          holds_claim, requested_by_id, requested_by_name, reason, created_at, finished_at)
        select gen_random_uuid(), bundle_install_id, scope_id, environment_key, application_runtime_id,
          workspace_id, bundle_environment_key, bundle_id, operation_type, target_version, 1 + n, 'SUCCEEDED', 'DONE',
          false, requested_by_id, requested_by_name,
          case when n <= ${sql.lit(OLD)} then 'approved maintenance' else 'approved release' end,
          timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second',
          timestamptz '2026-01-02T00:00:00Z' + n * interval '1 second'
        from runtime.operation, generate_series(1, ${sql.lit(OLD + NEW)}) n
        where operation_id = ${operation_id}`.execute(tx)
      await sql`insert into runtime.operation_text
        select operation_id, created_at, runtime.words_of(operation) from runtime.operation where reason is not null`.execute(
        tx,
      )
    })
    await sql`analyze runtime.operation_text`.execute(engine.runtime.db)
  })
  after(() => engine.close())

  const list = (query: object) =>
    listOperations(engine.runtime.read, {
      params: {},
      query: runtimeApi['GET /operations'].query.parse({ limit: '200', ...query }),
      body: undefined,
    })
  const total = (query: object) =>
    countMatchingOperations(engine.runtime.read, {
      params: {},
      query: runtimeApi['GET /operations/total'].query.parse(query),
      body: undefined,
    })

  for (const sort of ['-createdAt', '-finishedAt'] as const) {
    test(`by ${sort}, a page says how far it has read, and the following ones find every operation once`, async () => {
      const first = await list({ q: 'approved maintenance', sort })
      assert.deepEqual(first.items, [])
      assert.match(first.searchedTo ?? '', /^2026-01-0[12]T/)
      const found: string[] = []
      let { nextCursor } = first
      for (let pages = 0; nextCursor !== null; pages++) {
        assert.ok(pages < 100, 'the search ends')
        const page = await list({ q: 'approved maintenance', sort, cursor: nextCursor })
        assert.ok(page.items.every(({ reason }) => reason === 'approved maintenance'))
        found.push(...page.items.map(({ operationId }) => operationId))
        nextCursor = page.nextCursor
      }
      assert.equal(found.length, OLD)
      assert.equal(new Set(found).size, OLD)
    })
  }

  test('of a word that begins more scopes than are merged, a page reads only so much of the list', async () => {
    const { db } = engine.runtime
    await sql`
      insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
      select 'archive', 'shop', n, 'ada', 'Ada' from generate_series(1, ${MERGED_STREAMS_MAX + 1}::int) n`.execute(
      db,
    )
    await sql`
      update runtime.operation set environment_key = 'archive', application_runtime_id = 'shop', workspace_id = 1
      where reason = 'approved maintenance'`.execute(db)
    for (const sort of ['-createdAt', '-finishedAt'] as const) {
      const first = await list({ q: 'archive', sort })
      assert.deepEqual([first.items, first.searchedTo === undefined], [[], false])
      const found = new Set<string>()
      for (let cursor = first.nextCursor; cursor !== null;) {
        const page = await list({ q: 'archive', sort, cursor })
        for (const { operationId } of page.items) found.add(operationId)
        cursor = page.nextCursor
      }
      assert.equal(found.size, OLD)
    }
    assert.deepEqual(await total({ q: 'archive' }), { total: 0, isMore: true })
  })

  test('a page that is full says nothing about it', async () => {
    const page = await list({ q: 'approved release' })
    assert.equal(page.items.length, 200)
    assert.equal(page.searchedTo, undefined)
  })

  test('filters that select few operations are searched to the end', async () => {
    const page = await list({ q: 'approved maintenance', state: 'FAILED' })
    assert.deepEqual([page.items, page.nextCursor, page.searchedTo], [[], null, undefined])
    const until = '2026-01-01T00:30:00.000Z'
    assert.equal((await list({ q: 'maintenance', until })).items.length, 200)
  })

  test('of a person with one scope, a page reads only so much of it, and the following ones find every operation once', async () => {
    const { rows } = await sql<{
      environment_key: string
      application_runtime_id: string
      workspace_id: number
    }>`
      select environment_key, application_runtime_id, workspace_id from runtime.operation limit 1`.execute(
      engine.runtime.db,
    )
    const [row] = rows
    assert.ok(row !== undefined)
    const scope = {
      environmentKey: row.environment_key,
      applicationRuntimeId: row.application_runtime_id,
      workspaceId: row.workspace_id,
    }
    const actor = actorWith([{ permissions: ['read'], scope }], 'Limited')
    const limited = (query: object) =>
      listOperations(
        { deps: engine.deps, actor },
        {
          params: {},
          query: runtimeApi['GET /operations'].query.parse({ limit: '200', ...query }),
          body: undefined,
        },
      )
    for (const sort of ['-createdAt', '-finishedAt'] as const) {
      const found: string[] = []
      let cursor: string | null | undefined
      let pages = 0
      do {
        const page: Awaited<ReturnType<typeof limited>> = await limited({
          q: 'approved maintenance',
          sort,
          ...(cursor != null && { cursor }),
        })
        if (pages++ === 0) assert.deepEqual([page.items, page.searchedTo === undefined], [[], false])
        found.push(...page.items.map(({ operationId }) => operationId))
        cursor = page.nextCursor
      } while (cursor !== null)
      assert.equal(new Set(found).size, OLD)
      assert.equal(found.length, OLD)
    }
  })

  test('totals are complete', async () => {
    assert.deepEqual(await total({ q: 'approved maintenance' }), { total: OLD, isMore: false })
    assert.deepEqual(await total({ q: 'approved' }), { total: 10_000, isMore: true })
  })

  test('a total of a frequent word and one that is also a title compares both', async () => {
    await sql`
      insert into runtime.bundle_version (bundle_environment_key, bundle_id, version, title, manifest,
        published_by_id, published_by_name)
      values ('source', 'calendar', '1.0.0', 'Maintenance', '{}', 'ada', 'Ada')`.execute(engine.runtime.db)
    assert.deepEqual(await total({ q: 'maintenance release' }), { total: 0, isMore: true })
  })
})
