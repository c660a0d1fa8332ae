import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { OperationContext } from '#contract/runtime-api/operation-context.ts'
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
import { recordProcessEvent } from '../store/process-events.ts'
import { until } from '../testing/stream.ts'

// What the context of a failed operation says, from the records of the platform (docs/runtime-api.md#context).

const hub = bundleOf('hub', { resources: [moduleOf('relay', { name: TEXT })] })
const shop = bundleOf('shop', {
  resources: [
    moduleOf('main', {
      name: TEXT,
      tenantId: TEXT,
      secret: { kind: 'DATA', schema: { type: 'string' }, isSensitive: true },
      mail: { kind: 'SERVICE_REFERENCE' },
    }),
  ],
  plugins: [
    bindingOf('registrar', 1, { main: { reads: ['name'], writes: ['tenantId', 'secret'] } }),
    bindingOf('prices', 2, { main: { reads: ['name', 'tenantId', 'secret'] } }),
  ],
})
const MAIN = locatorOf(shop, 'main')

let harness: RuleHarness
let hubInstallId: string
before(async () => {
  harness = await startRuleHarness()
  await harness.register('registrar', 'prices')
  await harness.publish(hub, shop)
  hubInstallId = await harness.installed(hub, { scope: harness.newScope() })
  const owner = { bundleInstallId: hubInstallId, locator: locatorOf(hub, 'relay') }
  await registerService({
    owner,
    consumers: [{ environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 2 }],
  })
})
after(() => harness.close())
beforeEach(() => harness.plugin.script(() => ({ outcome: 'APPLIED' })))

const registerService = (more: JsonObject) =>
  harness.ok('/services/mail', {
    method: 'PUT',
    body: { title: 'Mail', url: 'http://127.0.0.1:9/mail', methods: [], enabled: true, ...more },
  })
const contextOf = async (operationId: string) =>
  OperationContext.parse(await harness.ok(`/operations/${operationId}/context`, {}))

