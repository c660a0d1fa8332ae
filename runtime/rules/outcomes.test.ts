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
import { bindingOf, bundleOf, locatorOf, moduleOf, ruleWorld, TEXT, wrapped } from '../testing/rules.ts'
import type { RuleWorld, Started } from '../testing/rules.ts'

// What comes back from a plugin and what it means for the operation: the table of the protocol, a row a test, each in
// both stages.

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

let world: RuleWorld
before(async () => {
  world = await ruleWorld()
  await world.registerWith('answerer', { timeoutMs: 10_000 })
  await world.publish(bundle)
  await world.ok('/services/mail', {
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
after(() => world.close())

interface Row {
  /** What the plugin answers first; after that it is APPLIED. */
  reply: Reply | ((call: ArrivedCall) => Reply)
  means: 'done' | 'repeat' | { failed: string; message?: RegExp }
  /** Short for the one that waits. */
  timeoutMs?: number
  /** What the configuration has of it in the end. */
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
  'outcome FAILED, its writes dropped': {
    reply: { outcome: 'FAILED', resources: writes({ kept: 'x' }) },
    means: { failed: 'PLUGIN_REPORTED_FAILURE' },
  },
  'outcome UNKNOWN, its writes dropped': {
    reply: { outcome: 'UNKNOWN', resources: writes({ kept: 'x' }) },
    means: 'repeat',
  },
  'outcome FAILED, its resources not looked at': {
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
      headers: { location: world.plugin.endpoint(`${pluginId}/elsewhere`) },
    }),
    means: 'repeat',
  },
  'a body that is cut': { reply: { status: 200, body: '{"errorCode":"0","data":{"outc' }, means: 'repeat' },
  'a body that is no JSON': { reply: { status: 200, body: '<html>fine</html>' }, means: 'repeat' },
  'an empty body': { reply: { status: 200, body: '' }, means: 'repeat' },
  'JSON that is no envelope': { reply: { status: 200, body: '{"outcome":"APPLIED"}' }, means: invalid },
  'JSON that is no object': { reply: { status: 200, body: '[1]' }, means: invalid },
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
  'an outcome that there is not': {
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
  'a write to a resource of nobody': {
    reply: {
      outcome: 'APPLIED',
      resources: { [locatorOf(bundle, 'foreign')]: wrapped({ name: 'x' }) } as never,
    },
    means: invalid,
  },
  'a reference written': {
    reply: {
      outcome: 'APPLIED',
      resources: bare({ link: { '@type': 'ServiceReference', serviceId: 'mail' } }),
    },
    means: invalid,
  },
  'an instanceRefProperty written': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'x', instanceRefProperty: 'x' }) },
    means: invalid,
  },
  'a value that does not fit its schema': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'x'.repeat(2_001) }) },
    means: invalid,
  },
  'the token of its own call written': {
    reply: ({ authorization = '' }) => ({
      outcome: 'APPLIED',
      resources: writes({ kept: authorization.replace('Bearer ', '') }),
    }),
    means: invalid,
  },
  'the token inside a longer text written': {
    reply: ({ authorization = '' }) => ({
      outcome: 'APPLIED',
      resources: writes({ kept: `curl -H "authorization: ${authorization}" x` }),
    }),
    means: invalid,
  },
  'the address of a registered service written': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'http://127.0.0.1:9/mail' }) },
    means: invalid,
  },
  'an address below that of a service written': {
    reply: { outcome: 'APPLIED', resources: writes({ kept: 'see HTTP://127.0.0.1:9/mail/send?x=1' }) },
    means: invalid,
  },
  'another address written': {
    reply: { outcome: 'APPLIED', resources: writes({ made: 'http://127.0.0.1:9/other' }) },
    means: 'done',
    made: 'http://127.0.0.1:9/other',
  },
}

