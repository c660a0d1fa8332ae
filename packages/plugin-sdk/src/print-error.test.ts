import assert from 'node:assert/strict'
import { test } from 'node:test'
import { successEnvelope } from '../../../contract/protocol/envelope.ts'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest, LOCATOR } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { memoryStore } from './memory-store.ts'
import { listen } from './node-listener.ts'
import { describeError } from './print-error.ts'

test('the errors of HTTP clients are described without addresses and tokens', () => {
  const messages = {
    'connect ECONNREFUSED 10.1.2.3:8443': 'connect ECONNREFUSED [removed]',
    'connect ECONNREFUSED ::1:4000': 'connect ECONNREFUSED [removed]',
    'connect ETIMEDOUT fe80::1c2:3ff:fe4:5': 'connect ETIMEDOUT [removed]',
    'getaddrinfo ENOTFOUND mail.internal': 'getaddrinfo ENOTFOUND [removed]',
    'GET https://mail.internal/send?a=b failed with 502': 'GET [removed] failed with 502',
    'Rejected eyJhbGciOiJFZERTQSJ9.e30.c2ln': 'Rejected [removed]',
    'The host mail.example is not in the certificate': 'The host [removed] is not in the certificate',
    'The 3 rows of 12:30:45 differ': 'The 3 rows of 12:30:45 differ',
  }
  for (const [message, expected] of Object.entries(messages)) {
    const [first] = describeError(new Error(message), ['https://mail.example/base']).split('\n')
    assert.equal(first, `Error: ${expected}`)
  }
})

test('causes, codes and stacks are described, other properties are not', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:1'), {
    code: 'ECONNREFUSED',
    address: '10.1.2.3',
  })
  const text = describeError(new TypeError('fetch failed', { cause }), [])
  assert.match(text, /^TypeError: fetch failed\n\s+at /)
  assert.match(text, /\nCaused by Error \[ECONNREFUSED\]: connect ECONNREFUSED \[removed\]\n\s+at /)
  assert.doesNotMatch(text, /10\.1\.2/)
  assert.equal(describeError('no error', []), 'no error')
})

test('a message that looks like a stack, and the names in a certificate, do not leak', () => {
  const framed = new Error('failed\n    at https://orders.internal/x?t=SECRET\n    at SECRET')
  assert.doesNotMatch(describeError(framed, ['SECRET']), /orders|SECRET/)
  assert.match(describeError(framed, ['SECRET']), /print-error\.test\.ts/)
  const certificate = Object.assign(
    new Error('Host: orders.internal. is not in the certificate: DNS:other.internal'),
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  )
  const [first] = describeError(certificate, []).split('\n')
  assert.equal(first, 'Error [ERR_TLS_CERT_ALTNAME_INVALID]: The certificate is for other hosts')
  assert.doesNotMatch(describeError(certificate, []), /\.internal/)
})

test('a plugin prints an error of a call to a service without its address', async (t) => {
  const closed = await listen(() => undefined)
  await closed.close({ graceMs: 0 })
  const request = lifecycleRequest({ stage: 'AFTER_RESOURCES' })
  const reference = { resource: LOCATOR, propertyKey: 'mailGateway' }
  const access = { 'mail-gateway': { url: closed.url, token: 'short-lived-token' } }
  const platform = await listen((_, outgoing) =>
    outgoing.end(
      JSON.stringify(
        successEnvelope({
          contractVersion: '4.0.0',
          installation: request.installation,
          ...reference,
          reference: { '@type': 'ServiceReference', serviceId: 'mail-gateway' },
          access,
          expiresAt: null,
        }),
      ),
    ),
  )
  t.after(() => platform.close({ graceMs: 0 }))
  const printed = t.mock.method(console, 'error', () => undefined)
  const plugin = definePlugin({
    pluginId: request.pluginId,
    store: memoryStore(),
    verify: false,
    authorization: false,
    platformApiBase: platform.url,
    credential: 'plugin-credential',
    log: () => undefined,
    handle: {
      [request.stage]: async ({ resolve }: { resolve: (...names: [string, string]) => Promise<unknown> }) => {
        await resolve(reference.resource, reference.propertyKey)
        await fetch(`${closed.url}/send`).catch((cause: unknown) => {
          throw new Error(`Sending with short-lived-token to ${closed.url} failed`, { cause })
        })
        throw new Error('unreachable')
      },
    },
  })
  await sendRequest(plugin, request)
  assert.equal(printed.mock.callCount(), 1)
  const text = String(printed.mock.calls[0]?.arguments[0])
  const { operationId, operationType } = request.operation
  const [first] = text.split('\n')
  assert.equal(
    first,
    `Operation ${operationId}, ${request.stage} of ${operationType}: Error: Sending with [removed] to [removed] failed`,
  )
  assert.match(text, /ECONNREFUSED/)
  assert.ok(!text.includes(new URL(closed.url).port))
})
