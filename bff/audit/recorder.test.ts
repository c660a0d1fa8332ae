import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { deleteOldEvents, takeEvent } from '../store/audit-events.ts'
import { bffMigrations } from '../store/tables.ts'
import type { BffTables } from '../store/tables.ts'
import { startEventForwarder } from './forward-events.ts'
import type { SendResult } from './forward-events.ts'
import { createRecorder } from './recorder.ts'
import type { KnownPerson, RefusedRequest } from './recorder.ts'

let database: Database<BffTables>
let close: () => Promise<void>
let lines: Record<string, unknown>[] = []
const log = createLog({
  name: 'test',
  level: 'debug',
  stream: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
})

before(async () => {
  const made = await testDatabase({ migrations: [bffMigrations] })
  database = openDatabase<BffTables>(made.connection)
  close = async () => {
    await database.close()
    await made.close()
  }
})
after(() => close())
beforeEach(async () => {
  lines = []
  await sql`delete from bff.audit_event`.execute(database.db)
})

const ada: KnownPerson = { id: 'ada', name: 'Ada', issuer: 'https://idp.test' }
const bob: KnownPerson = { id: 'bob', name: 'Bob', issuer: 'https://idp.test' }
const refusal: RefusedRequest = {
  action: 'plugin.save',
  subject: 'mailer',
  errorCode: 'PERMISSION_DENIED',
  scope: null,
  bundleInstallId: null,
  operationId: null,
}
const from = (clientAddress: string, requestId = 'r-1') => ({ clientAddress, requestId })
const recorder = (mergeSeconds = 60) => createRecorder({ db: database.db, log, mergeSeconds })
const events = async () =>
  database.db.selectFrom('bff.audit_event').selectAll().orderBy('first_at').orderBy('event_id').execute()

describe('what is recorded', () => {
  test('is one event with a count, and one log line, for equal refusals', async () => {
    const { refused } = recorder()
    await Promise.all(
      Array.from({ length: 50 }, (_, turn) => refused(ada, refusal, from('10.0.0.1', `r-${turn}`))),
    )
    const [event, ...more] = await events()
    assert.deepEqual(more, [])
    assert.deepEqual(
      [event?.occurrences, event?.subject, event?.client_address, event?.error_code, event?.actor_issuer],
      [50, 'mailer', '10.0.0.1', 'PERMISSION_DENIED', 'https://idp.test'],
    )
    assert.ok((event?.last_at ?? '') >= (event?.first_at ?? ''))
    const refusals = lines.filter(({ msg }) => msg === 'refused')
    assert.equal(refusals.length, 1)
    assert.deepEqual([refusals[0]?.['actorId'], refusals[0]?.['action']], ['ada', 'plugin.save'])
  })

  test('is separate for other people and other actions', async () => {
    const { refused } = recorder()
    await refused(ada, refusal, from('10.0.0.1'))
    await refused(bob, refusal, from('10.0.0.1'))
    await refused({ ...ada, issuer: 'https://other.test' }, refusal, from('10.0.0.1'))
    await refused(ada, { ...refusal, action: 'service.save' }, from('10.0.0.1'))
    assert.deepEqual(
      (await events()).map(({ occurrences }) => occurrences),
      [1, 1, 1, 1],
    )
  })

  test('contains only what merged refusals have in common', async () => {
    const { refused } = recorder()
    const scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
    const id = '0199f000-0000-7000-8000-000000000001'
    const place = { ...refusal, scope, operationId: id, bundleInstallId: id }
    await refused(ada, place, from('10.0.0.1'))
    await refused(ada, place, from('10.0.0.1'))
    const [same] = await events()
    assert.deepEqual([same?.scope, same?.operation_id, same?.client_address], [scope, id, '10.0.0.1'])

    await refused(ada, { ...refusal, subject: 'other' }, from('10.0.0.2'))
    await refused(ada, { ...refusal, subject: 'third' }, from('10.0.0.1'))
    const [event] = await events()
    assert.deepEqual(
      [event?.occurrences, event?.subject, event?.scope, event?.operation_id, event?.bundle_install_id],
      [4, 'mailer …', null, null, null],
    )
    assert.equal(event?.client_address, null)
  })

  test('is bounded, no matter how many names and addresses are made up', async () => {
    const { signInFailed } = recorder()
    for (let turn = 0; turn < 1_500; turn++)
      await signInFailed({ username: null }, 'SIGN_IN_FAILED', from(`10.${turn >> 8}.${turn & 255}.1`))
    const all = await events()
    assert.ok(all.length <= 1_024, String(all.length))
    assert.equal(
      all.reduce((sum, { occurrences }) => sum + occurrences, 0),
      1_500,
    )
    assert.ok(all.every(({ subject, actor_id: id }) => subject === 'console' && id === null))
  })

  test('names the user or person of a failed sign-in if known', async () => {
    const { signInFailed } = recorder()
    await signInFailed({ username: 'mira' }, 'SIGN_IN_FAILED', from('10.0.0.1'))
    await signInFailed({ username: 'mira' }, 'SIGN_IN_FAILED', from('10.0.0.1'))
    await signInFailed({ username: 'tomas' }, 'SIGN_IN_FAILED', from('10.0.0.1'))
    await signInFailed({ person: ada }, 'PERMISSION_DENIED', from('10.0.0.1'))
    assert.deepEqual(
      (await events()).map((event) => [event.subject, event.actor_id, event.occurrences, event.outcome]),
      [
        ['mira', null, 2, 'REFUSED'],
        ['tomas', null, 1, 'REFUSED'],
        ['console', 'ada', 1, 'REFUSED'],
      ],
    )
  })

  test('is one event for each sign-in', async () => {
    const { signedIn, signedOut } = recorder()
    for (let turn = 0; turn < 3; turn++) await signedIn(database.db, ada, from('10.0.0.1'))
    await signedOut(database.db, ada, from('10.0.0.1'))
    assert.deepEqual(
      (await events()).map(({ action, outcome }) => [action, outcome]),
      [...Array.from({ length: 3 }, () => ['session.sign-in', 'DONE']), ['session.sign-out', 'DONE']],
    )
  })

  test('is a log line if it cannot be stored, and nothing is thrown', async () => {
    await sql`alter table bff.audit_event rename to elsewhere`.execute(database.db)
    await recorder().refused(ada, refusal, from('10.0.0.1'))
    await sql`alter table bff.elsewhere rename to audit_event`.execute(database.db)
    assert.equal(lines.length, 1)
    assert.equal(lines[0]?.['msg'], 'a refusal could not be stored for the audit')
  })
})

