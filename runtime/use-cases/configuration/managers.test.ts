import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Apply } from '#contract/runtime-api/managers.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { CORE, crm, GATEWAY, LEDGER } from '../../testing/bundles.ts'
import { refused } from '../../testing/runtime.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import type { SavingHarness } from '../../testing/saves.ts'
import { upgrade } from '../installations/upgrade.ts'
import { readHistory } from './history.ts'

// Who manages a saved property: docs/runtime-api.md#managers-of-properties.

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
  const core = crm.resources[0]
  assert.ok(core)
  const properties = { ...core.properties, color: { kind: 'DATA' as const, schema: true, default: 'red' } }
  await deps.runtime.publish({ ...crm, version: '2.0.0', resources: [{ ...core, properties }] })
})
after(() => deps.runtime.close())

const managersOf = async (scope: Scope, locator = CORE) =>
  (await deps.read(scope)).resources[locator]?.managedBy

const gitops = (takeOver: Apply['takeOver'] = []): Apply => ({ name: 'gitops', takeOver })

/** Saves on top of the current snapshot, and lets the operations succeed. */
async function save(
  scope: Scope,
  changes: Changes,
  apply?: Apply,
  writes?: Record<string, Record<string, ReturnType<typeof wrapData>>>,
): Promise<number> {
  const { snapshotVersion } = await deps.read(scope)
  const saved = await deps.save(scope, snapshotVersion, changes, apply)
  for (const { operationId } of saved.operations) await deps.runtime.succeed(operationId, writes)
  return saved.operations.length
}

async function newScope() {
  const { scope, crm: bundleInstallId } = await deps.newScope()
  return { scope, bundleInstallId }
}

describe('the manager of a property', () => {
  it('is who set the value last: a person, a default, a plugin or an apply', async () => {
    const { scope, bundleInstallId } = await newScope()
    assert.deepEqual(await managersOf(scope), {
      name: 'person',
      seats: 'default:1.0.0',
      tenantId: 'plugin:tenants',
    })
    await save(scope, { [CORE]: { seats: wrapData(6) } })
    await save(scope, { [GATEWAY]: { domain: wrapData('a.example') } }, gitops(), {
      [CORE]: { tenantId: wrapData('t-2') },
    })
    const { operation } = await deps.runtime.write((context) =>
      upgrade(context, { params: { bundleInstallId }, query: {}, body: { targetVersion: '2.0.0' } }),
    )
    assert.deepEqual(await managersOf(scope, GATEWAY), { domain: 'apply:gitops' })
    await deps.runtime.succeed(operation.operationId)
    assert.deepEqual(await managersOf(scope), {
      name: 'person',
      seats: 'person',
      tenantId: 'plugin:tenants',
      color: 'default:2.0.0',
    })
  })

  it('is part of the history', async () => {
    const { scope } = await newScope()
    await save(scope, { [LEDGER]: { currency: wrapData('EUR') } }, gitops())
    await save(scope, { [LEDGER]: { currency: wrapData('USD') } })
    await save(scope, { [LEDGER]: { currency: null } })
    const { items } = await readHistory(deps.runtime.read, {
      params: scope,
      query: { limit: 50, locator: LEDGER },
      body: undefined,
    })
    assert.deepEqual(
      items.flatMap(({ changes }) => changes.map(({ managedBy }) => managedBy)),
      [undefined, 'person', 'apply:gitops'],
    )
  })

  it('stays if a save sets the same value', async () => {
    const { scope } = await newScope()
    assert.equal(await save(scope, { [CORE]: { seats: wrapData(5) } }), 0)
    assert.equal(await save(scope, { [CORE]: { name: wrapData('Acme') } }, gitops()), 0)
    assert.equal((await managersOf(scope))?.['seats'], 'default:1.0.0')
    assert.equal((await managersOf(scope))?.['name'], 'person')
  })
})

