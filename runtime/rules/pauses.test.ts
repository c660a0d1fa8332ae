import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import { listOf } from '#contract/runtime-api/common.ts'
import { Operation } from '#contract/runtime-api/operations.ts'
import { Pause } from '#contract/runtime-api/pauses.ts'
import { reportRetrying } from '../store/webhooks/deliver.ts'
import { noWorkerSince } from '../store/troubles.ts'
import { readLags } from '../store/overview/gauges.ts'
import { bindingOf, bundleOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { countLockWaits, until } from '../testing/stream.ts'
import { waitForLong } from '../testing/wait-for-long.ts'

// What is paused is not called between two calls, and nothing else about it changes.

let bundles = 0
let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
})
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))
after(() => harness.close())

/** A bundle with a plugin after another one. */
async function newBundle() {
  const [one, other] = [`one-${++bundles}`, `other-${bundles}`]
  const bundle = bundleOf(`held-${bundles}`, {
    resources: [moduleOf('main', { name: TEXT })],
    plugins: [bindingOf(one, 1, { main: {} }), bindingOf(other, 2, { main: {} })],
  })
  await harness.register(one, other)
  await harness.publish(bundle)
  return { bundle, one, other }
}

/** Holds the next call of the plugin back until `release`; `arrived` resolves when it is there. */
function holdCall(pluginId: string) {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  harness.plugin.script(async (call) => {
    if (call.pluginId === pluginId) {
      arrived.resolve()
      await released.promise
    }
    return { outcome: 'APPLIED' }
  })
  return { arrived: arrived.promise, release: () => released.resolve() }
}

const post = (path: string, reason = 'we look at it') =>
  harness.ok(path, { method: 'POST', body: { reason } })
const pausesOf = async (query: string) => listOf(Pause).parse(await harness.ok(`/pauses?${query}`, {})).items
const calledIn = (operationId: string) =>
  harness
    .callsOf(operationId)
    .map(({ pluginId, stage }) => `${stage === 'BEFORE_RESOURCES' ? 1 : 2} ${pluginId}`)
const isHeld = async (operationId: string) => {
  const { nextStep, state } = await harness.operation(operationId)
  return nextStep.action === 'RESUME' && state !== 'SUCCEEDED'
}
/** Some polls of the worker later. */
const later = () => new Promise((resolve) => setTimeout(resolve, 1_500))

