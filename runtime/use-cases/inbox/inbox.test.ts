import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { PG } from '#database/transaction.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Follow, InboxNotification } from '#contract/runtime-api/inbox.ts'
import { EVERYTHING } from '../../testing/http.ts'
import { bindingOf, bundleOf, moduleOf, startRuleHarness, TEXT } from '../../testing/rules.ts'
import type { RuleHarness } from '../../testing/rules.ts'
import { SAMPLE_BODIES } from '../../testing/rows.ts'
import {
  deleteOldNotifications,
  escalate,
  ESCALATED_AT_ONCE,
  KEPT_MAX,
} from '../../store/inbox/notifications.ts'
import { until } from '../../testing/stream.ts'

const guarded = bundleOf('guarded', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('guard', 1, { main: {} })],
})

suite('the inbox', { concurrency: false }, () => {
  let harness: RuleHarness

  before(async () => {
    harness = await startRuleHarness()
    await harness.register('guard')
    await harness.publish(guarded)
    // whom others name must have signed in
    for (const actor of ['olga', 'sam', 'vic'])
      await ok(actor, 'PUT', '/services/mail', SAMPLE_BODIES['PUT /services/{serviceId}'])
  })
  after(() => harness.close())

  const as = (actor: string, method: string, path: string, body?: JsonObject, grants = EVERYTHING) =>
    harness.http.call(path, { method, actor, grants, ...(body && { body }) })
  const ok = async (...call: Parameters<typeof as>) => {
    const answer = await as(...call)
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
    return answer.data
  }
  const inbox = async (actor: string, view = 'all', grants = EVERYTHING) =>
    (await ok(actor, 'GET', `/inbox?view=${view}`, undefined, grants))[
      'items'
    ] as unknown as InboxNotification[]
  const told = async (actor: string, view = 'all') =>
    (await inbox(actor, view)).map(({ event, because, operation, batch }) => [
      event,
      because,
      operation?.operationId ?? batch?.batchId,
    ])
  const unread = async (actor: string, grants = EVERYTHING) =>
    (await ok(actor, 'GET', '/inbox/unread', undefined, grants))['unread']
  const clear = () => sql`delete from runtime.inbox_notification`.execute(harness.db)
  const script = (outcome: 'APPLIED' | 'FAILED') => harness.plugin.script(() => ({ outcome }))

  async function install(actor: string, scope = harness.newScope()) {
    const body = { scope: { ...scope }, bundle: { ...guarded.bundle }, targetVersion: '1.0.0' }
    const { operation } = (await ok(actor, 'POST', '/installations', body)) as unknown as {
      operation: { operationId: string; installation: { bundleInstallId: string } }
    }
    await harness.ended(operation.operationId)
    return { operationId: operation.operationId, ...operation.installation, scope }
  }

  test('has the failures of what a person requested, and what others assign to them', async () => {
    script('FAILED')
    const { operationId } = await install('olga')
    assert.deepEqual(await told('olga'), [['operation.failed', 'requested', operationId]])
    assert.deepEqual(await told('sam'), [])
    const assign = (actor: string, assignee: string, expected: string | null) =>
      ok(actor, 'PUT', `/operations/${operationId}/assignee`, { assignee, expected })
    await assign('olga', 'sam', null)
    const [assigned] = await inbox('sam')
    assert.deepEqual(
      [assigned?.event, assigned?.because, assigned?.by, assigned?.operation?.operationId],
      ['operation.assigned', 'assigned', { id: 'olga', name: 'olga' }, operationId],
    )
    // what a person takes, they know
    await assign('vic', 'vic', 'sam')
    assert.deepEqual(await told('vic'), [])
    // who has it now is told of the next failure, once
    const seen = await harness.operation(operationId)
    await ok('sam', 'POST', `/operations/${operationId}/retry`, { run: seen.run })
    await until(async () => (await harness.operation(operationId)).state === 'FAILED')
    await until(async () => (await told('vic')).length === 1)
    assert.deepEqual(await told('vic'), [['operation.failed', 'assigned', operationId]])
    assert.equal((await told('olga')).length, 2)
  })

  test('has what happens to an operation, an installation and a scope that a person follows', async () => {
    await clear()
    script('APPLIED')
    const { operationId, bundleInstallId, scope } = await install('olga')
    const follow = (subject: JsonObject) => ok('vic', 'PUT', '/follows', { subject })
    const { title, operationType } = await follow({ kind: 'operation', operationId })
    assert.deepEqual([title, operationType], ['guarded', 'INSTALL'])
    // it is over already: it is told, and followed no longer
    await until(async () => (await told('vic')).length === 1)
    assert.deepEqual(await told('vic'), [['operation.succeeded', 'followed', operationId]])
    await until(async () => ((await ok('vic', 'GET', '/follows'))['items'] as unknown[]).length === 0)
    await follow({ kind: 'installation', bundleInstallId })
    await follow({ kind: 'scope', scope: { ...scope } })
    await follow({ kind: 'scope', scope: { ...scope } })
    const items = (await ok('vic', 'GET', '/follows'))['items'] as unknown as Follow[]
    assert.deepEqual(
      items.map(({ subject, title }) => [subject.kind, title]),
      [
        ['scope', null],
        ['installation', 'guarded'],
      ],
    )
    await clear()
    const { operation } = (await ok('sam', 'POST', `/installations/${bundleInstallId}/detach`, {
      reason: 'not needed',
    })) as unknown as { operation: { operationId: string } }
    await harness.succeeds(operation.operationId)
    // who had it installed is told too, and who detached it is not
    assert.deepEqual(await told('vic'), [['installation.detached', 'followed', operation.operationId]])
    assert.deepEqual(await told('olga'), [['installation.detached', 'requested', operation.operationId]])
    assert.deepEqual((await inbox('olga'))[0]?.by, { id: 'sam', name: 'sam' })
    assert.deepEqual(await told('sam'), [])
    const [{ followId } = { followId: '' }] = items
    assert.equal((await as('olga', 'DELETE', `/follows/${followId}`)).errorCode, 'NOT_FOUND')
    await ok('vic', 'DELETE', `/follows/${followId}`)
  })

  test('says who took an operation over, once', async () => {
    await clear()
    script('FAILED')
    const { operationId } = await install('olga')
    script('APPLIED')
    const { run } = await harness.operation(operationId)
    const { operation } = (await ok('sam', 'POST', `/operations/${operationId}/takeover`, {
      run,
      reason: 'INC-5521',
    })) as unknown as { operation: { operationId: string } }
    await harness.succeeds(operation.operationId)
    assert.deepEqual(
      (await inbox('olga')).map(({ event, by }) => [event, by?.id]),
      [
        ['operation.taken_over', 'sam'],
        ['operation.failed', undefined],
      ],
    )
    assert.deepEqual(await told('sam'), [])
  })

  test('has the end of a batch instead of that of each item', async () => {
    await clear()
    script('APPLIED')
    const { bundleInstallId } = await install('olga')
    script('FAILED')
    const { batch } = (await ok('sam', 'POST', '/batches', {
      action: 'DETACH',
      title: 'Old ones',
      targets: [bundleInstallId],
      reason: 'not needed',
    })) as unknown as { batch: { batchId: string } }
    await until(async () => (await told('sam')).length > 0)
    assert.deepEqual(await told('sam'), [['batch.finished', 'requested', batch.batchId]])
  })

  test('is read, unread and snoozed by its person alone', async () => {
    await clear()
    script('FAILED')
    await install('olga')
    await install('olga')
    const [newest, oldest] = await inbox('olga')
    assert.equal(await unread('olga'), 2)
    const ids = { notificationIds: [newest?.notificationId ?? ''] }
    assert.deepEqual(await ok('sam', 'POST', '/inbox/mark', { ...ids, read: true }), { marked: 0 })
    assert.deepEqual(await ok('olga', 'POST', '/inbox/mark', { ...ids, read: true }), { marked: 1 })
    assert.equal(await unread('olga'), 1)
    assert.deepEqual(
      (await inbox('olga', 'unread')).map(({ notificationId }) => notificationId),
      [oldest?.notificationId],
    )
    const until_ = new Date(Date.now() + 3_600_000).toISOString()
    assert.deepEqual(await ok('olga', 'POST', '/inbox/snooze', { ...ids, until: until_ }), { snoozed: 1 })
    assert.equal((await inbox('olga')).length, 1)
    assert.equal((await inbox('olga', 'snoozed')).length, 1)
    // it comes back as unread
    await ok('olga', 'POST', '/inbox/snooze', { ...ids, until: new Date(Date.now() - 1).toISOString() })
    await until(async () => (await unread('olga')) === 2)
    await ok('olga', 'POST', '/inbox/mark', { until: newest?.at ?? '', read: true })
    assert.equal(await unread('olga'), 0)
    // none of this is in the audit
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from runtime.audit_entry where action like 'inbox%' or action like 'follow%'`.execute(
      harness.db,
    )
    assert.equal(rows[0]?.count, 0)
  })

  test('has nothing of a scope that the person may not read any more', async () => {
    await clear()
    script('FAILED')
    const { scope } = await install('olga')
    const elsewhere: Grant[] = [{ permissions: ['read'], scope: harness.newScope() }]
    assert.deepEqual(await inbox('olga', 'all', elsewhere), [])
    assert.equal(await unread('olga', elsewhere), 0)
    const subject = { kind: 'scope', scope: { ...scope } }
    assert.equal((await as('vic', 'PUT', '/follows', { subject }, elsewhere)).errorCode, 'NOT_FOUND')
    // naming others is assigning to them
    const reader: Grant[] = [{ permissions: ['read'], scope: null }]
    const others = { subject, escalateAfterMinutes: 5, escalateTo: ['olga'] }
    assert.equal((await as('vic', 'PUT', '/follows', others, reader)).errorCode, 'PERMISSION_DENIED')
    const nobody = { ...others, escalateTo: ['nobody'] }
    assert.equal((await as('vic', 'PUT', '/follows', nobody)).errorCode, 'REQUEST_INVALID')
  })

  test('escalates a failure that nobody takes, once', async () => {
    await clear()
    script('APPLIED')
    const { scope } = await install('olga')
    await ok('vic', 'PUT', '/follows', {
      subject: { kind: 'scope', scope: { ...scope } },
      escalateAfterMinutes: 30,
      escalateTo: ['sam'],
    })
    script('FAILED')
    const other = bundleOf('other', {
      resources: [moduleOf('main', { name: TEXT })],
      plugins: [bindingOf('guard', 1, { main: {} })],
    })
    await harness.publish(other)
    const { operationId } = await harness.install(other, { scope })
    await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    await escalate(harness.db)
    assert.deepEqual(await told('sam'), [])
    await sql`update runtime.follow set created_at = created_at - interval '2 hours'`.execute(harness.db)
    await sql`update runtime.operation set finished_at = finished_at - interval '31 minutes'
      where operation_id = ${operationId}`.execute(harness.db)
    await escalate(harness.db)
    await escalate(harness.db)
    assert.deepEqual(await told('sam'), [['operation.escalated', 'listed', operationId]])
    assert.deepEqual((await inbox('sam'))[0]?.by, { id: 'vic', name: 'vic' })
    // a full inbox loses it for good
    await sql`
      insert into runtime.inbox_notification (person_id, event, because, subject)
      select 'sam', 'operation.failed', 'followed', n::text from generate_series(1, ${KEPT_MAX}::int) n`.execute(
      harness.db,
    )
    await deleteOldNotifications(harness.db)
    await escalate(harness.db)
    const { rows } = await sql`
      select event, count(*)::int as count from runtime.inbox_notification where person_id = 'sam' group by 1`.execute(
      harness.db,
    )
    assert.deepEqual(rows, [{ event: 'operation.failed', count: KEPT_MAX }])
    // somebody has taken it
    await clear()
    await ok('olga', 'PUT', `/operations/${operationId}/assignee`, { assignee: 'olga', expected: null })
    await escalate(harness.db)
    assert.deepEqual(await told('sam'), [])
    // an escalation that has ended notifies the follower alone, once
    await ok('olga', 'PUT', `/operations/${operationId}/assignee`, { assignee: null, expected: 'olga' })
    await sql`update runtime.follow set escalates_until = clock_timestamp() - interval '1 minute'
      where escalate_after_minutes is not null`.execute(harness.db)
    await escalate(harness.db)
    await escalate(harness.db)
    assert.deepEqual(await told('sam'), [])
    assert.deepEqual(await told('vic'), [['escalation.ended', 'followed', undefined]])
  })

  test('escalates in parts: what fails for some keeps no other from it', async () => {
    await clear()
    await sql`delete from runtime.follow`.execute(harness.db)
    script('FAILED')
    const { operationId } = await install('olga')
    await sql`update runtime.operation set finished_at = finished_at - interval '31 minutes'
      where operation_id = ${operationId}`.execute(harness.db)
    const follow = { subject: { kind: 'operation', operationId }, escalateAfterMinutes: 30 }
    const { followId } = (await ok('vic', 'PUT', '/follows', follow)) as unknown as Follow
    // others follow it before and after, by the ids of their follows
    await sql`insert into runtime.follow select copy.* from runtime.follow, generate_series(0, ${ESCALATED_AT_ONCE}) as number,
      jsonb_populate_record(follow, jsonb_build_object(
        'follow_id', repeat(case number when 0 then 'f' else '0' end, 8) || substr(gen_random_uuid()::text, 9),
        'person_id', case number when 0 then 'sam' else 'nobody-' || number end)) as copy
      where follow.follow_id = ${followId}::uuid`.execute(harness.db)
    await sql`update runtime.follow set created_at = created_at - interval '2 hours'`.execute(harness.db)
    await sql`create function fail_nobody() returns trigger language plpgsql as ${sql.lit(
      `begin raise exception using errcode = '${PG.queryCanceled}'; end`,
    )}`.execute(harness.db)
    await sql`create trigger fail_nobody before insert on runtime.inbox_notification for each row
      when (new.person_id like 'nobody-%') execute function fail_nobody()`.execute(harness.db)
    await assert.rejects(escalate(harness.db))
    assert.deepEqual(await told('sam'), [['operation.escalated', 'followed', operationId]])
    await sql`drop function fail_nobody cascade`.execute(harness.db)
    await sql`delete from runtime.follow`.execute(harness.db)
  })

  test('has what fails with a cause that a person follows, and its end', async () => {
    await clear()
    script('FAILED')
    const first = await install('olga')
    const { causeId = '' } = await harness.operation(first.operationId)
    const subject = { kind: 'cause', causeId }
    const elsewhere: Grant[] = [{ permissions: ['read'], scope: harness.newScope() }]
    assert.equal((await as('vic', 'PUT', '/follows', { subject }, elsewhere)).errorCode, 'NOT_FOUND')
    const reader: Grant[] = [{ permissions: ['read'], scope: null }]
    const others = { subject, escalateAfterMinutes: 45, escalateTo: ['sam'] }
    assert.equal((await as('vic', 'PUT', '/follows', others, reader)).errorCode, 'PERMISSION_DENIED')
    const follow = (await ok('vic', 'PUT', '/follows', others)) as unknown as Follow
    const cause = { causeId, pluginId: 'guard', errorCode: 'PLUGIN_REPORTED_FAILURE' }
    assert.deepEqual([follow.cause, follow.scope, follow.title], [cause, null, null])
    assert.deepEqual((await ok('vic', 'GET', '/follows', undefined, elsewhere))['items'], [])

    const second = await install('olga')
    assert.deepEqual(await told('vic'), [['operation.failed', 'followed', second.operationId]])
    await sql`update runtime.follow set created_at = created_at - interval '2 hours'`.execute(harness.db)
    await sql`update runtime.operation set finished_at = finished_at - interval '46 minutes'
      where operation_id = ${second.operationId}`.execute(harness.db)
    // who takes the cause takes its failures
    const change = async (body: JsonObject) => {
      const { updatedAt } = (await ok('olga', 'GET', `/causes/${causeId}`)) as { updatedAt: string }
      await ok('olga', 'PATCH', `/causes/${causeId}`, { updatedAt, ...body })
    }
    await change({ assignee: 'olga' })
    await escalate(harness.db)
    assert.deepEqual(await told('sam'), [])
    await change({ assignee: null })
    await escalate(harness.db)
    assert.deepEqual(await told('sam'), [['operation.escalated', 'listed', second.operationId]])

    await clear()
    await change({ state: 'SOLVED', solvedBy: 'A new license' })
    const [solved] = await inbox('vic')
    assert.deepEqual([solved?.event, solved?.cause, solved?.by?.id], ['cause.solved', cause, 'olga'])
    assert.deepEqual(await inbox('vic', 'all', elsewhere), [])
    assert.equal(await unread('vic', elsewhere), 0)
    await ok('vic', 'DELETE', `/follows/${follow.followId}`)
  })

  test('has nothing that a person knows already: what they have, and what they stopped', async () => {
    await clear()
    script('FAILED')
    const { operationId } = await install('olga')
    const assign = () =>
      ok('sam', 'POST', '/operations/assign', { operationIds: [operationId], assignee: 'vic' })
    await assign()
    assert.deepEqual(await told('vic'), [['operation.assigned', 'assigned', operationId]])
    await clear()
    await assign()
    assert.deepEqual(await told('vic'), [])

    harness.plugin.script(() => 'reset')
    await harness.registerWith('guard', { maxBackoffMs: 60_000 })
    await harness.retry(await harness.operation(operationId))
    const stop = () =>
      as('olga', 'POST', `/operations/${operationId}/stop-retrying`, { run: 2, reason: 'Not today' })
    await until(async () => (await stop()).errorCode === '0')
    await harness.register('guard')
    assert.deepEqual(await told('olga'), [])
    const [failed] = await inbox('vic')
    assert.deepEqual([failed?.event, failed?.by?.id], ['operation.failed', 'olga'])
  })

  test('keeps the newest, for a limited time', async () => {
    await clear()
    await sql`
      insert into runtime.inbox_notification (person_id, event, because, subject, at)
      select 'olga', 'operation.failed', 'followed', n::text, clock_timestamp() - n * interval '1 second'
      from generate_series(1, ${KEPT_MAX + 10}::int) n
      union all select 'sam', 'operation.failed', 'followed', n::text, clock_timestamp() - n * interval '60 days'
      from generate_series(1, 2) n`.execute(harness.db)
    await deleteOldNotifications(harness.db)
    const { rows } = await sql<{ person_id: string; count: number; oldest: number }>`
      select person_id, count(*) as count, max(subject::int) as oldest from runtime.inbox_notification
      group by 1 order by 1`.execute(harness.db)
    assert.deepEqual(rows, [
      { person_id: 'olga', count: KEPT_MAX, oldest: KEPT_MAX },
      { person_id: 'sam', count: 1, oldest: 1 },
    ])
  })

  test('keeps what happened before one person commented a thousand times (J01)', async () => {
    await clear()
    await sql`
      insert into runtime.inbox_notification (person_id, event, because, subject, by_id, at)
      select 'olga', 'change.commented', 'requested', n::text, 'mallory', clock_timestamp() - n * interval '1 second'
      from generate_series(1, ${KEPT_MAX + 10}::int) n
      union all select 'olga', 'operation.escalated', 'listed', n::text, 'vic', clock_timestamp() - interval '1 day'
      from generate_series(1, 250) n
      union all select 'olga', event, 'requested', event, by_id, clock_timestamp() - interval '1 day'
      from (values ('operation.failed', null), ('operation.taken_over', 'sam')) as earlier (event, by_id)`.execute(
      harness.db,
    )
    await deleteOldNotifications(harness.db)
    const { rows } = await sql<{ event: string; count: number }>`
      select event, count(*)::int as count from runtime.inbox_notification group by 1 order by 1`.execute(
      harness.db,
    )
    assert.deepEqual(rows, [
      { event: 'change.commented', count: KEPT_MAX - 252 },
      { event: 'operation.escalated', count: 250 },
      { event: 'operation.failed', count: 1 },
      { event: 'operation.taken_over', count: 1 },
    ])
  })
})
