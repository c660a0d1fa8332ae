import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { PLUGIN_CALL_KINDS, PLUGIN_CALL_RESULTS } from '#contract/runtime-api/vocabulary.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { actorWith } from '../../testing/runtime.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { listCalls } from '../../store/plugins/list-calls.ts'
import { addReads, pruneReads } from '../../store/plugins/reads.ts'
import { addRefusals } from '../../store/plugins/refusals.ts'
import { listPluginCalls } from './plugin-calls.ts'

suite('the calls of a plugin', { concurrency: false }, () => {
  let engine: TestEngine
  let operationId: string
  let bundleInstallId: string
  let workspaceId: number

  before(async () => {
    engine = await testEngine()
    await engine.register('provisioner')
    engine.plugin.script((_, before) => {
      if (before === 0) return 'reset'
      if (before === 1)
        return { errorCode: 'BUSY', data: { message: 'Busy.', retryable: true, errorPath: ['provisioner'] } }
      return { outcome: 'APPLIED' }
    })
    const installation = await engine.installation()
    workspaceId = installation.workspace_id
    bundleInstallId = installation.bundle_install_id
    const { operation_id } = await engine.freeze({ installation, plan: planWith() })
    operationId = operation_id
    engine.work()
    await engine.until(operationId, 'SUCCEEDED')
    const { db } = engine.deps
    const place = { bundleInstallId, resource: null, property: null }
    const read = { pluginId: 'provisioner', endpoint: 'RESOLVE', place } as const
    await addReads(db, [{ ...read, calls: 3, lastAt: new Date(Date.now() - 120_000).toISOString() }])
    await addReads(db, [{ ...read, calls: 1, lastAt: new Date().toISOString() }])
    await addReads(db, [{ ...read, calls: 1, lastAt: '2020-01-01T00:00:00.000Z' }])
    assert.equal(await pruneReads(db, 100), 1)
    const refused = { pluginId: 'provisioner', endpoint: 'AUTHORIZATION', serviceId: null } as const
    const rule = { rule: 'NOT_AUTHORIZED', code: 'REFERENCE_NOT_AUTHORIZED' } as const
    await addRefusals(db, { ...refused, ...rule, place }, 4)
    const revoked = { rule: 'CREDENTIAL_REVOKED', code: 'CREDENTIAL_REVOKED' } as const
    await addRefusals(db, { ...refused, ...revoked, place: null }, 2)
  })
  after(() => engine.close())

  const list = (query: object = {}, actor = engine.runtime.actor) =>
    listPluginCalls(
      { deps: engine.deps, actor },
      {
        params: { pluginId: 'provisioner' },
        query: runtimeApi['GET /plugins/{pluginId}/calls'].query.parse(query),
        body: undefined,
      },
    )
  const shown = async (query: object = {}) =>
    (await list(query)).items.map(({ kind, result, calls, code }) => [kind, result, calls, code])

  test('are its attempts, and what it read, newest first, on pages of any size', async () => {
    const all = await list({ limit: 200 })
    assert.equal(all.items.length, 10)
    const times = all.items.map(({ at }) => at)
    assert.deepEqual(times, times.toSorted().toReversed())
    const seen: unknown[] = []
    let cursor: string | null | undefined
    do {
      const page = await list({ limit: 3, ...(cursor != null && { cursor }) })
      seen.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    assert.deepEqual(seen, all.items)
  })

  test('are paged to their end if few are looked at for each page, although some began in the same microsecond, and name no hidden one (G04)', async () => {
    const { db } = engine.deps
    await sql`update runtime.attempt set started_at = (select max(started_at) from runtime.attempt)
      where operation_id = ${operationId}`.execute(db)
    const filter = { pluginId: 'provisioner', kinds: PLUGIN_CALL_KINDS, results: PLUGIN_CALL_RESULTS }
    const unfiltered = {
      ...filter,
      code: undefined,
      operationId: undefined,
      since: undefined,
      until: undefined,
    }
    const hidden = actorWith([{ permissions: ['read'], scope: { environmentKey: 'elsewhere' } }])
    const attempts = { ...unfiltered, kinds: ['LIFECYCLE'], after: null, limit: 5 } as const
    const { rows, searchedTo } = await listCalls(db, hidden, attempts, [1])
    assert.deepEqual(rows, [])
    assert.match(searchedTo?.key ?? '', /^[0-9a-f]{32}$/)
    const seen: string[] = []
    let after: { microseconds: number; key: string } | null = null
    for (;;) {
      const page: Awaited<ReturnType<typeof listCalls>> = await listCalls(
        db,
        engine.runtime.actor,
        { ...unfiltered, after, limit: 5 },
        [2],
      )
      seen.push(...page.rows.map(({ key }) => key))
      after = page.searchedTo
      if (after === null) break
      assert.ok(page.rows.length > 0, 'a page goes on')
    }
    const all = await listCalls(db, engine.runtime.actor, { ...unfiltered, after: null, limit: 200 })
    assert.deepEqual(
      seen,
      all.rows.map(({ key }) => key),
    )
    assert.equal(seen.length, 10)
  })

  test('are filtered by kind, result, code, time and operation', async () => {
    assert.deepEqual(await shown({ kind: 'AUTHORIZATION' }), [
      ['AUTHORIZATION', 'REFUSED', 2, 'CREDENTIAL_REVOKED'],
      ['AUTHORIZATION', 'REFUSED', 4, 'REFERENCE_NOT_AUTHORIZED'],
    ])
    assert.deepEqual(await shown({ kind: 'RESOLVE' }), [
      ['RESOLVE', 'SUCCEEDED', 1, null],
      ['RESOLVE', 'SUCCEEDED', 3, null],
    ])
    assert.deepEqual(await shown({ result: 'UNKNOWN' }), [
      ['LIFECYCLE', 'UNKNOWN', 1, 'PLUGIN_UNREACHABLE'],
      ['LIFECYCLE', 'UNKNOWN', 1, 'PLUGIN_UNREACHABLE'],
    ])
    assert.equal((await shown({ code: 'BUSY', result: 'FAILED' })).length, 2)
    assert.equal((await shown({ operationId })).length, 6)
    assert.deepEqual(await shown({ until: '2021-01-01T00:00:00.000Z' }), [])
  })

  test('are shown only of scopes that the person may read; what names no installation to who may read everywhere', async () => {
    const other = { ...SCOPE, workspaceId: workspaceId + 1_000 }
    const stranger = actorWith([{ permissions: ['read'], scope: other }], 'Stranger')
    assert.deepEqual((await list({}, stranger)).items, [])
    const owner = actorWith([{ permissions: ['read'], scope: { ...SCOPE, workspaceId } }], 'Owner')
    const items = (await list({}, owner)).items
    assert.equal(items.length, 9)
    assert.ok(items.every(({ installation }) => installation?.bundleInstallId === bundleInstallId))
  })
})
