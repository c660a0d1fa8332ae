import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { until } from '../testing/stream.ts'
import { RESOLVE, textOf } from '../testing/http.ts'
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
import type { RuleHarness, Started } from '../testing/rules.ts'

// The responses of a plugin and their meaning for the operation: each row of
// docs/protocol.md#what-a-plugin-response-means is a test, in both stages.

const bundle = bundleOf('answered', {
  resources: [
    moduleOf('main', { name: TEXT, made: TEXT, kept: TEXT, link: { kind: 'SERVICE_REFERENCE' } }),
    moduleOf('foreign', { name: TEXT }),
  ],
  plugins: [bindingOf('answerer', 1, { main: { reads: ['name', 'link'], writes: ['made', 'kept'] } })],
})
const MAIN = locatorOf(bundle, 'main')
const writes = (values: Record<string, string>) => ({ [MAIN]: wrapped(values) }) as unknown as JsonObject
const bare = (properties: JsonObject): JsonObject => ({ [MAIN]: properties })

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.registerWith('answerer', { timeoutMs: 10_000 })
  await harness.publish(bundle)
  await harness.ok('/services/mail', {
    method: 'PUT',
    body: {
      title: 'Mail',
      url: 'http://127.0.0.1:9/mail',
      methods: [],
      owner: null,
      consumers: [],
      enabled: true,
    },
  })
})
after(() => harness.close())

interface Row {
  /** The first response of the plugin; later responses are APPLIED. */
  reply: Reply | ((call: ArrivedCall) => Reply)
  means: 'done' | 'repeat' | { failed: string; message?: RegExp }
  /** Short for the response that never comes. */
  timeoutMs?: number
  /** The resulting value in the configuration. */
  made?: string
}

const invalid = { failed: 'PLUGIN_RESPONSE_INVALID' }
const failure = (retryable: boolean): Reply => ({
  errorCode: 'TENANT_BUSY',
  data: { message: 'The tenant is busy.', retryable },
})

const withoutResources =
  (outcome: 'UNKNOWN' | 'NOT_APPLIED') =>
  ({ request }: ArrivedCall): Reply => {
    const envelope = successOf(request, { outcome })
    const { resources: _, ...data } = envelope['data'] as JsonObject
    return { status: 200, body: JSON.stringify({ ...envelope, data }) }
  }

