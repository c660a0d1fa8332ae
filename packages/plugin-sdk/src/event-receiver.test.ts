import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import { readEnvelope } from '../../../contract/protocol/envelope.ts'
import { lifecycleRequest } from '../testing/lifecycle-request.ts'
import { eventReceiver, type IncomingEvent } from './event-receiver.ts'
import { memoryStore } from './memory-store.ts'
import { PluginFailure } from './result.ts'

const ISSUER = 'https://platform.example'
const { installation } = lifecycleRequest()
const { publicKey, privateKey } = await generateKeyPair('EdDSA')
const stranger = await generateKeyPair('EdDSA')
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'EdDSA' }] }

interface TokenChanges {
  claims?: JWTPayload
  expiresIn?: string
  key?: typeof privateKey
}

const token = ({ claims = {}, expiresIn = '5m', key = privateKey }: TokenChanges = {}): Promise<string> =>
  new SignJWT({ iss: ISSUER, aud: 'crm', sub: 'tenants', methods: ['created'], installation, ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'key-1' })
    .setIssuedAt()
    .setExpirationTime(expiresIn)
    .sign(key)

function receiver() {
  const handled: IncomingEvent[] = []
  const failedIds: (string | null)[] = []
  const store = memoryStore()
  const handle = eventReceiver({
    serviceId: 'crm',
    issuer: ISSUER,
    keys,
    store,
    onError: (_, eventId) => failedIds.push(eventId),
    handle: {
      created(event, tx) {
        if (event.payload === 'refuse')
          throw new PluginFailure({
            errorCode: 'NO_SUCH_TENANT',
            message: 'No such tenant',
            retryable: false,
          })
        if (event.payload === 'break') throw new Error('internal detail')
        tx.set(event.eventId, event.payload)
        handled.push(event)
      },
    },
  })
  const send = async (
    bearer: string,
    { method = 'created', eventId = 'event-1', body = '"first"' } = {},
  ): Promise<{ status: number; code: string; retryable: boolean | undefined; text: string }> => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${bearer}`,
      'event-id': eventId,
      'idempotency-key': 'key-1',
    }
    const response = await handle(
      new Request(`http://crm/events/${method}`, { method: 'POST', headers, body }),
    )
    const text = await response.text()
    const envelope = response.status === 200 ? readEnvelope(JSON.parse(text)) : null
    const failure = envelope?.kind === 'failure' ? envelope : null
    const { status } = response
    return { status, code: failure?.errorCode ?? '0', retryable: failure?.failure?.retryable, text }
  }
  return { send, handled, failedIds, store }
}

test('an event with a valid token is handled, and its sender comes from the token', async () => {
  const { send, handled } = receiver()
  assert.deepEqual((await send(await token())).status, 200)
  const expected = { eventId: 'event-1', idempotencyKey: 'key-1', method: 'created', payload: 'first' }
  assert.deepEqual(handled, [{ ...expected, pluginId: 'tenants', installation }])
})

const refused: Record<string, TokenChanges> = {
  'a token that another key signed': { key: stranger.privateKey },
  'a token for another service': { claims: { aud: 'mail' } },
  'a token of another platform': { claims: { iss: 'https://elsewhere.example' } },
  'an expired token': { expiresIn: '-2m' },
}
for (const [name, changes] of Object.entries(refused))
  test(`${name} is refused with 401`, async () => {
    const { send, handled } = receiver()
    assert.equal((await send(await token(changes))).status, 401)
    assert.deepEqual(handled, [])
  })

test('a method that the token does not list is refused, even if the service handles it', async () => {
  const { send, handled } = receiver()
  const answer = await send(await token({ claims: { methods: ['deleted'] } }))
  assert.deepEqual([answer.code, answer.retryable], ['EVENT_METHOD_NOT_ALLOWED', false])
  const unknown = await send(await token({ claims: { methods: ['deleted'] } }), { method: 'deleted' })
  assert.deepEqual([unknown.code, unknown.retryable], ['EVENT_NOT_DECLARED', false])
  assert.deepEqual(handled, [])
})

test('a repeat is confirmed and not handled again, with a new token too', async () => {
  const { send, handled } = receiver()
  assert.equal((await send(await token())).code, '0')
  assert.equal((await send(await token({ expiresIn: '4m' }))).code, '0')
  assert.equal(handled.length, 1)
})

test('the id of another event is refused, and another plugin has separate ids', async () => {
  const { send, handled } = receiver()
  await send(await token())
  const reused = await send(await token(), { body: '"second"' })
  assert.deepEqual([reused.code, reused.retryable], ['EVENT_ID_REUSED', false])
  assert.equal((await send(await token({ claims: { sub: 'billing' } }), { body: '"second"' })).code, '0')
  assert.equal(handled.length, 2)
})

test('two equal events at the same time are handled once', async () => {
  const { send, handled } = receiver()
  const bearer = await token()
  await Promise.all([send(bearer), send(bearer), send(bearer)])
  assert.equal(handled.length, 1)
})

test('an event that was refused or failed is handled when it is sent again', async () => {
  const { send, failedIds, store } = receiver()
  assert.equal((await send(await token(), { body: '"refuse"' })).code, 'NO_SUCH_TENANT')
  const broken = await send(await token(), { body: '"break"' })
  assert.deepEqual(failedIds, ['event-1'])
  assert.deepEqual([broken.code, broken.retryable], ['PLUGIN_INTERNAL_ERROR', true])
  assert.ok(!broken.text.includes('internal detail'))
  assert.equal((await send(await token())).code, '0')
  assert.equal(await store.transaction((tx) => tx.get('event-1')), 'first')
})

test('an event without an id is refused', async () => {
  const { send } = receiver()
  assert.equal((await send(await token(), { eventId: '' })).code, 'REQUEST_INVALID')
})
