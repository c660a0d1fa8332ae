import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { OperationPlan } from '#contract/runtime-api/plans.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { Plugin } from '#contract/runtime-api/plugins.ts'
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

// A plugin that is gone for good: the platform answers its DETACH calls, and refuses every other operation.

let bundles = 0
let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
})
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))
after(() => harness.close())

/** A bundle whose second version needs only the plugin that stays. */
async function newBundle() {
  const name = `lost-${++bundles}`
  const [stays, gone] = [`stays-${bundles}`, `gone-${bundles}`]
  const resources = [moduleOf('main', { name: TEXT })]
  const bundle = bundleOf(name, {
    resources,
    plugins: [bindingOf(stays, 1, { main: {} }), bindingOf(gone, 2, { main: {} })],
  })
  const without = bundleOf(name, {
    version: '2.0.0',
    resources,
    plugins: [bindingOf(stays, 1, { main: {} })],
  })
  await harness.register(stays, gone)
  await harness.publish(bundle, without)
  return { bundle, stays, gone, locator: locatorOf(bundle, 'main') }
}

const pluginOf = async (pluginId: string) => Plugin.parse(await harness.ok(`/plugins/${pluginId}`, {}))

async function change(pluginId: string, action: 'retire' | 'reinstate', reason = 'the team is gone') {
  const { updatedAt } = await pluginOf(pluginId)
  const body = { reason, updatedAt }
  return Plugin.parse(await harness.ok(`/plugins/${pluginId}/${action}`, { method: 'POST', body }))
}

const attemptsOf = ({ stages }: OperationDetail, plugin: string) =>
  stages.flatMap(({ stage, calls }) =>
    calls
      .filter(({ pluginId }) => pluginId === plugin)
      .flatMap(({ attempts }) =>
        attempts.map(({ outcome, byPlatform, httpStatus, timing }) => ({
          stage,
          outcome,
          byPlatform,
          httpStatus,
          timing,
        })),
      ),
  )
/** The stages in which a plugin may have acted although the platform answered in its place. */
const unknownIn = ({ stages }: OperationDetail) =>
  stages.filter(({ calls }) => calls.some(({ effectUnknown }) => effectUnknown)).map(({ stage }) => stage)
const PLATFORM = { outcome: 'NOT_APPLIED', byPlatform: true, httpStatus: null, timing: null }
const BOTH = [
  { stage: 'BEFORE_RESOURCES', ...PLATFORM },
  { stage: 'AFTER_RESOURCES', ...PLATFORM },
]

