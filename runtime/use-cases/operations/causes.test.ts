import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { MASK } from '#contract/protocol/data.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { BodyOf } from '#contract/endpoint/endpoint.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { engineSteps, testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { data, LOCATOR, plannedResource, planWith } from '../../testing/plan.ts'
import { inTransaction } from '#database/transaction.ts'
import { putMarks } from '../../store/configuration/sensitivity.ts'
import { recordAudit } from '../audit/record.ts'
import { assignOperations } from './annotate.ts'
import { addCauseNote, changeCause, countFailureHours, listCauses, readCause } from './causes.ts'
import { listOperations } from './list.ts'
import { readOperation } from './read.ts'
import { retryOperation } from './runs.ts'
import { takeOverOperation } from './take-over.ts'

const errorPath = ['bundle-runtime', 'hooks']
const locked = (message: string): Failure => ({
  errorCode: 'MAILBOX_LOCKED',
  message,
  retryable: false,
  errorPath,
})
const status = (code: number): Failure => ({
  errorCode: 'PLUGIN_RESULT_UNKNOWN',
  ...platformMessage('callHttpStatus', { plugin: 'hooks', status: code }),
  retryable: true,
  errorPath,
})

suite('causes', { concurrency: false }, () => {
  let engine: TestEngine
  before(async () => {
    engine = await testEngine()
  })
  after(() => engine.close())

  const fail = (operationId: string, failure: Failure) =>
    sql`update runtime.operation set state = 'FAILED', failure = ${JSON.stringify(failure)}::json,
      finished_at = clock_timestamp() where operation_id = ${operationId}`.execute(engine.runtime.db)
  /** An operation that failed like this, in a separate scope. */
  const failed = async (failure: Failure, bundleId = 'crm') => {
    const installation = await engine.installation()
    const operation = await engine.freeze({
      installation: { ...installation, bundle_id: bundleId },
      plan: planWith(),
    })
    await sql`update runtime.operation set bundle_id = ${bundleId} where operation_id = ${operation.operation_id}`.execute(
      engine.runtime.db,
    )
    await fail(operation.operation_id, failure)
    return operation
  }
  const succeed = (operationId: string) =>
    sql`update runtime.operation set state = 'SUCCEEDED', phase = 'DONE', holds_claim = false, finished_at = clock_timestamp()
      where operation_id = ${operationId}`.execute(engine.runtime.db)
  const retry = (operationId: string, run: number, reason?: string) =>
    engine.runtime.write((context) =>
      retryOperation(context, {
        params: { operationId },
        query: {},
        body: { run, ...(reason !== undefined && { reason }) },
      }),
    )
  const context = (grants = engine.runtime.actor.grants) => ({
    deps: engine.deps,
    actor: { ...engine.runtime.actor, grants },
  })
  const scopeOf = (row: {
    environment_key: string
    application_runtime_id: string
    workspace_id: number
  }) => ({
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
  })
  const only = (row: Parameters<typeof scopeOf>[0]) =>
    context([{ permissions: ['read', 'operation:annotate'], scope: scopeOf(row) }])
  const list = (query: object = {}, asked = context()) =>
    listCauses(asked, {
      params: {},
      query: runtimeApi['GET /causes'].query.parse(query),
      body: undefined,
    })
  const causeOf = async (operationId: string, asked = context()) => {
    const { causeId } = await readOperation(asked, { params: { operationId }, query: {}, body: undefined })
    return readCause(asked, { params: { causeId: causeId ?? '' }, query: {}, body: undefined })
  }
  const change = (causeId: string, body: BodyOf<RuntimeApi['PATCH /causes/{causeId}']>) =>
    engine.runtime.write((write) => changeCause(write, { params: { causeId }, query: {}, body }))
  const operationsOf = async (causeId: string) => {
    const query = runtimeApi['GET /operations'].query.parse({ causeId })
    const { items } = await listOperations(context(), { params: {}, query, body: undefined })
    return items.map(({ operationId }) => operationId)
  }

  test('contain the operations of all bundles with the same cause, and one next step', async () => {
    const first = await failed(locked('The mailbox "a@example.com" is locked by migration 7.'))
    const second = await failed(locked('The mailbox "b@example.com" is locked by migration 7.'), 'billing')
    const other = await failed(locked('The mailbox is full.'))
    const statuses = [await failed(status(401)), await failed(status(500))]
    const stopped = await failed({
      ...status(500),
      stopped: { by: { id: 'sam', name: 'Sam' }, reason: 'no' },
    })

    const { causes, total } = await list()
    // one that a person stopped has the cause of its last attempt
    assert.equal(causes.length, 4)
    assert.equal(total, 4)
    const largest = causes.find(({ errorCode }) => errorCode === 'MAILBOX_LOCKED')
    assert.deepEqual(
      [largest?.count, largest?.scopes, largest?.bundles, largest?.pluginId, largest?.state],
      [2, 2, 2, 'hooks', 'NEW'],
    )
    assert.equal(largest?.title, 'The mailbox "…@example.com" is locked by migration 7.')
    assert.equal(largest?.latest?.operationId, second.operation_id)
    assert.ok(largest.firstAt < largest.lastAt)
    assert.deepEqual(await operationsOf(largest.causeId), [second.operation_id, first.operation_id])
    const { inBundles, seenBefore } = await causeOf(first.operation_id)
    assert.deepEqual(new Set(inBundles.map(({ bundle }) => bundle.bundleId)), new Set(['crm', 'billing']))
    assert.equal(seenBefore, null)
    const byLatest = new Map(causes.map(({ latest }) => [latest?.operationId, latest]))
    const [unauthenticated] = statuses
    const actions = [unauthenticated, stopped, other].map(
      (operation) => byLatest.get(operation?.operation_id)?.nextStep.action,
    )
    assert.deepEqual(actions, ['FIX_AUTHENTICATION', 'CHECK_PLUGIN', 'FIX_CAUSE'])
    // among equals the newest first
    const times = causes.filter(({ count }) => count === 1).map(({ lastAt }) => lastAt)
    assert.deepEqual(times, times.toSorted().toReversed())
  })

  test('leave out what was retried, and what the filter or the permissions exclude', async () => {
    const [one, two] = [await failed(locked('Gone: north.')), await failed(locked('Gone: north.'))]
    const countOf = async (asked = context(), query: object = {}) =>
      (await list(query, asked)).causes.find(({ title }) => title === 'Gone: north.')?.count
    assert.equal(await countOf(), 2)
    assert.equal(await countOf(context(), scopeOf(one)), 1)
    assert.equal(await countOf(only(one)), 1)
    assert.equal(await countOf(context([])), undefined)
    assert.equal(await countOf(context(), { errorCode: 'ANOTHER' }), undefined)
    assert.equal(await countOf(context(), { errorCode: 'MAILBOX_LOCKED', state: 'NEW' }), 2)
    assert.equal(await countOf(context(), { state: 'SOLVED' }), undefined)
    assert.equal((await causeOf(one.operation_id, only(one))).count, 1)
    await engineSteps(engine).retry(two.operation_id, 1)
    assert.equal(await countOf(), 1)
  })

  test('nobody learns of a cause from the scopes of others, and the title is made of what is seen', async () => {
    const [mine, theirs] = [
      await failed(locked('Pool "a" is empty.')),
      await failed(locked('Pool "b" is empty.')),
    ]
    const stranger = await failed(locked('Something else.'))
    const { causeId, title } = await causeOf(mine.operation_id)
    assert.equal(title, 'Pool "…" is empty.')
    assert.equal((await causeOf(mine.operation_id, only(mine))).title, 'Pool "a" is empty.')
    assert.equal((await causeOf(theirs.operation_id, only(theirs))).title, 'Pool "b" is empty.')
    const asked = only(stranger)
    await assert.rejects(readCause(asked, { params: { causeId }, query: {}, body: undefined }), {
      code: 'NOT_FOUND',
    })
    const write = (permissions: ('read' | 'operation:annotate')[], of: typeof mine) =>
      engine.runtime.write((open) =>
        addCauseNote(
          { ...open, actor: context([{ permissions, scope: scopeOf(of) }]).actor },
          { params: { causeId }, query: {}, body: { text: 'x' } },
        ),
      )
    await assert.rejects(write(['read', 'operation:annotate'], stranger), { code: 'NOT_FOUND' })
    await assert.rejects(write(['read'], mine), { code: 'PERMISSION_DENIED' })
    await write(['read', 'operation:annotate'], mine)
    assert.equal((await causeOf(mine.operation_id)).notes[0]?.text, 'x')
  })

  test('are taken by one person, who was seen by the next', async () => {
    const operation = await failed(locked('Taken twice.'))
    const { causeId, updatedAt, state } = await causeOf(operation.operation_id)
    assert.equal(state, 'NEW')
    const me = engine.runtime.actor.id
    const { cause } = await change(causeId, { updatedAt, assignee: me })
    assert.deepEqual([cause.state, cause.assignee?.id], ['TAKEN', me])
    await assert.rejects(change(causeId, { updatedAt, assignee: null }), { code: 'CAUSE_STALE' })
    const waiting = await change(causeId, {
      updatedAt: cause.updatedAt,
      state: 'WAITING',
      waitingFor: 'the team of the mail host',
    })
    assert.equal(waiting.cause.waitingFor, 'the team of the mail host')
    assert.deepEqual(
      (await list({ takenBy: me, state: 'WAITING' })).causes.map((one) => one.causeId),
      [causeId],
    )
    const free = await change(causeId, { updatedAt: waiting.cause.updatedAt, state: 'NEW', assignee: null })
    assert.deepEqual([free.cause.assignee, free.cause.waitingFor], [null, null])
    await assert.rejects(
      change(causeId, { updatedAt: free.cause.updatedAt, state: 'TAKEN', solvedBy: 'a miracle' }),
      { code: 'REQUEST_INVALID' },
    )
  })

  test('are solved by the first success of a retry, kept without members, and recognized when they come again', async () => {
    const message = 'The license pool of tenant 12 is empty.'
    const [one, two] = [await failed(locked(message)), await failed(locked(message.replace('12', '9')))]
    const { causeId } = await causeOf(one.operation_id)
    await retry(one.operation_id, 1, 'Bought licenses, CHG-77')
    await succeed(one.operation_id)
    const half = await causeOf(two.operation_id)
    assert.equal(half.state, 'NEW')
    assert.equal(half.solvedBy?.reason, 'Bought licenses, CHG-77')
    await retry(two.operation_id, 1)
    await succeed(two.operation_id)
    const read = (asked = context()) => readCause(asked, { params: { causeId }, query: {}, body: undefined })
    const solved = await read()
    assert.deepEqual([solved.state, solved.count, solved.latest], ['SOLVED', 0, null])
    assert.equal(solved.solvedBy?.operationId, one.operation_id)
    assert.equal(solved.title, 'The license pool of tenant # is empty.')
    assert.ok((await list({ when: 'past' })).causes.some((cause) => cause.causeId === causeId))
    assert.ok(!(await list()).causes.some((cause) => cause.causeId === causeId))
    // a retry belongs to its scope
    assert.deepEqual((await read(only(two))).solvedBy, {
      at: solved.solvedBy?.at,
      by: null,
      reason: null,
      operationId: null,
    })

    const again = await failed(locked(message.replace('12', '31')), 'billing')
    const known = await causeOf(again.operation_id)
    assert.equal(known.causeId, causeId)
    assert.deepEqual([known.state, known.assignee], ['NEW', null])
    assert.deepEqual([known.seenBefore?.failures, known.seenBefore?.operations], [2, 2])
    assert.equal(known.solvedBy?.reason, 'Bought licenses, CHG-77')
    assert.deepEqual((await causeOf(again.operation_id, only(again))).seenBefore, null)
  })

  test('a retry that fails in the same way leaves the cause with the person who works on it', async () => {
    const { operation_id: operationId } = await failed(locked('Still locked.'))
    const { causeId, updatedAt } = await causeOf(operationId)
    await change(causeId, { updatedAt, assignee: engine.runtime.actor.id })
    await retry(operationId, 1)
    await fail(operationId, locked('Still locked.'))
    const { state, seenBefore } = await causeOf(operationId)
    assert.deepEqual([state, seenBefore], ['TAKEN', null])
  })

  test('remember what a person says, and what was changed before the retry that succeeded', async () => {
    const { operation_id: operationId } = await failed(locked('Needs a new endpoint.'))
    const { causeId } = await causeOf(operationId)
    await engine.runtime.write(({ tx, actor }) =>
      recordAudit(tx, actor, { action: 'plugin.save', subject: 'hooks', reason: 'moved' }),
    )
    await retry(operationId, 1)
    await succeed(operationId)
    const read = () => readCause(context(), { params: { causeId }, query: {}, body: undefined })
    const found = await read()
    assert.deepEqual([found.changeBefore?.kind, found.changeBefore?.reason], ['plugin.save', 'moved'])
    await change(causeId, {
      updatedAt: found.updatedAt,
      state: 'SOLVED',
      solvedBy: 'The endpoint had moved.',
    })
    const { solvedBy } = await read()
    assert.deepEqual([solvedBy?.reason, solvedBy?.operationId], ['The endpoint had moved.', null])
  })

  test('end when the last failure is taken over, and then name the INSTALL that succeeds', async () => {
    const { db } = engine.runtime
    const takeOver = async (operationId: string) => {
      const { operation } = await engine.runtime.write((write) =>
        takeOverOperation(write, { params: { operationId }, query: {}, body: { run: 1, reason: 'INC-7' } }),
      )
      return operation.operationId
    }
    const one = await failed(locked('The tenant is gone.'))
    const other = await failed(locked('The tenant is gone.'))
    const detach = await takeOver(one.operation_id)
    const stateOf = async () => {
      const { state, solvedBy, count } = await causeOf(one.operation_id)
      return [state, count, solvedBy?.operationId ?? null, solvedBy?.reason ?? null]
    }
    await succeed(detach)
    // the other one is failed still
    assert.deepEqual(await stateOf(), ['NEW', 1, null, null])
    const last = await takeOver(other.operation_id)
    assert.deepEqual(await stateOf(), ['NEW', 0, null, null])
    // a DETACH that fails has a cause of its own
    await fail(last, locked('The tenant cannot be removed.'))
    const again = await takeOver(last)
    await succeed(again)
    assert.deepEqual(await stateOf(), ['SOLVED', 0, again, 'INC-7'])
    assert.equal((await causeOf(last)).state, 'SOLVED')

    const installAgain = async (scopeId: number) => {
      const installation = await engine.installation()
      // a real DETACH frees the place of its installation
      await sql`update runtime.installation set state = 'DETACHED' where scope_id = ${scopeId}`.execute(db)
      await sql`update runtime.installation set scope_id = ${scopeId}
        where bundle_install_id = ${installation.bundle_install_id}`.execute(db)
      return engine.freeze({ installation, plan: planWith() })
    }
    const unrelated = await engine.freeze({ installation: await engine.installation(), plan: planWith() })
    await succeed(unrelated.operation_id)
    assert.deepEqual(await stateOf(), ['SOLVED', 0, again, 'INC-7'])
    const install = await installAgain(one.scope_id)
    await sql`update runtime.operation set reason = 'With a new tenant' where operation_id = ${install.operation_id}`.execute(
      db,
    )
    await succeed(install.operation_id)
    assert.deepEqual(await stateOf(), ['SOLVED', 0, install.operation_id, 'With a new tenant'])

    // what a person says stays
    const { causeId, updatedAt } = await causeOf(one.operation_id)
    await change(causeId, { updatedAt, state: 'SOLVED', solvedBy: 'The tenants were restored.' })
    const later = await installAgain(other.scope_id)
    await succeed(later.operation_id)
    assert.deepEqual(await stateOf(), ['SOLVED', 0, null, 'The tenants were restored.'])
  })

  test('a failure that is masked later keeps its cause', async () => {
    const { operation_id: operationId } = await failed(locked('The word is swordfish.'))
    const { causeId } = await causeOf(operationId)
    await sql`update runtime.operation set failure = ${JSON.stringify(locked('The word is ••••.'))}::json
      where operation_id = ${operationId}`.execute(engine.runtime.db)
    assert.equal((await causeOf(operationId)).causeId, causeId)
  })

  test('a past cause does not quote a value that became sensitive since, nor one that cannot be looked up', async () => {
    const installation = await engine.installation()
    const resource = plannedResource({ properties: { region: data('swordfish-coast') } })
    const { operation_id: operationId, scope_id: scopeId } = await engine.freeze({
      installation,
      plan: { ...planWith(), resources: [resource] },
    })
    await fail(operationId, locked('The region swordfish-coast is closed.'))
    await retry(operationId, 1)
    await succeed(operationId)
    const { db } = engine.runtime
    const { rows } = await sql<{ cause_id: string }>`
      select cause_id from runtime.cause_failure where operation_id = ${operationId}`.execute(db)
    const causeId = rows[0]?.cause_id ?? ''
    const titles = async () => [
      (await readCause(context(), { params: { causeId }, query: {}, body: undefined })).title,
      (await list({ when: 'past', limit: 100 })).causes.find((cause) => cause.causeId === causeId)?.title,
    ]
    const plain = 'The region swordfish-coast is closed.'
    assert.deepEqual(await titles(), [plain, plain])
    await inTransaction(db, (tx) => putMarks(tx, [{ scopeId, locator: LOCATOR, property: 'note' }]))
    assert.deepEqual(await titles(), [plain, plain], 'another property')
    await sql`update runtime.cause_failure set operation_id = gen_random_uuid() where operation_id = ${operationId}`.execute(
      db,
    )
    assert.deepEqual(await titles(), [MASK, MASK], 'the operation has been removed')
    await sql`update runtime.cause_failure set operation_id = ${operationId} where cause_id = ${causeId}`.execute(
      db,
    )
    await inTransaction(db, (tx) => putMarks(tx, [{ scopeId, locator: LOCATOR, property: 'region' }]))
    assert.deepEqual(await titles(), [MASK, MASK])
  })

  test('operations are assigned together; those of other scopes are left out and named', async () => {
    const [mine, theirs] = [await failed(locked('Assigned.')), await failed(locked('Assigned.'))]
    const operationIds = [mine.operation_id, theirs.operation_id]
    const answer = await engine.runtime.write((open) =>
      assignOperations(
        { ...open, actor: only(mine).actor },
        { params: {}, query: {}, body: { operationIds, assignee: engine.runtime.actor.id } },
      ),
    )
    assert.deepEqual([answer.assigned, answer.refused], [1, [theirs.operation_id]])
    const assigneeOf = async (operationId: string) =>
      (await readOperation(context(), { params: { operationId }, query: {}, body: undefined })).assignee?.id
    assert.equal(await assigneeOf(mine.operation_id), engine.runtime.actor.id)
    assert.equal(await assigneeOf(theirs.operation_id), undefined)
  })

  test('are paged, the largest first', async () => {
    const all = (await list()).causes.map(({ causeId }) => causeId)
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({
        limit: 1,
        ...(cursor !== undefined && { cursor }),
      })
      paged.push(...page.causes.map(({ causeId }) => causeId))
      cursor = page.next
    } while (cursor !== undefined)
    assert.deepEqual(paged, all)
    await assert.rejects(list({ cursor: 'x' }), { code: 'REQUEST_INVALID' })
  })

  test('are neither skipped nor counted differently when a cause grows between two pages', async () => {
    const [large, small] = ['Growing: large.', 'Growing: small.']
    for (const message of [large, large, large, large, small, small, small]) await failed(locked(message))
    const first = await list({ limit: 1 })
    assert.equal(first.causes[0]?.title, large)
    // it becomes the largest, so it would have been on the first page
    for (let more = 0; more < 3; more++) await failed(locked(small))
    await failed(locked('Growing: new.'))
    const titles: (string | undefined)[] = []
    const counts: (number | undefined)[] = []
    const ids = new Set<string | undefined>([first.causes[0]?.causeId])
    let cursor = first.next
    while (cursor !== undefined) {
      const page: Awaited<ReturnType<typeof list>> = await list({ limit: 1, cursor })
      titles.push(page.causes[0]?.title)
      counts.push(page.causes[0]?.count)
      ids.add(page.causes[0]?.causeId)
      cursor = page.next
    }
    assert.deepEqual([titles[0], counts[0]], [small, 6])
    assert.equal(ids.size, titles.length + 1)
    assert.ok(!titles.includes('Growing: new.'))
  })

  const SHAPES: [message: string, shape: string][] = [
    ['Tenant 7f3a-11 is gone, see https://example.com/a?b=1 now.', 'Tenant # is gone, see … now.'],
    ["It doesn't know 'this' and can't say why.", "It doesn't know … and can't say why."],
    ['Took 1.5 s at 10:20:30 on 2026-11-22', 'Took # at # on #'],
    ['Took 900ms at 7:05 on 22 Nov 2026', 'Took # at # on #'],
    ['No installation 01a21c0d-9d8b-bfeb-aaaa-cdefabcdefab here', 'No installation # here'],
    ['No installation 01a21c0d-9d8b-bfeb-… here', 'No installation #… here'],
    [`Hash ${'facade'.repeat(2)} or 0xAB`, 'Hash # or #'],
    ['Token eyJhbGciOi.eyJzdWIi.c2lnbmF0 is old', 'Token # is old'],
    ['Key aGVsbG8gd29ybGQhIQ== is wrong', 'Key # is wrong'],
    ['No route to 10.0.0.7:5432 or [fe80::1:2]', 'No route to # or [#]'],
    ['Ask ada@example.com', 'Ask …'],
    ['Values „a“, «b» and “c”', 'Values …'],
    ['剩余３个许可，等待30秒', '剩余#个许可，等待#'],
    ['租户「甲」已被删除', '租户…已被删除'],
    ['بقي ٣ من ٢٥', 'بقي # من #'],
    ['The pool is at source/shop/MODULE/web', 'The pool is at source/shop/MODULE/web'],
    ['std::cafe fails for a facade', 'std::cafe fails for a facade'],
  ]
  for (const [message, shape] of SHAPES) {
    test(`the shape of: ${message}`, async () => {
      const { rows } = await sql<{
        shape: string
      }>`select runtime.failure_shape(${message}) as shape`.execute(engine.runtime.db)
      assert.equal(rows[0]?.shape, shape)
    })
  }

  test('are counted by plugin and hour, also those that were taken over, as far as the person sees them', async () => {
    const hoursOf = async (query: object = {}, asked = context()) => {
      const { plugins } = await countFailureHours(asked, {
        params: {},
        query: runtimeApi['GET /causes/hours'].query.parse(query),
        body: undefined,
      })
      return new Map(plugins.map(({ pluginId, hours }) => [pluginId, hours]))
    }
    const of = (plugin: string) => ({ ...locked('Full.'), errorPath: ['bundle-runtime', plugin] })
    const recent = await failed(of('hours-plugin'))
    const earlier = await failed(of('hours-plugin'))
    const tooOld = await failed(of('hours-plugin'))
    const takenOver = await failed(of('hours-plugin'))
    const itself = await failed({ ...locked('Full.'), errorPath: ['bundle-runtime'] })
    const age = (operationId: string, hours: number, state = 'FAILED') =>
      sql`update runtime.operation set state = ${state}, created_at = date_trunc('hour', clock_timestamp(), 'UTC')
        - make_interval(hours => ${hours}) where operation_id = ${operationId}`.execute(engine.runtime.db)
    await age(recent.operation_id, 0)
    await age(earlier.operation_id, 5)
    await age(takenOver.operation_id, 5, 'TAKEN_OVER')
    await age(tooOld.operation_id, 24)
    const hours = await hoursOf()
    const counted = hours.get('hours-plugin') ?? []
    assert.equal(counted.length, 24)
    assert.deepEqual(
      counted.flatMap((count, hour) => (count === 0 ? [] : [[hour, count]])),
      [
        [18, 1],
        [23, 1],
      ],
    )
    assert.equal(hours.get(null)?.at(-1), 1)
    // the list that a cell leads to
    const listed = async (failedAt: string) => {
      const { items } = await listOperations(context(), {
        params: {},
        query: runtimeApi['GET /operations'].query.parse({ failedAt, state: 'FAILED', limit: 200 }),
        body: undefined,
      })
      return items.map(({ operationId }) => operationId)
    }
    assert.deepEqual(
      new Set(await listed('hours-plugin')),
      new Set([recent, earlier, tooOld].map(({ operation_id }) => operation_id)),
    )
    assert.ok((await listed('bundle-runtime')).includes(itself.operation_id))
    assert.equal((await hoursOf({ environmentKey: 'elsewhere' })).size, 0)
    assert.equal((await hoursOf({}, context([]))).size, 0)
  })

  test('count by the scopes in which a change of them is announced (J01)', async () => {
    const { causeId, updatedAt } = await causeOf((await failed(locked('In many scopes.'))).operation_id)
    await sql`
      insert into runtime.cause_failure (operation_id, run, cause_id, scope_id, environment_key, failed_at)
      select gen_random_uuid(), 1, ${causeId}, -n, 'elsewhere', clock_timestamp() from generate_series(1, 30) n`.execute(
      engine.runtime.db,
    )
    const spent: number[] = []
    const spendMore = (cost: number) => void spent.push(cost)
    const body = { updatedAt, assignee: engine.runtime.actor.id }
    const changed = await engine.runtime.write((open) =>
      changeCause({ ...open, spendMore }, { params: { causeId }, query: {}, body }),
    )
    assert.equal(changed.cause.state, 'TAKEN')
    await engine.runtime.write((open) =>
      addCauseNote({ ...open, spendMore }, { params: { causeId }, query: {}, body: { text: 'Looked at.' } }),
    )
    assert.deepEqual(spent, [3, 3])
  })
})