describe('a pause', () => {
  it('of an operation waits for the call in flight, holds the next one, and lets each be made once after it', async () => {
    const { bundle, one, other } = await newBundle()
    const held = holdCall(one)
    const { operationId, bundleInstallId } = await harness.install(bundle, { scope: harness.newScope() })
    await held.arrived
    await post(`/operations/${operationId}/pause`)
    const { nextStep } = await harness.operation(operationId)
    assert.deepEqual([nextStep.actor, nextStep.action], ['SUPPORT', 'RESUME'])
    held.release()
    await later()
    assert.deepEqual(calledIn(operationId), [`1 ${one}`])
    assert.ok(await isHeld(operationId))
    assert.equal((await harness.installation(bundleInstallId)).nextStep.action, 'RESUME')
    const listed = listOf(Operation).parse(await harness.ok('/operations?nextAction=RESUME', {})).items
    assert.deepEqual(
      listed.map((operation) => operation.operationId),
      [operationId],
    )
    const [pause] = await pausesOf(`operationId=${operationId}`)
    assert.deepEqual([pause?.of.kind, pause?.reason, pause?.operations], ['OPERATION', 'we look at it', 1])
    const { paused, due } = await readLags(harness.db, null)
    assert.deepEqual([paused, due], [1, 0])
    assert.equal(await noWorkerSince(harness.db), null)
    const again = await harness.http.call(`/operations/${operationId}/pause`, {
      method: 'POST',
      body: { reason: 'twice' },
    })
    assert.equal(again.errorCode, 'REQUEST_INVALID')

    await post(`/operations/${operationId}/resume`)
    await harness.succeeds(operationId)
    assert.deepEqual(calledIn(operationId), [`1 ${one}`, `1 ${other}`, `2 ${one}`, `2 ${other}`])
    assert.deepEqual(await pausesOf(`operationId=${operationId}`), [])
    const ended = await harness.http.call(`/operations/${operationId}/pause`, {
      method: 'POST',
      body: { reason: 'too late' },
    })
    assert.equal(ended.errorCode, 'REQUEST_INVALID')
  })

  it('of a scope also holds operations that begin later, and one that is paused itself stays so', async () => {
    const { bundle } = await newBundle()
    const scope = harness.newScope()
    const path = `/scopes/${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
    const missing = await harness.http.call(`${path}/pause`, { method: 'POST', body: { reason: 'none' } })
    assert.equal(missing.errorCode, 'NOT_FOUND')
    const id = await harness.installed(bundle, { scope })
    await post(`${path}/pause`)
    const detach = await harness.detach(id)
    await later()
    assert.deepEqual(calledIn(detach), [])
    assert.equal((await harness.operation(detach)).state, 'PENDING')
    const [pause] = await pausesOf(
      `environmentKey=${scope.environmentKey}&applicationRuntimeId=${scope.applicationRuntimeId}&workspaceId=${scope.workspaceId}`,
    )
    assert.deepEqual([pause?.of, pause?.operations], [{ kind: 'SCOPE', scope }, 1])
    await post(`/operations/${detach}/pause`)
    await post(`${path}/resume`)
    await later()
    assert.deepEqual(calledIn(detach), [])
    await post(`/operations/${detach}/resume`)
    await harness.succeeds(detach)
  })

  it('of a scope holds a takeover that began a moment before', async () => {
    const { bundle, other } = await newBundle()
    const scope = harness.newScope()
    const path = `/scopes/${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const { operationId, bundleInstallId } = await harness.install(bundle, { scope })
    const failed = await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    const held = holdCall(other)
    const untilWaiting = (count: number) => until(async () => (await countLockWaits(harness.db)) === count)
    const { takingOver, pausing } = await harness.db.transaction().execute(async (tx) => {
      await sql`select from runtime.installation where bundle_install_id = ${bundleInstallId} for update`.execute(
        tx,
      )
      const takingOver = harness.takeOver(failed)
      await untilWaiting(1)
      const pausing = post(`${path}/pause`)
      await untilWaiting(2)
      return { takingOver, pausing }
    })
    const detach = await takingOver
    await pausing
    assert.ok(await isHeld(detach))
    held.release()
    await post(`${path}/resume`)
    await harness.succeeds(detach)
  })

  it('of a plugin holds what calls it next, although the worker knows its registration, and nothing else (G04)', async () => {
    const { bundle, one, other } = await newBundle()
    const free = await newBundle()
    // now the worker knows both
    await harness.installed(bundle, { scope: harness.newScope() })
    const held = holdCall(one)
    const { operationId } = await harness.install(bundle, { scope: harness.newScope() })
    await held.arrived
    await post(`/plugins/${other}/pause`)
    held.release()
    await until(() => isHeld(operationId))
    const { operationId: waiting } = await harness.install(bundle, { scope: harness.newScope() })
    await until(() => isHeld(waiting))
    // only an administrator resumes a plugin
    assert.equal((await harness.operation(waiting)).nextStep.actor, 'ADMINISTRATOR')
    await harness.installed(free.bundle, { scope: harness.newScope() })
    await later()
    assert.deepEqual([calledIn(operationId), calledIn(waiting)], [[`1 ${one}`], [`1 ${one}`]])
    const [pause] = await pausesOf(`pluginId=${other}`)
    assert.deepEqual([pause?.of.kind, pause?.operations], ['PLUGIN', 2])
    // an operation elsewhere is like none
    const elsewhere: Grant[] = [{ permissions: ['read'], scope: harness.newScope() }]
    const holding = async (grants?: Grant[]) =>
      (await harness.ok(`/pauses?operationId=${waiting}`, { ...(grants && { grants }) }))['items']
    assert.deepEqual(
      [await holding(elsewhere), (await holding()) as unknown[]].map((items) => (items as unknown[]).length),
      [0, 1],
    )
    assert.equal((await harness.ok(`/plugins/${other}`, {}))['paused'], true)
    await post(`/plugins/${other}/resume`)
    await harness.succeeds(operationId)
    await harness.succeeds(waiting)
    assert.deepEqual(calledIn(waiting), [`1 ${one}`, `1 ${other}`, `2 ${one}`, `2 ${other}`])
  })

  it('refuses an attempt now, and is no time of retrying for a webhook', async () => {
    const { bundle, one } = await newBundle()
    harness.plugin.script(({ pluginId }) => ({ outcome: pluginId === one ? 'UNKNOWN' : 'APPLIED' }))
    const { operationId } = await harness.install(bundle, { scope: harness.newScope() })
    await until(() => waitForLong(harness.db, operationId))
    await post(`/operations/${operationId}/pause`)
    const now = await harness.http.call(`/operations/${operationId}/attempt-now`, {
      method: 'POST',
      body: { run: 1 },
    })
    assert.equal(now.errorCode, 'OPERATION_NOT_RETRYABLE')
    assert.match(JSON.stringify(now.json), /A pause holds this operation/)
    const { db } = harness
    await sql`
      insert into runtime.webhook (webhook_id, title, url, address, events, retrying_after_minutes, enabled, secret)
      values (gen_random_uuid(), 'late', 'http://receiver.test', '', '{operation.retrying}', 10, true, '')`.execute(
      db,
    )
    const longAgo = (table: string, column: string) =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = clock_timestamp() - interval '1 hour'
        where operation_id = ${operationId}::uuid`.execute(db)
    const reported = async () => {
      await reportRetrying(db)
      const { rows } = await sql`
        select from runtime.webhook_delivery where operation_id = ${operationId}::uuid`.execute(db)
      return rows.length
    }
    await longAgo('runtime.attempt', 'finished_at')
    assert.equal(await reported(), 0)
    await post(`/operations/${operationId}/resume`)
    assert.equal(await reported(), 0)
    await longAgo('runtime.operation', 'resumed_at')
    assert.equal(await reported(), 1)
  })
})
