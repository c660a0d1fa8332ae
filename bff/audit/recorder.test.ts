import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { ada, bob, events, from, recorded, recordInDatabase, recorder, refusal } from './testing.ts'

recordInDatabase()

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
    const refusals = recorded.lines.filter(({ msg }) => msg === 'refused')
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
    for (let turn = 0; turn < 3; turn++) await signedIn(recorded.db, ada, from('10.0.0.1'))
    await signedOut(recorded.db, ada, from('10.0.0.1'))
    assert.deepEqual(
      (await events()).map(({ action, outcome }) => [action, outcome]),
      [...Array.from({ length: 3 }, () => ['session.sign-in', 'DONE']), ['session.sign-out', 'DONE']],
    )
  })

  test('is a log line if it cannot be stored, and nothing is thrown', async () => {
    await sql`alter table bff.audit_event rename to elsewhere`.execute(recorded.db)
    await recorder().refused(ada, refusal, from('10.0.0.1'))
    await sql`alter table bff.elsewhere rename to audit_event`.execute(recorded.db)
    assert.equal(recorded.lines.length, 1)
    assert.equal(recorded.lines[0]?.['msg'], 'a refusal could not be stored for the audit')
  })
})