describe('an apply', () => {
  it('is refused for each property that somebody else manages, and changes nothing', async () => {
    const { scope } = await newScope()
    const { snapshotVersion } = await deps.read(scope)
    const before = await deps.rowCounts(scope)
    const changes = {
      [CORE]: { name: wrapData('Bolt'), seats: wrapData(9) },
      [GATEWAY]: { domain: wrapData('a.example') },
    }
    await assert.rejects(
      deps.save(scope, snapshotVersion, changes, gitops()),
      refused('PROPERTY_MANAGED', ['name', 'seats']),
    )
    const { problems } = await deps.plan(scope, snapshotVersion, changes, gitops())
    assert.deepEqual(
      problems.map(({ locator, property, errorCode, parameters }) => [
        locator,
        property,
        errorCode,
        parameters?.['manager'],
      ]),
      [
        [CORE, 'name', 'PROPERTY_MANAGED', 'person'],
        [CORE, 'seats', 'PROPERTY_MANAGED', 'default:1.0.0'],
      ],
    )
    assert.deepEqual(await deps.rowCounts(scope), before)
    assert.deepEqual((await deps.plan(scope, snapshotVersion, changes)).problems, [])
  })

  it('takes over what it names, and the audit says from whom and why', async () => {
    const { scope } = await newScope()
    const takeOver = [{ locator: CORE, property: 'name', reason: 'moved to the repository' }]
    await save(
      scope,
      { [CORE]: { name: wrapData('Bolt') }, [GATEWAY]: { domain: wrapData('a.example') } },
      gitops(takeOver),
    )
    assert.equal((await managersOf(scope))?.['name'], 'apply:gitops')
    const { changes } = await deps.runtime.db
      .selectFrom('runtime.audit_entry')
      .select('changes')
      .where('workspace_id', '=', scope.workspaceId)
      .where('action', '=', 'configuration.save')
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      changes.map(({ property, managedBy, takenOver }) => ({ property, managedBy, takenOver })),
      [
        {
          property: 'name',
          managedBy: 'apply:gitops',
          takenOver: { from: 'person', reason: 'moved to the repository' },
        },
        { property: 'domain', managedBy: 'apply:gitops', takenOver: undefined },
      ],
    )
    // the same document again, now with another value: nothing is left to take over
    await save(scope, { [CORE]: { name: wrapData('Cargo') } }, gitops(takeOver))
    await assert.rejects(
      save(scope, { [CORE]: { name: wrapData('Dart') } }, { name: 'other', takeOver: [] }),
      refused('PROPERTY_MANAGED', ['name']),
    )
  })

  it('yields to a person, and must take the property over again', async () => {
    const { scope } = await newScope()
    await save(scope, { [LEDGER]: { currency: wrapData('EUR') } }, gitops())
    await save(scope, { [LEDGER]: { currency: wrapData('USD') } })
    await assert.rejects(
      save(scope, { [LEDGER]: { currency: wrapData('EUR') } }, gitops()),
      refused('PROPERTY_MANAGED', ['currency']),
    )
  })

  it('of a full configuration removes only what it manages', async () => {
    const { scope } = await newScope()
    await save(scope, { [CORE]: { password: wrapData('hunter2') } })
    await save(scope, { [LEDGER]: { currency: wrapData('EUR') } }, gitops())
    const { snapshotVersion } = await deps.read(scope)
    await deps.saveFull(
      scope,
      snapshotVersion,
      { [CORE]: { properties: {} }, [LEDGER]: { properties: {} } },
      gitops(),
    )
    const { resources } = await deps.read(scope)
    assert.deepEqual(Object.keys(resources[LEDGER]?.properties ?? {}), [])
    assert.deepEqual(resources[CORE]?.properties['name'], wrapData('Acme'))
    assert.deepEqual(resources[CORE]?.properties['seats'], wrapData(5))
  })
})

describe('the migration', () => {})