describe('delivery', () => {
  async function deliver(answers: (attempt: number) => SendResult, until: () => boolean): Promise<string[]> {
    const sent: string[] = []
    const forwarder = startEventForwarder({
      db: database.db,
      log,
      pollMs: 5,
      send: async (event) => {
        sent.push(event.event_id)
        return answers(sent.length)
      },
    })
    while (!until()) await new Promise((resolve) => setTimeout(resolve, 5))
    await forwarder.stop()
    return sent
  }

  test('sends each event once, and merged events after the merge window', async () => {
    const { refused, signedIn } = recorder(0.3)
    await refused(ada, refusal, from('10.0.0.1'))
    await refused(ada, refusal, from('10.0.0.1'))
    await signedIn(database.db, ada, from('10.0.0.1'))
    const [first, second] = await events()
    let count = 0
    const sent = await deliver(
      () => {
        count++
        return { kind: 'recorded' }
      },
      () => count === 2,
    )
    assert.deepEqual(sent, [second?.event_id, first?.event_id])
    assert.deepEqual(await events(), [])
  })

  test('an event that is being sent is no longer merged', async () => {
    const { refused } = recorder(0)
    await refused(ada, refusal, from('10.0.0.1'))
    const taken = await takeEvent(database.db)
    await refused(ada, refusal, from('10.0.0.1'))
    const all = await events()
    assert.deepEqual(
      all.map(({ occurrences }) => occurrences),
      [1, 1],
    )
    assert.equal(all[0]?.event_id, taken?.event_id)
    assert.ok((all[0]?.available_at ?? '') > (all[0]?.last_at ?? ''))
  })

  test('keeps undelivered events, logs that once, and drops events that the runtime refuses', async () => {
    const { signedIn } = recorder()
    await signedIn(database.db, ada, from('10.0.0.1'))
    let attempts = 0
    const undelivered = await deliver(
      () => {
        attempts++
        return { kind: 'undelivered' }
      },
      () => attempts === 1,
    )
    const [waiting] = await events()
    assert.deepEqual([waiting?.event_id, waiting?.attempts], [undelivered[0], 1])
    assert.equal(lines.filter(({ msg }) => String(msg).startsWith('audit events are waiting')).length, 1)

    await sql`update bff.audit_event set available_at = clock_timestamp()`.execute(database.db)
    attempts = 0
    await deliver(
      () => {
        attempts++
        return { kind: 'refused', errorCode: 'REQUEST_INVALID' }
      },
      () => attempts === 1,
    )
    assert.deepEqual(await events(), [])
    assert.equal(lines.at(-1)?.['errorCode'], 'REQUEST_INVALID')
  })

  test('replicas take different events', async () => {
    const { signedIn } = recorder()
    for (let turn = 0; turn < 20; turn++) await signedIn(database.db, ada, from('10.0.0.1'))
    const taken = await Promise.all(Array.from({ length: 25 }, () => takeEvent(database.db)))
    const ids = taken.flatMap((event) => (event === undefined ? [] : [event.event_id]))
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.length > 0)
  })

  test('an event that could not be delivered for a week is dropped', async () => {
    const { signedIn } = recorder()
    await signedIn(database.db, ada, from('10.0.0.1'))
    await takeEvent(database.db)
    await signedIn(database.db, bob, from('10.0.0.1'))
    await sql`update bff.audit_event set first_at = first_at - interval '8 days'`.execute(database.db)
    // an event without attempts is not old, only late
    assert.equal(await deleteOldEvents(database.db, 7), 1)
    assert.deepEqual(
      (await events()).map(({ actor_id: id }) => id),
      ['bob'],
    )
  })
})