describe('a retired plugin', () => {
  it('is not called in a DETACH: the platform answers NOT_APPLIED, and the other plugins are called', async () => {
    const { bundle, stays, gone } = await newBundle()
    const id = await harness.installed(bundle, { scope: harness.newScope() })
    await harness.registerWith(gone, { enabled: false })
    const { retired } = await change(gone, 'retire')
    assert.equal(retired?.reason, 'the team is gone')
    const plan = OperationPlan.parse(await harness.ok(`/installations/${id}/detach/plan`, { method: 'POST' }))
    assert.deepEqual(
      plan.stages[0]?.calls.map(({ pluginId, availability }) => [pluginId, availability]),
      [
        [gone, 'RETIRED'],
        [stays, 'READY'],
      ],
    )
    const operation = await harness.succeeds(await harness.detach(id))
    assert.deepEqual(attemptsOf(operation, gone), BOTH)
    assert.deepEqual(
      harness.callsOf(operation.operationId).map(({ pluginId }) => pluginId),
      [stays, stays],
    )
    assert.equal((await harness.installation(id)).state, 'DETACHED')
  })

  it('lets a takeover that failed on it end with a retry', async () => {
    const { bundle, gone, locator } = await newBundle()
    const scope = harness.newScope()
    const id = await harness.installed(bundle, { scope })
    await harness.registerWith(gone, { endpoint: 'http://127.0.0.1:9/', maxAttempts: 1 })
    const saved = await harness.save(scope, { [locator]: wrapped({ name: 'a' }) })
    const [operation] = saved.data['operations'] as { operationId: string }[]
    const operationId = operation?.operationId ?? ''
    const failed = await harness.fails(operationId, 'PLUGIN_RESULT_UNKNOWN')
    const detach = await harness.fails(await harness.takeOver(failed), 'PLUGIN_RESULT_UNKNOWN')
    await change(gone, 'retire')
    await harness.retry(detach)
    const ended = await harness.succeeds(detach.operationId)
    assert.deepEqual(
      attemptsOf(ended, gone).map(({ byPlatform }) => byPlatform),
      [undefined, true, true],
    )
    assert.equal((await harness.installation(id)).state, 'DETACHED')
    assert.deepEqual(unknownIn(ended), [], 'no call can have arrived')
  })

  it('may still have an effect of an earlier attempt, which its responses do not hide', async () => {
    const { bundle, stays, gone } = await newBundle()
    const id = await harness.installed(bundle, { scope: harness.newScope() })
    await harness.registerWith(gone, { maxAttempts: 1 })
    harness.plugin.script(({ pluginId }) => (pluginId === gone ? 'reset' : { outcome: 'APPLIED' }))
    const { operationId } = await harness.fails(await harness.detach(id), 'PLUGIN_RESULT_UNKNOWN')
    const failed = await harness.operation(operationId)
    assert.deepEqual(unknownIn(failed), [], 'the failure says it')
    await change(gone, 'retire')
    await harness.retry(failed)
    const ended = await harness.succeeds(operationId)
    assert.deepEqual(unknownIn(ended), ['BEFORE_RESOURCES'])
    assert.equal(ended.stages[0]?.calls.find(({ pluginId }) => pluginId === stays)?.effectUnknown, undefined)
  })

  it('may still have an effect of the operation that was taken over, which the receipt says too', async () => {
    const { bundle, gone, locator } = await newBundle()
    const scope = harness.newScope()
    await harness.installed(bundle, { scope })
    await harness.registerWith(gone, { maxAttempts: 1 })
    harness.plugin.script(({ pluginId }) => (pluginId === gone ? 'reset' : { outcome: 'APPLIED' }))
    const saved = await harness.save(scope, { [locator]: wrapped({ name: 'a' }) })
    const [operation] = saved.data['operations'] as { operationId: string }[]
    const failed = await harness.fails(operation?.operationId ?? '', 'PLUGIN_RESULT_UNKNOWN')
    await change(gone, 'retire')
    const ended = await harness.succeeds(await harness.takeOver(failed))
    assert.deepEqual(unknownIn(ended), ['BEFORE_RESOURCES', 'AFTER_RESOURCES'])
    const receipt = await harness.ok(`/operations/${ended.operationId}/receipt`, {})
    assert.match(JSON.stringify(receipt), /"effectUnknown":true/)
  })

  it('is refused in every other operation, and its retry, with what to do', async () => {
    const { bundle, stays, gone, locator } = await newBundle()
    const scope = harness.newScope()
    const id = await harness.installed(bundle, { scope })
    const other = harness.newScope()
    harness.plugin.script(({ pluginId }) => ({ outcome: pluginId === stays ? 'FAILED' : 'APPLIED' }))
    const { operationId } = await harness.install(bundle, { scope: other })
    const { run } = await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    await change(gone, 'retire')
    const refused = async (path: string, body: JsonObject) => {
      const answer = await harness.http.call(path, { method: 'POST', body })
      assert.equal(answer.errorCode, 'PLUGIN_RETIRED', JSON.stringify(answer.json))
    }
    await refused(`/operations/${operationId}/retry`, { run })
    const install = { scope: harness.newScope(), bundle: { ...bundle.bundle }, targetVersion: '1.0.0' }
    await refused('/installations', { ...install, scope: { ...install.scope } })
    const save = await harness.save(scope, { [locator]: wrapped({ name: 'b' }) })
    assert.equal(save.errorCode, 'PLUGIN_RETIRED')
    // an upgrade also calls the plugins of the installed version
    await refused(`/installations/${id}/upgrade`, { targetVersion: '2.0.0' })
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    await harness.installed({ ...bundle, version: '2.0.0' }, { scope: harness.newScope() })
  })

  it('ends an operation that runs, and a takeover then ends', async () => {
    const { bundle, gone } = await newBundle()
    let isRetired = Promise.resolve()
    harness.plugin.script(async ({ stage, pluginId }) => {
      if (pluginId === gone && stage === 'BEFORE_RESOURCES')
        isRetired = change(gone, 'retire').then(() => undefined)
      await isRetired
      return { outcome: 'APPLIED' }
    })
    const { operationId } = await harness.install(bundle, { scope: harness.newScope() })
    const failed = await harness.fails(operationId, 'PLUGIN_RETIRED')
    assert.deepEqual(
      [failed.phase, failed.nextStep.actor, failed.nextStep.action, failed.retryHelps],
      ['AFTER_RESOURCES', 'SUPPORT', 'TAKE_OVER', 'AFTER_CHANGE'],
    )
    const ended = await harness.succeeds(await harness.takeOver(failed))
    assert.deepEqual(attemptsOf(ended, gone), BOTH)
  })

  it('is called again once it is reinstated, and cannot be retired or reinstated twice', async () => {
    const { bundle, gone } = await newBundle()
    const scope = harness.newScope()
    const { updatedAt } = await pluginOf(gone)
    await change(gone, 'retire')
    const again = async (action: string, seen: string) => {
      const body = { reason: 'again', updatedAt: seen }
      return (await harness.http.call(`/plugins/${gone}/${action}`, { method: 'POST', body })).errorCode
    }
    assert.equal(await again('retire', updatedAt), 'REGISTRATION_STALE')
    assert.equal(await again('retire', (await pluginOf(gone)).updatedAt), 'REQUEST_INVALID')
    assert.equal((await change(gone, 'reinstate')).retired, null)
    assert.equal(await again('reinstate', (await pluginOf(gone)).updatedAt), 'REQUEST_INVALID')
    const { operationId } = await harness.install(bundle, { scope })
    await harness.succeeds(operationId)
    assert.equal(harness.callsOf(operationId).filter(({ pluginId }) => pluginId === gone).length, 2)
  })

  it('stays retired when its registration is saved, and has no figures of what the platform answered', async () => {
    const { bundle, gone } = await newBundle()
    const id = await harness.installed(bundle, { scope: harness.newScope() })
    await change(gone, 'retire')
    await harness.succeeds(await harness.detach(id))
    await harness.registerWith(gone, { title: 'Renamed' })
    assert.notEqual((await pluginOf(gone)).retired, null)
    const health = await harness.ok(`/plugins/${gone}/health?range=day`, {})
    assert.equal((health['total'] as JsonObject)['attempts'], 2)
  })
})

describe('a probe of an endpoint', () => {
  it('opens a connection and sends nothing; a result is given again for a while', async () => {
    const { gone, stays } = await newBundle()
    const before = harness.plugin.calls.length
    const probe = async (pluginId: string) => {
      const { failure, result, testedAt } = await harness.ok(`/plugins/${pluginId}/probe`, { method: 'POST' })
      return { failure, result, testedAt }
    }
    const first = await probe(stays)
    assert.deepEqual([first.failure, first.result], [null, 'REACHABLE'])
    assert.deepEqual(await probe(stays), first)
    await harness.registerWith(gone, { endpoint: 'http://127.0.0.1:9/' })
    const refused = await probe(gone)
    assert.deepEqual([refused.failure, refused.result], ['refused', 'LOST'])
    assert.equal(harness.plugin.calls.length, before)
    const unknown = await harness.http.call('/plugins/nobody/probe', { method: 'POST' })
    assert.equal(unknown.errorCode, 'NOT_FOUND')
  })
})
