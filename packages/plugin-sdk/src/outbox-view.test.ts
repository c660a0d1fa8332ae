import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventNamed, eventTarget } from '../testing/event-target.ts'
import { memoryStore } from './memory-store.ts'
import { outboxView } from './outbox-view.ts'
import { eventOutbox } from './outbox.ts'

test('the view lists events at its path, and says what is wrong with another path or state', async (t) => {
  const store = memoryStore()
  const { platformApiBase } = await eventTarget(t)
  const outbox = eventOutbox({ store, platformApiBase, credential: 'plugin-credential' })
  await store.transaction((tx) => outbox.publish(tx, eventNamed('first')))
  const get = async (at: string, options = {}) => {
    const response = await outboxView(outbox, options)(new Request(`http://plugin.invalid${at}`))
    const { title, events } = (await response.json()) as { title?: string; events?: unknown[] }
    return [response.status, title ?? events?.length]
  }
  assert.deepEqual(await get('/'), [200, 1])
  assert.deepEqual(await get('/?state=PENDING'), [200, 1])
  assert.deepEqual(await get('/?state=FAILED'), [200, 0])
  assert.deepEqual(await get('/?state=FOO'), [400, 'state must be one of PENDING, DELIVERED, FAILED'])
  assert.deepEqual(await get('/favicon.ico'), [404, 'The outbox is at /'])
  assert.deepEqual(await get('/outbox?state=PENDING', { path: '/outbox' }), [200, 1])
})

test('an event that the target does not accept says who must list it', async (t) => {
  const store = memoryStore()
  const { platformApiBase } = await eventTarget(t)
  const outbox = eventOutbox({ store, platformApiBase, credential: 'plugin-credential' })
  await store.transaction((tx) => outbox.publish(tx, { ...eventNamed('first'), method: 'deleted' }))
  await outbox.deliverDue()
  const [event] = await outbox.list({ state: 'FAILED' })
  assert.deepEqual(event?.lastError, {
    errorCode: 'EVENT_NOT_DECLARED',
    message:
      'The service crm does not accept deleted: its Module must declare the event, or its methods list it if it has no Module',
  })
})
