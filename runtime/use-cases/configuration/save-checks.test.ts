import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { CORE } from '../../testing/bundles.ts'
import { refused } from '../../testing/runtime.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import type { SavingHarness } from '../../testing/saves.ts'

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
})
after(() => deps.runtime.close())

describe('a save', () => {
  it('refuses the protected property before anything else', async () => {
    const { scope } = await deps.newScope()
    const changes = { [CORE]: { instanceRefProperty: wrapData('mine'), name: wrapData(1) } }
    await assert.rejects(deps.save(scope, 1, changes), refused('PROPERTY_PROTECTED'))
    await assert.rejects(
      deps.save(scope, 1, { 'dev/nobody/MODULE/x': { instanceRefProperty: null } }),
      refused('PROPERTY_PROTECTED'),
    )
    await assert.rejects(
      deps.saveFull(scope, 1, { [CORE]: { properties: { instanceRefProperty: wrapData('mine') } } }),
      refused('PROPERTY_PROTECTED'),
    )
  })

  it('reports all invalid values together', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    await assert.rejects(
      deps.save(scope, snapshotVersion, {
        [CORE]: {
          name: null,
          seats: wrapData(0),
          tenantId: wrapData('t-2'),
          nonsense: wrapData(1),
          toString: wrapData(1),
          password: { '@type': 'ServiceReference', serviceId: 'x' },
        },
      }),
      refused('PROPERTY_INVALID', ['name', 'seats', 'tenantId', 'nonsense', 'toString', 'password']),
    )
  })

  it('never shows a sensitive value, only whether it is set (H03)', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const changes = { [CORE]: { password: wrapData('hunter2') } }
    const view = await deps.plan(scope, snapshotVersion, changes)
    assert.deepEqual(view.changes, [
      {
        locator: CORE,
        property: 'password',
        before: { '@type': 'Data', isSensitive: true, isSet: false },
        after: { '@type': 'Data', isSensitive: true, isSet: true },
      },
    ])
    const saved = await deps.save(scope, snapshotVersion, changes)
    await deps.runtime.succeed(saved.operations[0]?.operationId ?? '')
    const shown = JSON.stringify([view, saved, await deps.read(scope)])
    assert.ok(!shown.includes('hunter2'))
    const repeated = await deps.save(scope, saved.snapshotVersion, changes)
    assert.deepEqual(repeated.operations, [])
    const audit = await deps.runtime.db.selectFrom('runtime.audit_entry').selectAll().execute()
    assert.ok(!JSON.stringify(audit).includes('hunter2'))
    const stored = await deps.runtime.db
      .selectFrom('runtime.configuration_property')
      .select('value')
      .where('property', '=', 'password')
      .executeTakeFirstOrThrow()
    assert.deepEqual(Object.keys(stored.value).toSorted(), ['@type', 'isSensitive', 'sealed'])
  })

  it('refuses a reference to a service that the scope may not use', async () => {
    const { scope, snapshotVersion, crm: owner } = await deps.newScope()
    const service = (serviceId: string, consumers: Scope[], enabled = true, owned: string | null = null) =>
      deps.runtime.db
        .insertInto('runtime.service')
        .values({
          service_id: `${serviceId}-${scope.workspaceId}`,
          title: serviceId,
          url: 'http://127.0.0.1:9',
          methods: '[]',
          owner_bundle_install_id: owned,
          owner_locator: owned === null ? null : CORE,
          consumers: JSON.stringify(consumers),
          enabled,
        })
        .execute()
    await service('open', [scope])
    await service('other', [{ ...scope, workspaceId: 1 }])
    await service('off', [scope], false)
    await service('own', [], true, owner)
    const to = (serviceId: string): TypedValue => ({
      '@type': 'ServiceReference',
      serviceId: `${serviceId}-${scope.workspaceId}`,
    })
    for (const name of ['missing', 'other', 'off'])
      await assert.rejects(
        deps.save(scope, snapshotVersion, { [CORE]: { publisher: to(name) } }),
        refused('REFERENCE_TARGET_UNAVAILABLE', ['publisher']),
      )
    assert.deepEqual(
      (await deps.plan(scope, snapshotVersion, { [CORE]: { publisher: to('own') } })).problems,
      [],
    )
    const saved = await deps.save(scope, snapshotVersion, { [CORE]: { publisher: to('open') } })
    assert.equal(saved.operations.length, 1)
  })
})
