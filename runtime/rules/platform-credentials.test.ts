import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { textOf } from '../testing/http.ts'
import { successOf } from '../testing/plugin.ts'
import type { ArrivedCall, Reply } from '../testing/plugin.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// A response of a plugin that contains a credential that this platform issued, to any plugin, is
// PLUGIN_RESPONSE_INVALID, and nothing of it is stored or shown.

const note = { kind: 'DATA', schema: true } as const
const bundle = bundleOf('leaky', {
  resources: [moduleOf('main', { name: TEXT, note })],
  plugins: [bindingOf('leaky-plugin', 1, { main: { reads: ['name'], writes: ['note'] } })],
})
const MAIN = locatorOf(bundle, 'main')

let harness: RuleHarness
const secrets: Record<string, string> = {}
before(async () => {
  harness = await startRuleHarness()
  await harness.register('leaky-plugin', 'other-plugin')
  await harness.publish(bundle)
  const credential = (pluginId: string) =>
    harness.ok(`/plugins/${pluginId}/credentials`, { method: 'POST', body: {} })
  secrets['its own'] = textOf((await credential('leaky-plugin'))['secret'])
  secrets['another plugin’s'] = textOf((await credential('other-plugin'))['secret'])
  const revoked = await credential('other-plugin')
  const path = `/plugins/other-plugin/credentials/${textOf(revoked['credentialId'])}`
  await harness.ok(path, { method: 'DELETE' })
  secrets['a revoked'] = textOf(revoked['secret'])
})
after(() => harness.close())

const written = (value: JsonValue): Reply => ({
  outcome: 'APPLIED',
  resources: { [MAIN]: wrapped({ note: value }) } as unknown as JsonObject,
})
const places: Record<string, (secret: string) => Reply | ((call: ArrivedCall) => Reply)> = {
  'as a value': (secret) => written(secret),
  'inside a longer text, deep in a value': (secret) => written({ hint: [`curl -H "Bearer ${secret}" x`] }),
  'as a key': (secret) => written({ [secret]: true }),
  'in the message of a failure': (secret) => ({
    errorCode: 'TENANT_BUSY',
    data: { message: `refused ${secret}`, retryable: true },
  }),
  'in a field that is ignored':
    (secret) =>
    ({ request }) => ({
      status: 200,
      body: JSON.stringify({ ...successOf(request, { outcome: 'APPLIED' }), debug: secret }),
    }),
  'with its letters escaped':
    (secret) =>
    ({ request }) => ({
      status: 200,
      body: JSON.stringify(successOf(request, written(secret) as never)).replace(
        'bpc_',
        '\\u0062\\u0070\\u0063\\u005f',
      ),
    }),
}

describe('a platform credential in an answer', () => {
  for (const whose of ['its own', 'another plugin’s', 'a revoked'])
    for (const [place, replyWith] of Object.entries(places))
      it(`${whose}, ${place}: makes the response invalid`, async () => {
        const secret = secrets[whose] ?? ''
        const reply = replyWith(secret)
        harness.plugin.script((call) => (typeof reply === 'function' ? reply(call) : reply))
        const { operationId } = await harness.install(bundle, { scope: harness.newScope() })
        const operation = await harness.fails(operationId, 'PLUGIN_RESPONSE_INVALID')
        assert.ok(!JSON.stringify(operation).includes(secret))
        assert.match(operation.failure?.message ?? '', /credential/)
        assert.equal(harness.callsOf(operationId).length, 1)
      })

  it('is one that the platform issued, not text that only looks like one', async () => {
    const lookalike = `bpc_${'A'.repeat(43)}`
    harness.plugin.script(() => written(lookalike))
    await harness.installed(bundle, { scope: harness.newScope() })
  })
})
