import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { deleteOldEvents, takeEvent } from '../store/audit-events.ts'
import { startEventForwarder } from './forward-events.ts'
import type { SendResult } from './forward-events.ts'
import { ada, bob, events, from, recorded, recordInDatabase, recorder, refusal } from './testing.ts'

recordInDatabase()

describe('delivery', () => {
  async function deliver(answers: (attempt: number) => SendResult, until: () => boolean): Promise<string[]> {
    const sent: string[] = []
    const forwarder = startEventForwarder({
      db: recorded.db,
      log: recorded.log,
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
    await signedIn(recorded.db, ada, from('10.0.0.1'))
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
    const taken = await takeEvent(recorded.db)
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
    await signedIn(recorded.db, ada, from('10.0.0.1'))
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
    assert.equal(
      recorded.lines.filter(({ msg }) => String(msg).startsWith('audit events are waiting')).length,
      1,
    )

    await sql`update bff.audit_event set available_at = clock_timestamp()`.execute(recorded.db)
    attempts = 0
    await deliver(
      () => {
        attempts++
        return { kind: 'refused', errorCode: 'REQUEST_INVALID' }
      },
      () => attempts === 1,
    )
    assert.deepEqual(await events(), [])
    assert.equal(recorded.lines.at(-1)?.['errorCode'], 'REQUEST_INVALID')
  })

  test('replicas take different events', async () => {
    const { signedIn } = recorder()
    for (let turn = 0; turn < 20; turn++) await signedIn(recorded.db, ada, from('10.0.0.1'))
    const taken = await Promise.all(Array.from({ length: 25 }, () => takeEvent(recorded.db)))
    const ids = taken.flatMap((event) => (event === undefined ? [] : [event.event_id]))
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.length > 0)
  })

  test('an event that could not be delivered for a week is dropped', async () => {
    const { signedIn } = recorder()
    await signedIn(recorded.db, ada, from('10.0.0.1'))
    await takeEvent(recorded.db)
    await signedIn(recorded.db, bob, from('10.0.0.1'))
    await sql`update bff.audit_event set first_at = first_at - interval '8 days'`.execute(recorded.db)
    // an event without attempts is not old, only late
    assert.equal(await deleteOldEvents(recorded.db, 7), 1)
    assert.deepEqual(
      (await events()).map(({ actor_id: id }) => id),
      ['bob'],
    )
  })
})
