import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { leaseOperations } from '../store/operations/lease-operations.ts'
import { findServer, recover } from '../store/recovery/recover.ts'
import type { SeenServer } from '../store/recovery/recover.ts'
import { recoverIfMoved } from '../recovery.ts'
import type { LastSeen } from '../recovery.ts'
import { openEvents, until } from '../testing/stream.ts'
import { testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { billing, SCOPE } from '../testing/bundles.ts'

// What docs/operating/recover.md promises after a restore or a failover that lost writes.

let http: TestHttp
before(async () => {
  http = await testHttp({ worker: { pollMs: 100 } })
})
after(() => http.close())

async function write(method: string, path: string, body: JsonObject): Promise<JsonObject> {
  const { data, errorCode } = await http.call(path, { method, body })
  assert.equal(errorCode, '0')
  return data
}

async function succeeded(operation: JsonObject): Promise<JsonObject> {
  const path = `/operations/${textOf(operation['operationId'])}`
  await until(async () => (await http.call(path)).data['state'] === 'SUCCEEDED')
  return operation
}

it('after the server changed, nothing is created or called before the numbers are raised', async () => {
  await write('PUT', '/bundles/dev/billing/versions/1.0.0', billing as unknown as JsonObject)
  const installed = await write('POST', '/installations', {
    scope: { ...SCOPE },
    bundle: { ...billing.bundle },
    targetVersion: '1.0.0',
  })
  const first = await succeeded(installed['operation'] as JsonObject)
  assert.equal(first['executionSequence'], 1)
  const reader = await openEvents(http)
  const { lastId } = reader
  await reader.leave()

  const { db } = http.runtime.deps
  const { rows } = await sql<{
    identity: string | null
  }>`select runtime.current_identity() as identity`.execute(db)
  assert.match(rows[0]?.identity ?? '', /^\d+\/[0-9A-F]{8}$/)
  // one that was in progress when the state was saved
  await sql`update runtime.operation set state = 'WAITING', phase = 'RESOURCES', holds_claim = true,
    available_at = '2100-01-01'`.execute(db)
  await sql`update runtime.server_identity set identity = '1/00000001'`.execute(db)
  await sql`update runtime.operation set available_at = '2020-01-01'`.execute(db)
  const lease = { owner: 'a worker', leaseMs: 1_000, limit: 10, perPlugin: 10, rooms: [] }
  assert.deepEqual(await leaseOperations(db, lease), [])
  await sql`update runtime.operation set available_at = '2100-01-01'`.execute(db)
  const { bundleInstallId } = first['installation'] as JsonObject
  await assert.rejects(
    sql`insert into runtime.operation select * from runtime.operation`.execute(db),
    /went back in time or moved, and was not recovered yet/,
  )
  await recoverIfMoved(http.runtime.deps, http.runtime.deps.db)
  const marked = await sql<{ in_doubt: boolean; identity: string }>`
    select in_doubt_since is not null as in_doubt, identity from runtime.operation, runtime.server_identity`.execute(
    db,
  )
  assert.deepEqual(marked.rows, [{ in_doubt: true, identity: rows[0]?.identity }])
  // it is told: in the list, in the next step, and in the audit
  const inDoubt = (await http.call('/operations?inDoubt=open')).data['items'] as JsonObject[]
  assert.equal(inDoubt.length, 1)
  const [listed = {}] = inDoubt
  assert.ok(listed['inDoubtSince'])
  const { actor, action } = listed['nextStep'] as JsonObject
  assert.deepEqual([actor, action], ['SUPPORT', 'CHECK_IN_DOUBT'])
  const { recovery } = (await http.call('/recovery')).data
  const { because, backup, operationsInDoubt, raisedBy } = recovery as JsonObject
  assert.deepEqual([because, backup, operationsInDoubt, raisedBy], ['SERVER_CHANGED', null, 1, 100_000])
  const entries = (await http.call('/audit?action=database.failover')).data['items'] as JsonObject[]
  assert.deepEqual(
    entries.map(({ actor: by }) => (by as JsonObject)['id']),
    ['bundle-runtime'],
  )
  await sql`update runtime.operation set state = 'SUCCEEDED', phase = 'DONE', holds_claim = false`.execute(db)
  assert.deepEqual((await http.call('/operations?inDoubt=open')).data['items'], [])
  await recoverIfMoved(http.runtime.deps, http.runtime.deps.db)

  const detached = await write('POST', `/installations/${textOf(bundleInstallId)}/detach`, {
    reason: 'a test',
  })
  const second = await succeeded(detached['operation'] as JsonObject)
  assert.equal(second['executionSequence'], 100_002)
  const history = await sql<{ version: number }>`
    select snapshot_version as version from runtime.snapshot order by 1`.execute(db)
  assert.deepEqual(
    history.rows.map(({ version }) => version),
    [1, 100_001],
  )
  const resumed = await openEvents(http, lastId)
  assert.equal((await resumed.events(1))[0]?.event, 'reset')
  await resumed.leave()
})

it('a return to an earlier timeline of the same server is noticed by a replica that saw the later one', async () => {
  const { db } = http.runtime.deps
  const sequences = async () => {
    const { rows } = await sql<{ n: string }>`
      select last_execution_sequence::text as n from runtime.installation order by bundle_install_id`.execute(
      db,
    )
    return rows.map(({ n }) => Number(n))
  }
  const before = await sequences()
  const here = await findServer(db)
  const last: LastSeen = { server: null }
  await recoverIfMoved(http.runtime.deps, db, last)
  assert.deepEqual([last.server?.identity, await sequences()], [here.identity, before])

  // as PostgreSQL writes them: hexadecimal
  const [system, timeline = ''] = (here.identity ?? '').split('/')
  const later = (Number.parseInt(timeline, 16) + 15).toString(16).toUpperCase().padStart(8, '0')
  const seen: SeenServer = { ...here, identity: `${system}/${later}` }
  const [one, two]: LastSeen[] = [{ server: seen }, { server: seen }]
  await recoverIfMoved(http.runtime.deps, db, one)
  // beyond the numbers of each of the 15 timelines that are gone
  const raised = before.map((sequence) => sequence + 16 * 100_000)
  assert.deepEqual(await sequences(), raised)
  // once, also if another replica notices it too, or this one looks again
  await recoverIfMoved(http.runtime.deps, db, two)
  await recoverIfMoved(http.runtime.deps, db, one)
  assert.deepEqual(await sequences(), raised)

  // another server has its own timelines
  await recoverIfMoved(http.runtime.deps, db, { server: { ...seen, identity: `1/${later}` } })
  await recoverIfMoved(http.runtime.deps, db, { server: { ...seen, identity: null } })
  assert.deepEqual(await sequences(), raised)
})

it('batches pause, because their pending items may have run already', async () => {
  const targets: string[] = []
  for (const workspaceId of [501, 502]) {
    const { operation } = await write('POST', '/installations', {
      scope: { ...SCOPE, workspaceId },
      bundle: { ...billing.bundle },
      targetVersion: '1.0.0',
    })
    const { installation } = await succeeded(operation as JsonObject)
    targets.push(textOf((installation as JsonObject)['bundleInstallId']))
  }
  const body = { action: 'DETACH', title: 'Detach', reason: 'a test', targets, first: 1 }
  const path = `/batches/${textOf(((await write('POST', '/batches', body))['batch'] as JsonObject)['batchId'])}`
  const read = async () => (await http.call(path)).data
  await until(async () => (await read())['state'] === 'PAUSED')

  const { db } = http.runtime.deps
  // continued, but the next item has not started yet
  await sql`update runtime.batch set state = 'RUNNING', because = null, is_released = true,
    available_at = '2100-01-01'`.execute(db)
  await sql`update runtime.server_identity set identity = '1/00000001'`.execute(db)
  await recoverIfMoved(http.runtime.deps, http.runtime.deps.db)
  const { state, because } = await read()
  assert.deepEqual([state, because], ['PAUSED', 'DATABASE_RECOVERED'])

  await sql`update runtime.batch set available_at = clock_timestamp()`.execute(db)
  await write('POST', `${path}/continue`, {})
  await until(async () => (await read())['state'] === 'DONE')
  const { counts } = await read()
  assert.equal((counts as JsonObject)['SUCCEEDED'], 2)
})

it('a batch that waited for a look at its first results continues at once', async () => {
  const { db } = http.runtime.deps
  await sql`update runtime.batch set state = 'PAUSED', because = 'FIRST', is_released = false, finished_at = null`.execute(
    db,
  )
  await sql`update runtime.batch_item set state = 'PENDING', ended_at = null, operation_id = null where position = 1`.execute(
    db,
  )
  await sql`update runtime.server_identity set identity = '1/00000001'`.execute(db)
  await recoverIfMoved(http.runtime.deps, db)
  const { rows } = await sql`select state, because, is_released from runtime.batch`.execute(db)
  assert.deepEqual(rows, [{ state: 'PAUSED', because: 'DATABASE_RECOVERED', is_released: true }])
  await sql`update runtime.batch set state = 'STOPPED', finished_at = clock_timestamp()`.execute(db)
})

it('a batch whose first results are not there yet waits too, and still for a look at them', async () => {
  const { db } = http.runtime.deps
  await sql`update runtime.batch set state = 'RUNNING', because = null, is_released = false, finished_at = null,
    available_at = '2100-01-01'`.execute(db)
  await sql`update runtime.server_identity set identity = '1/00000001'`.execute(db)
  await recoverIfMoved(http.runtime.deps, db)
  const { rows } = await sql`select state, because, is_released from runtime.batch`.execute(db)
  assert.deepEqual(rows, [{ state: 'PAUSED', because: 'DATABASE_RECOVERED', is_released: false }])
  await sql`update runtime.batch set state = 'STOPPED', finished_at = clock_timestamp()`.execute(db)
})

it('webhooks start without the failures of the restored state', async () => {
  const { db } = http.runtime.deps
  await sql`
    insert into runtime.webhook (webhook_id, title, url, address, events, retrying_after_minutes, enabled, secret, failing_since)
    values (gen_random_uuid(), 'On call', 'http://127.0.0.1:9', '', '{operation.failed}', 30, true, '', now() - interval '9 days')`.execute(
    db,
  )
  await recover(db, { isForced: true })
  const { rows } = await sql<{ failing: boolean }>`
    select failing_since is not null as failing from runtime.webhook`.execute(db)
  assert.deepEqual(rows, [{ failing: false }])
  await sql`delete from runtime.webhook`.execute(db)
})

it('a recovery awaits a scope before it locks an installation, so that it cannot deadlock', async () => {
  const { db } = http.runtime.deps
  let recovery: Promise<unknown> | undefined
  await db.transaction().execute(async (tx) => {
    await sql`select from runtime.scope for update`.execute(tx)
    recovery = recover(db, { isForced: true })
    await until(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%runtime.scope%'`.execute(
        db,
      )
      return rows.length === 1
    })
    await sql`select from runtime.installation for update nowait`.execute(tx)
  })
  await recovery
})