const rows: Record<string, Row> = {
  'outcome APPLIED': {
    reply: { outcome: 'APPLIED', resources: writes({ made: 'x' }) },
    means: 'done',
    made: 'x',
  },
  'outcome VERIFIED': {
    reply: { outcome: 'VERIFIED', resources: writes({ made: 'x' }) },
    means: 'done',
    made: 'x',
  },
  'outcome NOT_APPLIED': { reply: { outcome: 'NOT_APPLIED' }, means: 'done' },
  'outcome NOT_APPLIED with writes': {
    reply: { outcome: 'NOT_APPLIED', resources: writes({ kept: 'x' }) },
    means: invalid,
  },
  'outcome FAILED, its writes discarded': {
    reply: { outcome: 'FAILED', resources: writes({ kept: 'x' }) },
    means: { failed: 'PLUGIN_REPORTED_FAILURE' },
  },
  'outcome UNKNOWN, its writes discarded': {
    reply: { outcome: 'UNKNOWN', resources: writes({ kept: 'x' }) },
    means: 'repeat',
  },
  'outcome FAILED, its resources ignored': {
    reply: { outcome: 'FAILED', resources: 'none' as never },
    means: { failed: 'PLUGIN_REPORTED_FAILURE' },
  },
  'outcome UNKNOWN, its resources not required': { reply: withoutResources('UNKNOWN'), means: 'repeat' },
  'outcome NOT_APPLIED without resources': { reply: withoutResources('NOT_APPLIED'), means: 'done' },
  'a retryable failure': { reply: failure(true), means: 'repeat' },
  'a failure that is not retryable': {
    reply: failure(false),
    means: { failed: 'TENANT_BUSY', message: /^The tenant is busy\.$/ },
  },
  'a failure without data': {
    reply: { errorCode: 'TENANT_GONE', data: null },
    means: { failed: 'TENANT_GONE' },
  },
  'no answer in time': { reply: 'hang', means: 'repeat', timeoutMs: 100 },
  'a connection that is reset': { reply: 'reset', means: 'repeat' },
  'status 500': { reply: { status: 500, body: '{}' }, means: 'repeat' },
  'status 204': { reply: { status: 204, body: '' }, means: 'repeat' },
  'status 404 with a valid envelope': {
    reply: { status: 404, body: '{"errorCode":"0","data":null}' },
    means: 'repeat',
  },
  'a redirect': {
    reply: ({ pluginId }) => ({
      status: 307,
      body: '',
      headers: { location: harness.plugin.endpoint(`${pluginId}/elsewhere`) },
    }),
    means: 'repeat',
  },
  'a truncated body': { reply: { status: 200, body: '{"errorCode":"0","data":{"outc' }, means: 'repeat' },
  'a body that is not JSON': { reply: { status: 200, body: '<html>fine</html>' }, means: 'repeat' },
  'an empty body': { reply: { status: 200, body: '' }, means: 'repeat' },
  'JSON that is not an envelope': { reply: { status: 200, body: '{"outcome":"APPLIED"}' }, means: invalid },
  'JSON that is not an object': { reply: { status: 200, body: '[1]' }, means: invalid },
  'a success without its data': { reply: { errorCode: '0', data: null }, means: invalid },
  'a wrong executionSequence': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'x' }), echo: { executionSequence: 99 } },
    means: invalid,
  },
  'another pluginId': { reply: { outcome: 'APPLIED', echo: { pluginId: 'another' } }, means: invalid },
  'the other stage': {
    reply: ({ stage }) => ({
      outcome: 'APPLIED',
      echo: { stage: stage === 'BEFORE_RESOURCES' ? 'AFTER_RESOURCES' : 'BEFORE_RESOURCES' },
    }),
    means: invalid,
  },
  'another operation': {
    reply: ({ request }) => ({
      outcome: 'APPLIED',
      echo: { operation: { ...request.operation, operationId: request.installation.bundleInstallId } },
    }),
    means: invalid,
  },
  'an unknown outcome': {
    reply: { outcome: 'DONE' as 'APPLIED', resources: writes({ kept: 'x' }) },
    means: invalid,
  },
  'a bare value': { reply: { outcome: 'APPLIED', resources: bare({ kept: 'x' }) }, means: invalid },
  'a valid and a bare value': {
    reply: {
      outcome: 'APPLIED',
      resources: bare({ ...(writes({ kept: 'x' })[MAIN] as JsonObject), made: 'x' }),
    },
    means: invalid,
  },
  'a write outside writeProperties': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'x', name: 'x' }) },
    means: invalid,
  },
  'a write to a resource that the plugin does not have': {
    reply: {
      outcome: 'APPLIED',
      resources: { [locatorOf(bundle, 'foreign')]: wrapped({ name: 'x' }) } as never,
    },
    means: invalid,
  },
  'a write of a reference': {
    reply: {
      outcome: 'APPLIED',
      resources: bare({ link: { '@type': 'ServiceReference', serviceId: 'mail' } }),
    },
    means: invalid,
  },
  'a write of instanceRefProperty': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'x', instanceRefProperty: 'x' }) },
    means: invalid,
  },
  'a value that does not match its schema': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'x'.repeat(2_001) }) },
    means: invalid,
  },
  'a write of the token of the same call': {
    reply: ({ authorization = '' }) => ({
      outcome: 'APPLIED',
      resources: writes({ kept: authorization.replace('Bearer ', '') }),
    }),
    means: invalid,
  },
  'a write of the token inside a longer text': {
    reply: ({ authorization = '' }) => ({
      outcome: 'APPLIED',
      resources: writes({ kept: `curl -H "authorization: ${authorization}" x` }),
    }),
    means: invalid,
  },
  'a write of the address of a registered service': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'http://127.0.0.1:9/mail' }) },
    means: invalid,
  },
  'a write of an address below that of a service': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'see HTTP://127.0.0.1:9/mail/send?x=1' }) },
    means: invalid,
  },
  'a write of another address': {
    reply: { outcome: 'APPLIED', resources: writes({ made: 'http://127.0.0.1:9/other' }) },
    means: 'done',
    made: 'http://127.0.0.1:9/other',
  },
}

describe('the answer of a plugin', () => {
  for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const) {
    for (const [name, { reply, means, made, timeoutMs = 10_000 }] of Object.entries(rows)) {
      it(`in ${stage}: ${name}`, async () => {
        await harness.registerWith('answerer', { timeoutMs })
        harness.plugin.script((call) => {
          const sent = callsIn(call.request.operation.operationId, stage).length
          if (call.stage !== stage || sent > 1) return { outcome: 'APPLIED' }
          return typeof reply === 'function' ? reply(call) : reply
        })
        const started = await harness.install(bundle, {
          scope: harness.newScope(),
          properties: { [MAIN]: wrapped({ name: 'Acme' }) },
        })
        const operation = await harness.ended(started.operationId)
        if (typeof means === 'object') await assertFailed(operation, started, means, stage)
        else {
          assert.equal(operation.state, 'SUCCEEDED', JSON.stringify(operation.failure))
          const calls = callsIn(operation.operationId, stage).length
          // on a slow machine the short timeout may occur more than once
          assert.ok(
            means === 'done' ? calls === 1 : calls === 2 || (timeoutMs < 1_000 && calls > 2),
            `${calls} calls`,
          )
        }
        const { resources } = await harness.installation(started.bundleInstallId)
        const properties = resources.find(({ locator }) => locator === MAIN)?.properties
        assert.equal(properties?.['kept'], undefined)
        assert.deepEqual(properties?.['made'], made === undefined ? undefined : wrapData(made))
        assertSameBytes(operation)
        if (typeof means !== 'object') return

        // the claim is kept; a person retries from the call that did not succeed
        await harness.retry(operation)
        const again = await harness.succeeds(operation.operationId)
        assert.equal(again.run, 2)
        assert.equal(callsIn(operation.operationId, stage).length, 2)
        assert.equal(harness.callsOf(operation.operationId).length, 3)
        assertSameBytes(again)
      })
    }
  }
})