describe('the context of an operation', () => {
  it('has what changed since the last good operation, and marks what changed during the run', async () => {
    const scope = harness.newScope()
    const bundleInstallId = await harness.installed(shop, {
      scope,
      properties: {
        [MAIN]: { ...wrapped({ name: 'Shop' }), mail: { '@type': 'ServiceReference', serviceId: 'mail' } },
      },
    })
    await registerService({ owner: null, consumers: [], reason: 'moved to the new relay' })

    // the plugin is disabled by a person while the operation waits
    harness.plugin.script(({ pluginId }) =>
      pluginId === 'prices'
        ? { errorCode: 'CALENDAR_BUSY', data: { message: 'Busy.', retryable: true } }
        : { outcome: 'APPLIED' },
    )
    const answer = await harness.save(scope, { [MAIN]: wrapped({ name: 'Bookshop' }) })
    const [started] = answer.data['operations'] as { operationId: string }[]
    const operationId = started?.operationId ?? ''
    await until(async () => harness.callsOf(operationId).some(({ pluginId }) => pluginId === 'prices'))
    await harness.registerWith('prices', { enabled: false, reason: 'Security review SEC-77' })
    await harness.fails(operationId, 'PLUGIN_NOT_REGISTERED')

    const { causes, lastGood, valuesRead } = await contextOf(operationId)
    assert.deepEqual(
      causes.map(({ kind, subject, reason, during }) => [kind, subject, reason, during]),
      [
        ['plugin.save', 'prices', 'Security review SEC-77', true],
        ['service.save', 'mail', 'moved to the new relay', false],
      ],
    )
    const [disabled] = causes
    assert.ok(disabled?.by?.name)
    assert.deepEqual(disabled?.link, { to: 'plugin', id: 'prices' })
    assert.deepEqual(
      disabled?.changes.map(({ property, before: was, after: is }) => [property, was, is]),
      [['enabled', { '@type': 'Data', value: true }, { '@type': 'Data', value: false }]],
    )
    assert.equal(lastGood?.operationType, 'INSTALL')
    assert.deepEqual(
      valuesRead.map(({ property, kind }) => [property, kind]),
      [
        ['tenantId', 'MISSING'],
        ['secret', 'MISSING'],
      ],
    )
    await harness.register('prices')
    assert.equal((await contextOf(operationId)).causes[0]?.during, false)
    assert.equal((await harness.installation(bundleInstallId)).state, 'ACTIVE')
  })

  it('has the recall of the version that an operation installs, if it came since the last good one', async () => {
    const scope = harness.newScope()
    const bundleInstallId = await harness.installed(shop, {
      scope,
      properties: { [MAIN]: wrapped({ name: 'Shop' }) },
    })
    await harness.publish({ ...shop, version: '1.1.0' })
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const operationId = await harness.upgrade(bundleInstallId, { targetVersion: '1.1.0' })
    await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.deepEqual((await contextOf(operationId)).causes, [])
    const version = '/bundles/source/shop/versions/1.1.0'
    await harness.ok(`${version}/recall`, { method: 'POST', body: { message: 'It loses invoices' } })
    const told = (await contextOf(operationId)).causes
    assert.deepEqual(
      told.map(({ kind, subject, reason, during }) => [kind, subject, reason, during]),
      [['bundle.recall', 'source/shop 1.1.0', 'It loses invoices', false]],
    )
    assert.ok(told[0]?.by?.name)
    await harness.ok(`${version}/reinstate`, { method: 'POST', body: { reason: 'It does not' } })
    assert.deepEqual((await contextOf(operationId)).causes, [])
  })

  it('has starts of the runtime and recoveries of its database since the last good operation', async () => {
    const { rows } = await sql<{ kind: string }>`select kind from runtime.process_event`.execute(harness.db)
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['runtime.start'],
    )
    const scope = harness.newScope()
    await harness.installed(shop, { scope, properties: { [MAIN]: wrapped({ name: 'Shop' }) } })
    await recordProcessEvent(harness.db, 'database.recover')
    let isCalled = false
    harness.plugin.script(() => {
      const answer = isCalled ? { outcome: 'FAILED' as const } : ('reset' as const)
      isCalled = true
      return answer
    })
    const { data } = await harness.save(scope, { [MAIN]: wrapped({ name: 'Books' }) })
    const [started] = data['operations'] as { operationId: string }[]
    const operationId = started?.operationId ?? ''
    await until(async () => isCalled)
    await recordProcessEvent(harness.db, 'runtime.start')
    await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    // what happens after the end changed nothing
    await recordProcessEvent(harness.db, 'runtime.start')
    const told = async () =>
      (await contextOf(operationId)).causes.map(({ kind, during, by }) => [kind, during, by?.id])
    assert.deepEqual(await told(), [
      ['runtime.start', true, 'bundle-runtime'],
      ['database.recover', false, 'bundle-runtime'],
    ])
    // what was long before explains nothing, however long ago the last good operation was
    await sql`update runtime.operation set finished_at = finished_at - interval '3 days'
      where state = 'SUCCEEDED' and scope_id = (select scope_id from runtime.operation where operation_id = ${operationId}::uuid)`.execute(
      harness.db,
    )
    await sql`update runtime.process_event set at = at - interval '2 days' where kind = 'database.recover'`.execute(
      harness.db,
    )
    assert.ok((await told()).every(([kind]) => kind !== 'database.recover'))
  })

  it('marks a change of a plugin with which its calls have succeeded since', async () => {
    const scope = harness.newScope()
    const properties = { [MAIN]: wrapped({ name: 'Shop' }) }
    await harness.installed(shop, { scope, properties })
    await harness.registerWith('prices', { timeoutMs: 9_000 })
    await harness.registerWith('registrar', { timeoutMs: 9_000 })
    await harness.installed(shop, { scope: harness.newScope(), properties })
    await harness.registerWith('registrar', { timeoutMs: 8_000 })
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const { data } = await harness.save(scope, { [MAIN]: wrapped({ name: 'Books' }) })
    const [started] = data['operations'] as { operationId: string }[]
    const operationId = started?.operationId ?? ''
    await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    assert.deepEqual(
      (await contextOf(operationId)).causes.map(({ subject, succeededSince }) => [subject, succeededSince]),
      [
        ['registrar', undefined],
        ['registrar', true],
        ['prices', true],
      ],
    )
  })

  it('does not say who changed what in a scope that the reader may not read', async () => {
    const hubScope = harness.newScope()
    const other = await harness.installed(hub, { scope: hubScope })
    const scope = harness.newScope()
    const owner = { bundleInstallId: other, locator: locatorOf(hub, 'relay') }
    await registerService({ owner, consumers: [{ ...scope }] })
    const properties = {
      [MAIN]: {
        ...wrapped({ name: 'Shop' }),
        mail: { '@type': 'ServiceReference', serviceId: 'mail' } as const,
      },
    }
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const { operationId } = await harness.install(shop, { scope, properties })
    await harness.fails(operationId, 'PLUGIN_REPORTED_FAILURE')
    await harness.succeeds(await harness.detach(other))

    const all = (await contextOf(operationId)).causes[0]
    assert.deepEqual([all?.kind, all?.reason], ['installation.detach', 'not needed any more'])
    const grants: Grant[] = [{ permissions: ['read'], scope }]
    const answer = await harness.http.call(`/operations/${operationId}/context`, { grants })
    const seen = OperationContext.parse(answer.data).causes
    // a service may be shared: of its registration a reader sees the scopes that the reader may read
    assert.doesNotMatch(JSON.stringify(seen), new RegExp(`"workspaceId":(?!${scope.workspaceId}\\b)`))
    assert.match(JSON.stringify((await contextOf(operationId)).causes), /"workspaceId":2\b/)
    const [masked] = seen
    assert.deepEqual(masked, {
      ...all,
      by: null,
      reason: null,
      subject: '',
      link: null,
      changes: [],
    })
  })

  it('has the values of other plugins, masked, with the attempts of the call that wrote them', async () => {
    let isLost = false
    harness.plugin.script(({ pluginId }) => {
      if (pluginId === 'prices')
        return { errorCode: 'NO_TENANT', data: { message: 'There is no such tenant.', retryable: false } }
      if (isLost) {
        const resources = { [MAIN]: wrapped({ tenantId: 'shop-undefined', secret: 's3cret-value' }) }
        return { outcome: 'APPLIED', resources: resources as unknown as JsonObject }
      }
      isLost = true
      return 'reset'
    })
    const { operationId } = await harness.install(shop, {
      scope: harness.newScope(),
      properties: { [MAIN]: wrapped({ name: 'Shop' }) },
    })
    await harness.fails(operationId, 'NO_TENANT')
    const context = await contextOf(operationId)
    assert.deepEqual(
      context.valuesRead.map(({ property, kind, value, writer }) => [property, kind, value, writer.pluginId]),
      [
        ['tenantId', 'WRITTEN', { '@type': 'Data', value: 'shop-undefined' }, 'registrar'],
        ['secret', 'WRITTEN', { '@type': 'Data', isSensitive: true, isSet: true }, 'registrar'],
      ],
    )
    assert.deepEqual(
      context.valuesRead[0]?.attempts.map(({ outcome, errorCode, isUnknown }) => [
        outcome,
        errorCode,
        isUnknown,
      ]),
      [
        [null, 'PLUGIN_UNREACHABLE', true],
        ['APPLIED', null, undefined],
      ],
    )
    // not again with each of many values of the same call
    assert.deepEqual(context.valuesRead[1]?.attempts, [])
    assert.doesNotMatch(JSON.stringify(context), /s3cret/)
    assert.equal(context.lastGood, null)
    // a newer version of the bundle calls it sensitive
    await sql`insert into runtime.sensitive_mark (scope_id, locator, property, marked_at)
      select scope_id, ${MAIN}, 'tenantId', clock_timestamp() from runtime.operation
      where operation_id = ${operationId}`.execute(harness.db)
    assert.deepEqual((await contextOf(operationId)).valuesRead[0]?.value, {
      '@type': 'Data',
      isSensitive: true,
      isSet: true,
    })
  })
})
