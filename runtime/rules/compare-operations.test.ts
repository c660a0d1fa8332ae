import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { OperationComparison } from '#contract/runtime-api/operation-comparison.ts'
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

// An operation beside one that succeeded (docs/runtime-api.md#comparison).

const shop = bundleOf('compared-shop', {
  resources: [moduleOf('main', { name: TEXT, tenantId: TEXT, secret: { ...TEXT, isSensitive: true } })],
  plugins: [bindingOf('registrar', 1, { main: { reads: ['name'], writes: ['tenantId'] } })],
})
const plain = bundleOf('compared-plain', { resources: [moduleOf('main', { name: TEXT })] })
const MAIN = locatorOf(shop, 'main')
const SECRET = 'zebra-secret-4711'

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
  await harness.register('registrar')
  await harness.publish(shop, plain)
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

const compare = async (operationId: string, query = '') => {
  const data = await harness.ok(`/operations/${operationId}/comparison${query}`, {})
  return { json: JSON.stringify(data), ...OperationComparison.parse(data) }
}
const installed = async (scope: Scope, secret?: string) => {
  harness.plugin.script(() => ({
    outcome: 'APPLIED',
    resources: { [MAIN]: wrapped({ tenantId: `tenant-${scope.workspaceId}` }) },
  }))
  const properties = { [MAIN]: wrapped({ name: 'Shop', ...(secret !== undefined && { secret }) }) }
  const started = await harness.install(shop, { scope, properties })
  await harness.succeeds(started.operationId)
  return started
}
/** A save that fails in this scope. */
const failedSave = async (scope: Scope, values: Record<string, string>) => {
  harness.plugin.script(() => ({ errorCode: 'NO', data: { message: 'No.', retryable: false } }))
  const { data } = await harness.save(scope, { [MAIN]: wrapped(values) })
  const [started] = data['operations'] as { operationId: string }[]
  const operationId = started?.operationId ?? ''
  await harness.fails(operationId, 'NO')
  return operationId
}

describe('the comparison of operations', () => {
  it('has the values and the registrations that differ from the last good one', async () => {
    const scope = harness.newScope()
    const good = await installed(scope, SECRET)
    await harness.registerWith('registrar', { timeoutMs: 4_321, reason: 'slow' })
    const operationId = await failedSave(scope, { name: 'Bookshop', secret: `${SECRET}-2` })
    // what is changed after its end is not of its time
    await harness.registerWith('registrar', { timeoutMs: 1_234 })

    const { lastGood, other, values, registrations, json } = await compare(operationId)
    assert.equal(lastGood?.operationId, good.operationId)
    assert.equal(other?.operationId, good.operationId)
    const [name, ...others] = values
    assert.deepEqual(
      [name?.property, name?.before, name?.after],
      ['name', { '@type': 'Data', value: 'Shop' }, { '@type': 'Data', value: 'Bookshop' }],
    )
    // a hidden value does not even say that it differs, and what the plugin wrote before is still there
    assert.deepEqual(others, [])
    assert.doesNotMatch(json, new RegExp(SECRET))
    assert.deepEqual(
      registrations.map(({ before, after }) => [before?.timeoutMs === 4_321, after?.timeoutMs]),
      [[false, 4_321]],
    )
    assert.deepEqual((await compare(operationId)).registrationsCut, [])
    // more changes than are looked at
    await sql`
      insert into runtime.audit_entry
      select copy.* from generate_series(1, 200) as n,
        (select entry from runtime.audit_entry as entry where action = 'plugin.save' and subject like 'registrar%'
          order by sequence desc limit 1) as newest,
        jsonb_populate_record(newest.entry, jsonb_build_object('sequence', (newest.entry).sequence + 1000 + n)) as copy`.execute(
      harness.db,
    )
    assert.deepEqual((await compare(operationId)).registrationsCut, ['registrar'])
  })

  it('finds the same operation on another installation, and takes the one that is asked for', async () => {
    const [scope, elsewhere] = [harness.newScope(), harness.newScope()]
    const sibling = await installed(elsewhere)
    harness.plugin.script(() => ({ errorCode: 'NO', data: { message: 'No.', retryable: false } }))
    const { operationId } = await harness.install(shop, {
      scope,
      properties: { [MAIN]: wrapped({ name: 'Shop', secret: SECRET }) },
    })
    await harness.fails(operationId, 'NO')

    const { lastGood, siblings, other, values } = await compare(operationId)
    assert.equal(lastGood, null)
    assert.equal(siblings[0]?.operationId, sibling.operationId)
    assert.equal(other?.operationId, sibling.operationId)
    assert.deepEqual(
      values.map(({ property, before, after }) => [property, before, after]),
      [
        [
          'secret',
          { '@type': 'Data', isSensitive: true, isSet: false },
          { '@type': 'Data', isSensitive: true, isSet: true },
        ],
        ['tenantId', { '@type': 'Data', value: `tenant-${elsewhere.workspaceId}` }, null],
      ],
    )
    const chosen = await compare(operationId, `?with=${siblings.at(-1)?.operationId}`)
    assert.equal(chosen.other?.operationId, siblings.at(-1)?.operationId)
  })

  it('is refused for an operation that is not comparable, or that the person may not read', async () => {
    const [scope, hidden] = [harness.newScope(), harness.newScope()]
    const secret = await installed(hidden)
    const { operationId } = await installed(scope)
    const foreign = await harness.install(plain, { scope, properties: {} })
    await harness.succeeds(foreign.operationId)
    const grants: Grant[] = [{ permissions: ['read'], scope: { ...scope } }]
    const withOther = (id: string, by: object = {}) =>
      harness.http.call(`/operations/${operationId}/comparison?with=${id}`, by)
    assert.equal((await withOther(foreign.operationId)).errorCode, 'REQUEST_INVALID')
    assert.equal((await withOther(operationId)).errorCode, 'REQUEST_INVALID')
    assert.equal((await withOther(secret.operationId)).errorCode, '0')
    assert.equal((await withOther(secret.operationId, { grants })).errorCode, 'NOT_FOUND')
    const { data } = await harness.http.call(`/operations/${operationId}/comparison`, { grants })
    const { siblings } = OperationComparison.parse(data)
    assert.deepEqual(siblings, [])
  })
})