const callsIn = (operationId: string, stage: ArrivedCall['stage']) =>
  harness.callsOf(operationId).filter((call) => call.stage === stage)

/** A repeat sends the same bytes, with a new token. */
function assertSameBytes({ operationId }: OperationDetail): void {
  for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const) {
    const bodies = callsIn(operationId, stage).map(({ body }) => body)
    assert.ok(new Set(bodies).size <= 1)
  }
}

async function assertFailed(
  operation: OperationDetail,
  { bundleInstallId }: Started,
  { failed, message = /./ }: { failed: string; message?: RegExp },
  stage: ArrivedCall['stage'],
): Promise<void> {
  assert.deepEqual(
    [operation.state, operation.phase, operation.failure?.errorCode],
    ['FAILED', stage, failed],
  )
  assert.match(operation.failure?.message ?? '', message)
  assert.equal(callsIn(operation.operationId, stage).length, 1)
  const { claim, state } = await harness.installation(bundleInstallId)
  assert.deepEqual([claim?.operationId, state], [operation.operationId, 'NOT_INSTALLED'])
  if (failed !== 'PLUGIN_RESPONSE_INVALID') return
  // nothing of an invalid response is stored
  const [attempt] = operation.stages
    .flatMap(({ calls }) => calls)
    .flatMap(({ attempts }) => attempts.filter(({ failure }) => failure !== null))
  assert.ok(attempt)
  assert.doesNotMatch(JSON.stringify(attempt.response), /"kept"|eyJ|127\.0\.0\.1/)
}

describe('a resolved token', () => {
  it('counts as issued by the platform: a response that writes it is invalid', async () => {
    const scope = harness.newScope()
    const resolving = bundleOf('resolving', {
      resources: [moduleOf('main', { made: TEXT, link: { kind: 'SERVICE_REFERENCE' } })],
      plugins: [bindingOf('answerer', 1, { main: { writes: ['made'], resolves: ['link'] } })],
    })
    await harness.publish(resolving)
    await harness.registerWith('answerer', {})
    const credential = await harness.ok('/plugins/answerer/credentials', { method: 'POST', body: {} })
    const service = {
      title: 'Shop',
      url: 'http://127.0.0.1:9/shop',
      methods: ['send'],
      owner: null,
      enabled: true,
    }
    await harness.ok('/services/shop', { method: 'PUT', body: { ...service, consumers: [{ ...scope }] } })
    const locator = locatorOf(resolving, 'main')
    const resolve = async ({ request }: ArrivedCall): Promise<string> => {
      const sent = { contractVersion: '4.0.0', resource: locator, propertyKey: 'link' }
      const response = await harness.http.send(RESOLVE, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${textOf(credential['secret'])}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...sent, installation: request.installation }),
      })
      return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(await response.text())?.[0] ?? 'nothing was resolved'
    }
    harness.plugin.script(async (call) => {
      if (call.stage === 'BEFORE_RESOURCES') return { outcome: 'APPLIED' }
      return { outcome: 'APPLIED', resources: { [locator]: wrapped({ made: await resolve(call) }) } }
    })
    const { operationId } = await harness.install(resolving, {
      scope,
      properties: { [locator]: { link: { '@type': 'ServiceReference', serviceId: 'shop' } } },
    })
    const failed = await harness.fails(operationId, 'PLUGIN_RESPONSE_INVALID')
    assert.equal(failed.phase, 'AFTER_RESOURCES')
    assert.match(failed.failure?.message ?? '', /token/)
  })
})