it('resets every reader of events, also one whose position the new timeline has reached', async () => {
  const open = await openEvents(http)
  const earlier = open.lastId
  await recover(http.runtime.deps.db, { isForced: true })
  assert.deepEqual(
    (await open.events(1)).map(({ event }) => event),
    ['reset'],
  )
  const body = {
    scope: { ...SCOPE, workspaceId: 601 },
    bundle: { ...billing.bundle },
    targetVersion: '1.0.0',
  }
  await succeeded((await write('POST', '/installations', body))['operation'] as JsonObject)
  const events = await open.events(3)
  assert.deepEqual(
    events.slice(1).filter(({ event }) => event === 'reset'),
    [],
  )
  // events at both ends of the position are stored, so it looks like one of this timeline
  const id = events[1]?.id ?? ''
  const [, between = '', epoch] = /^(.*)-(\d+)$/.exec(id) ?? []
  for (const [position, isReset] of [
    [id, false],
    [between, true],
    [`${between}-${Number(epoch) - 1}`, true],
    [earlier, true],
  ] as const) {
    const reader = await openEvents(http, position)
    assert.equal(reader.messages[0]?.event === 'reset', isReset, position)
    await reader.leave()
  }
  await open.leave()
})

it('recovers a database however long a statement takes', async (t) => {
  // the timeout of the driver is 10 s longer
  const small = await testHttp({ limits: { statementTimeoutMs: 1_000 } })
  t.after(() => small.close())
  const { db } = small.runtime.deps
  await sql`create function runtime.slow_delete() returns trigger language plpgsql as $$
    begin perform pg_sleep(11.5); return null; end $$`.execute(db)
  await sql`create trigger slow_delete before delete on runtime.event
    for each statement execute function runtime.slow_delete()`.execute(db)
  await sql`update runtime.server_identity set identity = '1/00000001'`.execute(db)
  await until(async () => {
    const { rows } = await sql`select from runtime.server_identity where recovered_at is not null`.execute(db)
    return rows.length === 1
  })
})
