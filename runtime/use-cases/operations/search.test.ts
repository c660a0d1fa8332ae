import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { Actor } from '../../model/actor.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { actorWith } from '../../testing/runtime.ts'
import { loadOperations } from '../../store/events.ts'
import { addNote } from './annotate.ts'
import { countOperations, listOperations, countMatchingOperations } from './list.ts'
import { listCauses } from './causes.ts'
import { retryOperation } from './runs.ts'

const MESSAGE = 'The directory "mail-eu.example" refused the log-in: IMAP_LOGIN_REFUSED'
const REASON = 'CHG-2041/7：磁盘已满，清理后重试'

suite('the search of operations by words', { concurrency: false }, () => {
  let engine: TestEngine
  let failed: string
  let workspaceId: number
  let other: string

  before(async () => {
    engine = await testEngine()
    const freeze = async () => engine.freeze({ installation: await engine.installation(), plan: planWith() })
    const first = await freeze()
    failed = first.operation_id
    workspaceId = first.workspace_id
    other = (await freeze()).operation_id
    await fail(failed, MESSAGE)
  })
  after(() => engine.close())

  const fail = (operationId: string, message: string) =>
    engine.runtime.db
      .updateTable('runtime.operation')
      .set({
        state: 'FAILED',
        finished_at: new Date().toISOString(),
        failure: JSON.stringify({
          errorCode: 'MAILBOX_LOCKED',
          message,
          retryable: false,
          errorPath: ['bundle-runtime', 'mail-hooks', 'imap-gateway'],
        }),
      })
      .where('operation_id', '=', operationId)
      .execute()
  const find = async (q: string, more: object = {}, actor: Actor = engine.runtime.actor) => {
    const query = runtimeApi['GET /operations'].query.parse({ q, ...more })
    const page = await listOperations({ deps: engine.deps, actor }, { params: {}, query, body: undefined })
    return page.items.map(({ operationId }) => operationId)
  }

  test('words of the message are found in any order, also the beginning of a word', async () => {
    for (const q of [
      'refused',
      'log-in directory',
      'REFUSED Mail',
      'mail-eu.example',
      'IMAP_LOGIN',
      'direc',
      '"mail-eu.example"',
    ])
      assert.deepEqual(await find(q), [failed], q)
    for (const q of ['irectory', 'mail-us', '& | !', "') or = --", 'di'])
      assert.deepEqual(await find(q), [], q)
  })

  test('the code of the failure is found, and the plugin and the services behind it', async () => {
    for (const q of ['MAILBOX_LOCKED', 'mailbox_loc', 'mail-hooks', 'imap-gateway refused'])
      assert.deepEqual(await find(q), [failed], q)
    // the runtime is in the path of every failure
    for (const q of ['MAILBOX_OPEN', 'mail-gateway', 'bundle-runtime']) assert.deepEqual(await find(q), [], q)
  })

  test('a name is found without its accents', async () => {
    const { db } = engine.runtime
    await sql`update runtime.operation set requested_by_id = 'tomas', requested_by_name = 'Tomás Herrera'
      where operation_id = ${other}::uuid`.execute(db)
    await sql`insert into runtime.requester values ('tomas', 'Tomás Herrera')`.execute(db)
    for (const q of ['tomas herr', 'Tomás', 'TOMÁS', 'herrera tomas'])
      assert.deepEqual(await find(q), [other], q)
    for (const q of ['castellan', 'thomas']) assert.deepEqual(await find(q), [], q)
  })

  test('the title of a bundle finds its operations, which have the title of their installation', async () => {
    const { db } = engine.runtime
    await sql`update runtime.installation set title = 'Relations' where bundle_id = 'crm'`.execute(db)
    await sql`insert into runtime.bundle_version
      (bundle_environment_key, bundle_id, version, title, manifest, published_by_id, published_by_name)
      values ('source', 'crm', '1.0.0', 'Relations', '{}', 'ada', 'Ada')`.execute(db)
    assert.deepEqual((await find('relation')).toSorted(), [failed, other].toSorted())
    const read = { deps: engine.deps, actor: engine.runtime.actor }
    const query = runtimeApi['GET /operations'].query.parse({})
    const page = await listOperations(read, { params: {}, query, body: undefined })
    assert.deepEqual(new Set(page.items.map(({ title }) => title)), new Set(['Relations']))
    const causes = runtimeApi['GET /causes'].query.parse({})
    const listed = await listCauses(read, { params: {}, query: causes, body: undefined })
    assert.equal(listed.causes[0]?.latest?.title, 'Relations')
    const [pushed] = await loadOperations(db, [failed])
    assert.equal(pushed?.installation_title, 'Relations')
  })

  test('after a retry, its reason is found, and the message that is gone is not', async () => {
    await engine.runtime.write(
      (context) =>
        retryOperation(context, {
          params: { operationId: failed },
          query: {},
          body: { run: 1, reason: REASON },
        }),
      engine.runtime.actor,
    )
    for (const q of ['CHG-2041', 'chg-2041/7', '2041', '磁盘', '清理', '已满'])
      assert.deepEqual(await find(q), [failed], q)
    // it is shown in the history only, where it is masked when it is read
    assert.deepEqual(await find('refused'), [])
    // the parts of a ticket number follow each other
    for (const q of ['CHG-7', '盘磁', 'CHG-3041']) assert.deepEqual(await find(q), [], q)
  })

  test('words of notes are found', async () => {
    await engine.runtime.write(
      (context) =>
        addNote(context, {
          params: { operationId: other },
          query: {},
          body: { text: 'Éléonore asked INC-99 to wait' },
        }),
      engine.runtime.actor,
    )
    assert.deepEqual(await find('inc-99'), [other])
    assert.deepEqual(await find('Éléon'), [other])
  })

  test('the other filters, pages and permissions hold', async () => {
    await fail(other, 'The directory is locked, see CHG-2041')
    assert.deepEqual(await find('CHG-2041'), [other, failed])
    assert.deepEqual(await find('CHG-2041', { sort: 'createdAt' }), [failed, other])
    assert.deepEqual(await find('CHG-2041', { state: 'FAILED' }), [other])
    const query = runtimeApi['GET /operations'].query.parse({ q: 'CHG-2041', limit: '1' })
    const page = await listOperations(
      { deps: engine.deps, actor: engine.runtime.actor },
      { params: {}, query, body: undefined },
    )
    assert.deepEqual(await find('CHG-2041', { cursor: page.nextCursor, limit: '1' }), [failed])
    const scope = { ...SCOPE, workspaceId }
    assert.deepEqual(await find('CHG-2041', {}, actorWith([{ permissions: ['read'], scope }])), [failed])
    assert.deepEqual(await find('CHG-2041', {}, actorWith([])), [])
  })

  test('counts, totals and causes find the same', async () => {
    const context = { deps: engine.deps, actor: engine.runtime.actor }
    const counted = await countOperations(context, {
      params: {},
      query: runtimeApi['GET /operations/counts'].query.parse({ q: 'CHG-2041' }),
      body: undefined,
    })
    const total = counted.buckets.flatMap(({ counts }) => Object.values(counts))
    assert.equal(
      total.reduce((sum, count) => sum + count, 0),
      2,
    )
    for (const [query, total] of [
      [{}, 2],
      [{ q: 'CHG-2041' }, 2],
      [{ q: 'locked' }, 1],
      [{ q: 'ghost' }, 0],
      [{ q: failed }, 1],
      [{ state: 'FAILED', q: 'CHG-2041' }, 1],
      [{ workspaceId: String(workspaceId) }, 1],
    ] as const)
      assert.deepEqual(
        await countMatchingOperations(context, {
          params: {},
          query: runtimeApi['GET /operations/total'].query.parse(query),
          body: undefined,
        }),
        { total, isMore: false },
        JSON.stringify(query),
      )
    const found = await listCauses(context, {
      params: {},
      query: runtimeApi['GET /causes'].query.parse({ q: 'locked' }),
      body: undefined,
    })
    assert.deepEqual(
      found.causes.map(({ count }) => count),
      [1],
    )
  })

  test('a total ends at 10,000, and does not count twice', async () => {
    const total = (query: object, actor = engine.runtime.actor) =>
      countMatchingOperations(
        { deps: engine.deps, actor },
        { params: {}, query: runtimeApi['GET /operations/total'].query.parse(query), body: undefined },
      )
    const copy = (count: number) =>
      sql`
        insert into runtime.operation (operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id,
          workspace_id, bundle_environment_key, bundle_id, operation_type, target_version, execution_sequence, state, phase,
          holds_claim, requested_by_id, requested_by_name, reason)
        select gen_random_uuid(), bundle_install_id, scope_id, environment_key, application_runtime_id,
          workspace_id, bundle_environment_key, bundle_id, operation_type, target_version,
          (select max(execution_sequence) from runtime.operation) + n, 'SUCCEEDED', 'DONE',
          false, requested_by_id, requested_by_name, 'copy of ' || bundle_id
        from runtime.operation, generate_series(1, ${sql.lit(count)}) n where operation_id = ${other}`.execute(
        engine.runtime.db,
      )
    await copy(9_998)
    assert.deepEqual(await total({}), { total: 10_000, isMore: false })
    assert.deepEqual(await total({ q: 'copy' }), { total: 9_998, isMore: false })
    assert.deepEqual(await total({ q: 'copy', state: 'FAILED' }), { total: 0, isMore: false })
    // the copies are in the other workspace
    for (const scope of [{ ...SCOPE, workspaceId }, { environmentKey: 'elsewhere' }])
      assert.deepEqual(await total({ q: 'copy' }, actorWith([{ permissions: ['read'], scope }])), {
        total: 0,
        isMore: false,
      })
    // both the bundle and the word
    assert.deepEqual(await total({ q: 'crm' }), { total: 10_000, isMore: false })
    await copy(1)
    assert.deepEqual(await total({}), { total: 10_000, isMore: true })
    assert.deepEqual(await total({ q: 'crm' }), { total: 10_000, isMore: true })
  })
})