describe('what comes back', () => {
  for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES'] as const) {
    for (const [name, { reply, means, made, timeoutMs = 10_000 }] of Object.entries(rows)) {
      it(`in ${stage}: ${name}`, async () => {
        await world.registerWith('answerer', { timeoutMs })
        world.plugin.script((call) => {
          const asked = callsIn(call.request.operation.operationId, stage).length
          if (call.stage !== stage || asked > 1) return { outcome: 'APPLIED' }
          return typeof reply === 'function' ? reply(call) : reply
        })
        const started = await world.install(bundle, {
          scope: world.newScope(),
          properties: { [MAIN]: wrapped({ name: 'Acme' }) },
        })
        const operation = await world.ended(started.operationId)
        if (typeof means === 'object') await assertFailed(operation, started, means, stage)
        else {
          assert.equal(operation.state, 'SUCCEEDED', JSON.stringify(operation.failure))
          const calls = callsIn(operation.operationId, stage).length
          // on a slow machine a short time-out may strike again
          assert.ok(
            means === 'done' ? calls === 1 : calls === 2 || (timeoutMs < 1_000 && calls > 2),
            `${calls} calls`,
          )
        }
        const { resources } = await world.installation(started.bundleInstallId)
        const properties = resources.find(({ locator }) => locator === MAIN)?.properties
        assert.equal(properties?.['kept'], undefined)
        assert.deepEqual(properties?.['made'], made === undefined ? undefined : wrapData(made))
        assertSameBytes(operation)
        if (typeof means !== 'object') return

        // the claim is kept; a person runs it again, from the call that did not end well
        await world.retry(operation)
        const again = await world.endsWell(operation.operationId)
        assert.equal(again.run, 2)
        assert.equal(callsIn(operation.operationId, stage).length, 2)
        assert.equal(world.callsOf(operation.operationId).length, 3)
        assertSameBytes(again)
      })
    }
  }
})

const callsIn = (operationId: string, stage: ArrivedCall['stage']) =>
  world.callsOf(operationId).filter((call) => call.stage === stage)

/** A repeat sends the same bytes, with a token of its own. */
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
  const { claim, state } = await world.installation(bundleInstallId)
  assert.deepEqual([claim?.operationId, state], [operation.operationId, 'NOT_INSTALLED'])
  if (failed !== 'PLUGIN_RESPONSE_INVALID') return
  // nothing of an invalid answer is kept
  const [attempt] = operation.stages
    .flatMap(({ calls }) => calls)
    .flatMap(({ attempts }) => attempts.filter(({ failure: told }) => told !== null))
  assert.ok(attempt)
  assert.doesNotMatch(JSON.stringify(attempt.response), /"kept"|eyJ|127\.0\.0\.1/)
}

describe('a token that was resolved', () => {
  it('is what the platform issued too: a plugin that writes it has answered invalidly', async () => {
    const scope = world.newScope()
    const resolving = bundleOf('resolving', {
      resources: [moduleOf('main', { made: TEXT, link: { kind: 'SERVICE_REFERENCE' } })],
      plugins: [bindingOf('answerer', 1, { main: { writes: ['made'], resolves: ['link'] } })],
    })
    await world.publish(resolving)
    await world.registerWith('answerer', {})
    const credential = await world.ok('/plugins/answerer/credentials', { method: 'POST', body: {} })
    const service = {
      title: 'Shop',
      url: 'http://127.0.0.1:9/shop',
      methods: ['send'],
      owner: null,
      enabled: true,
    }
    await world.ok('/services/shop', { method: 'PUT', body: { ...service, consumers: [{ ...scope }] } })
    const locator = locatorOf(resolving, 'main')
    const resolve = async ({ request }: ArrivedCall): Promise<string> => {
      const asked = { contractVersion: '4.0.0', resource: locator, propertyKey: 'link' }
      const response = await world.http.send(RESOLVE, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${textOf(credential['secret'])}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ ...asked, installation: request.installation }),
      })
      return /eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(await response.text())?.[0] ?? 'nothing was resolved'
    }
    world.plugin.script(async (call) => {
      if (call.stage === 'BEFORE_RESOURCES') return { outcome: 'APPLIED' }
      return { outcome: 'APPLIED', resources: { [locator]: wrapped({ made: await resolve(call) }) } }
    })
    const { operationId } = await world.install(resolving, {
      scope,
      properties: { [locator]: { link: { '@type': 'ServiceReference', serviceId: 'shop' } } },
    })
    const failed = await world.fails(operationId, 'PLUGIN_RESPONSE_INVALID')
    assert.equal(failed.phase, 'AFTER_RESOURCES')
    assert.match(failed.failure?.message ?? '', /token/)
  })
})