describe('a call whose repeats are exhausted', () => {
  for (const [name, reply, errorCode] of [
    ['ends as unknown, not as failed', { outcome: 'UNKNOWN' }, 'PLUGIN_RESULT_UNKNOWN'],
    ['ends with the last failure of the plugin', failure(true), 'TENANT_BUSY'],
    ['ends as unknown without any answer', 'reset', 'PLUGIN_RESULT_UNKNOWN'],
  ] satisfies [string, Reply, string][]) {
    it(`${name}; the claim is kept, and a retry has all attempts again`, async () => {
      await harness.registerWith('answerer', { maxAttempts: 3 })
      harness.plugin.script(() => reply)
      const { operationId, bundleInstallId } = await harness.install(bundle, { scope: harness.newScope() })
      const failed = await harness.fails(operationId, errorCode)
      assert.equal(failed.failure?.retryable, true)
      assert.equal(harness.callsOf(operationId).length, 3)
      await harness.retry(failed)
      const again = await harness.fails(operationId, errorCode)
      assert.deepEqual([again.run, harness.callsOf(operationId).length], [2, 6])
      assertSameBytes(again)
      assert.equal((await harness.installation(bundleInstallId)).claim?.operationId, operationId)
    })
  }
})

describe('the registration of a plugin', () => {
  it('applies at once: its endpoint, its timeout and whether it is enabled', async () => {
    await harness.registerWith('answerer', {
      endpoint: `http://127.0.0.1:${await closedPort()}/`,
      maxAttempts: 100,
    })
    harness.plugin.script((_, before) => (before % 2 === 0 ? 'hang' : { outcome: 'APPLIED' }))
    harness.plugin.calls.length = 0
    const started = await harness.install(bundle, { scope: harness.newScope() })
    await untilAttempted(started.operationId, (attempts) =>
      attempts.some(({ failure }) => failure?.errorCode === 'PLUGIN_UNREACHABLE'),
    )
    assert.equal(harness.callsOf(started.operationId).length, 0)

    // a response that would never arrive within the previous timeout
    await harness.registerWith('answerer', { timeoutMs: 100, maxAttempts: 100 })
    const done = await harness.succeeds(started.operationId)
    const attempts = done.stages.flatMap(({ calls }) => calls).flatMap((call) => call.attempts)
    assert.ok(attempts.some(({ failure }) => failure?.errorCode === 'PLUGIN_TIMEOUT'))
    assertSameBytes(done)
  })

  it('prevents calls when it is disabled while a call waits, or missing', async () => {
    await harness.registerWith('answerer', { maxAttempts: 100 })
    harness.plugin.script(() => failure(true))
    const started = await harness.install(bundle, { scope: harness.newScope() })
    await untilAttempted(started.operationId, (attempts) => attempts.length > 0)
    await harness.registerWith('answerer', { enabled: false, maxAttempts: 100 })
    const failed = await harness.fails(started.operationId, 'PLUGIN_NOT_REGISTERED')
    assert.equal(failed.failure?.retryable, true)
    const calls = harness.callsOf(started.operationId).length
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    await harness.registerWith('answerer', {})
    await harness.retry(failed)
    await harness.succeeds(started.operationId)
    assert.equal(harness.callsOf(started.operationId).length, calls + 2)

    const strange = bundleOf('strange', {
      resources: [moduleOf('main', {})],
      plugins: [bindingOf('nobody-knows', 1, { main: {} })],
    })
    await harness.publish(strange)
    const { operationId } = await harness.install(strange, { scope: harness.newScope() })
    await harness.fails(operationId, 'PLUGIN_NOT_REGISTERED')
  })

  it('applies from one stage to the next, even right after the worker has called the plugin', async () => {
    const quick = bundleOf('quick', {
      resources: [moduleOf('main', {})],
      plugins: [bindingOf('watcher', 1, { main: {} })],
    })
    await harness.publish(quick)
    await harness.registerWith('watcher', {})
    harness.plugin.script(async ({ pluginId, stage }) => {
      if (pluginId === 'watcher' && stage === 'BEFORE_RESOURCES')
        await harness.registerWith('watcher', { enabled: false })
      return { outcome: 'APPLIED' }
    })
    const { operationId } = await harness.install(quick, { scope: harness.newScope() })
    await harness.fails(operationId, 'PLUGIN_NOT_REGISTERED')
    assert.deepEqual(
      harness.callsOf(operationId).map(({ stage }) => stage),
      ['BEFORE_RESOURCES'],
    )
    const { stages } = await harness.operation(operationId)
    const attempts = stages.flatMap(({ calls }) =>
      calls.map((call) => call.attempts.map(({ outcome }) => outcome)),
    )
    assert.deepEqual(attempts, [['APPLIED'], []])
  })
})

async function untilAttempted(
  operationId: string,
  condition: (attempts: OperationDetail['stages'][number]['calls'][number]['attempts']) => boolean,
): Promise<void> {
  await until(async () => {
    const { stages } = await harness.operation(operationId)
    return condition(stages.flatMap(({ calls }) => calls).flatMap(({ attempts }) => attempts))
  })
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
