import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { bindingOf, bundleOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// What a person may not see is refused like what does not exist, also in what the refusal waits for and reads.

const bundle = bundleOf('hidden', {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('hidden', 1, { main: {} })],
})
const next = { ...bundle, version: '2.0.0' }

let harness: RuleHarness
let bundleInstallId = ''
let operationId = ''
before(async () => {
  harness = await startRuleHarness()
  await harness.register('hidden')
  await harness.publish(bundle, next)
  harness.plugin.script(() => ({ outcome: 'APPLIED' }))
  bundleInstallId = await harness.installed(bundle, { scope: harness.newScope() })
  harness.plugin.script(() => ({ outcome: 'FAILED' }))
  operationId = (await harness.install(bundle, { scope: harness.newScope() })).operationId
  await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
})
after(() => harness.close())

const grants: Grant[] = [{ permissions: [...PERMISSIONS], scope: { environmentKey: 'elsewhere' } }]
const send = (path: string, body?: JsonObject, method = 'POST') =>
  harness.http.call(path, { method, actor: 'mallory', grants, ...(body !== undefined && { body }) })

/** Each request is answered while `held` is locked. */
async function answered(held: RawBuilder<unknown>, requests: readonly [string, JsonObject, string?][]) {
  return harness.db.transaction().execute(async (tx) => {
    await held.execute(tx)
    const answers: JsonObject[] = []
    for (const [path, body, method] of requests) {
      const answer = await Promise.race([send(path, body, method), sleep(5_000, null, { ref: false })])
      assert.ok(answer !== null, `${path} ${JSON.stringify(body)} waits`)
      answers.push({ path, errorCode: answer.errorCode, data: answer.data })
    }
    return answers
  })
}

describe('what a person may not see', () => {
  it('is not locked for them: neither they nor others wait (G04)', async () => {
    const path = `/operations/${operationId}`
    const [run, reason] = [1, 'x']
    const answers = await answered(
      sql`select from runtime.operation where operation_id = ${operationId} for update`,
      [
        [`${path}/notes`, { text: 'x' }],
        [`${path}/assignee`, { assignee: null, expected: null }, 'PUT'],
        [`${path}/pause`, { reason }],
        [`${path}/resume`, { reason }],
        [`${path}/retry`, { run }],
        [`${path}/attempt-now`, { run }],
        [`${path}/stop-retrying`, { run, reason }],
        [`${path}/takeover`, { run, reason }],
        ['/operations/assign', { operationIds: [operationId], assignee: 'mallory' }],
      ],
    )
    const assigned = answers.pop() ?? {}
    assert.deepEqual((assigned['data'] as JsonObject)['refused'], [operationId])
    for (const { path: sent, errorCode } of answers) assert.equal(errorCode, 'NOT_FOUND', String(sent))
  })

  it('is not planned before it is refused (G04)', async () => {
    const batch = { action: 'DETACH', targets: [bundleInstallId] }
    const retry = { action: 'RETRY', targets: [operationId] }
    const upgrade = { bundleInstallId, targetVersion: '2.0.0' }
    const request = (kind: string, input: JsonObject) => ({ kind, title: 'x', reason: 'x', input })
    const answers = await answered(
      sql`lock table runtime.scope, runtime.installed_resource, runtime.operation_plan, runtime.plugin_call in access exclusive mode`,
      [
        ['/change-requests', request('DETACH', { bundleInstallId })],
        ['/change-requests', request('UPGRADE', upgrade)],
        ['/change-requests', request('TAKEOVER', { operationId, run: 1 })],
        ['/change-requests', request('BATCH', batch)],
        ['/batches/plan', batch],
        ['/batches/plan', retry],
        ['/batches', { ...batch, reason: 'x' }],
      ],
    )
    for (const answer of answers) assert.equal(answer['errorCode'], 'NOT_FOUND', JSON.stringify(answer))
  })

  it('is refused in the same words when it is old and still kept (G04)', async () => {
    await sql`update runtime.retention set operations_until = clock_timestamp() + interval '1 day', all_operations = 1`.execute(
      harness.db,
    )
    // made in the same millisecond, and never stored
    const unknown = operationId.slice(0, -12) + '0'.repeat(12)
    for (const path of ['', '/context', '/comparison', '/receipt'])
      assert.deepEqual(
        (await send(`/operations/${operationId}${path}`, undefined, 'GET')).json,
        (await send(`/operations/${unknown}${path}`, undefined, 'GET')).json,
      )
  })
})