describe('a call that is repeated in vain', () => {
  for (const [name, reply, errorCode] of [
    ['is unknown in the end, never failed', { outcome: 'UNKNOWN' }, 'PLUGIN_RESULT_UNKNOWN'],
    ['is what the plugin said last', failure(true), 'TENANT_BUSY'],
    ['is unknown where nothing was heard', 'reset', 'PLUGIN_RESULT_UNKNOWN'],
  ] satisfies [string, Reply, string][]) {
    it(`${name}; the claim is kept, and a retry has all attempts again`, async () => {
      await world.registerWith('answerer', { maxAttempts: 3 })
      world.plugin.script(() => reply)
      const { operationId, bundleInstallId } = await world.install(bundle, { scope: world.newScope() })
      const failed = await world.fails(operationId, errorCode)
      assert.equal(failed.failure?.retryable, true)
      assert.equal(world.callsOf(operationId).length, 3)
      await world.retry(failed)
      const again = await world.fails(operationId, errorCode)
      assert.deepEqual([again.run, world.callsOf(operationId).length], [2, 6])
      assertSameBytes(again)
      assert.equal((await world.installation(bundleInstallId)).claim?.operationId, operationId)
    })
  }
})

describe('the settings of a plugin', () => {
  it('are read live: where it is, how long it may take, and whether it is called at all', async () => {
    await world.registerWith('answerer', {
      endpoint: `http://127.0.0.1:${await closedPort()}/`,
      maxAttempts: 100,
    })
    world.plugin.script((_, before) => (before % 2 === 0 ? 'hang' : { outcome: 'APPLIED' }))
    world.plugin.calls.length = 0
    const started = await world.install(bundle, { scope: world.newScope() })
    await untilAttempted(started.operationId, (attempts) =>
      attempts.some(({ failure: told }) => told?.errorCode === 'PLUGIN_UNREACHABLE'),
    )
    assert.equal(world.callsOf(started.operationId).length, 0)

    // an answer that would never come within the time-out of before
    await world.registerWith('answerer', { timeoutMs: 100, maxAttempts: 100 })
    const done = await world.endsWell(started.operationId)
    const attempts = done.stages.flatMap(({ calls }) => calls).flatMap((call) => call.attempts)
    assert.ok(attempts.some(({ failure: told }) => told?.errorCode === 'PLUGIN_TIMEOUT'))
    assertSameBytes(done)
  })

  it('a plugin that is disabled while its call waits is not called, nor is one that is not registered', async () => {
    await world.registerWith('answerer', { maxAttempts: 100 })
    world.plugin.script(() => failure(true))
    const started = await world.install(bundle, { scope: world.newScope() })
    await untilAttempted(started.operationId, (attempts) => attempts.length > 0)
    await world.registerWith('answerer', { enabled: false, maxAttempts: 100 })
    const failed = await world.fails(started.operationId, 'PLUGIN_NOT_REGISTERED')
    assert.equal(failed.failure?.retryable, true)
    const calls = world.callsOf(started.operationId).length
    world.plugin.script(() => ({ outcome: 'APPLIED' }))
    await world.registerWith('answerer', {})
    await world.retry(failed)
    await world.endsWell(started.operationId)
    assert.equal(world.callsOf(started.operationId).length, calls + 2)

    const strange = bundleOf('strange', {
      resources: [moduleOf('main', {})],
      plugins: [bindingOf('nobody-knows', 1, { main: {} })],
    })
    await world.publish(strange)
    const { operationId } = await world.install(strange, { scope: world.newScope() })
    await world.fails(operationId, 'PLUGIN_NOT_REGISTERED')
  })

  it('count from one stage to the next, also where the worker has just called the plugin', async () => {
    const quick = bundleOf('quick', {
      resources: [moduleOf('main', {})],
      plugins: [bindingOf('watcher', 1, { main: {} })],
    })
    await world.publish(quick)
    await world.registerWith('watcher', {})
    world.plugin.script(async ({ pluginId, stage }) => {
      if (pluginId === 'watcher' && stage === 'BEFORE_RESOURCES')
        await world.registerWith('watcher', { enabled: false })
      return { outcome: 'APPLIED' }
    })
    const { operationId } = await world.install(quick, { scope: world.newScope() })
    await world.fails(operationId, 'PLUGIN_NOT_REGISTERED')
    assert.deepEqual(
      world.callsOf(operationId).map(({ stage }) => stage),
      ['BEFORE_RESOURCES'],
    )
    const { stages } = await world.operation(operationId)
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
    const { stages } = await world.operation(operationId)
    return condition(stages.flatMap(({ calls }) => calls).flatMap(({ attempts }) => attempts))
  }, 60_000)
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
