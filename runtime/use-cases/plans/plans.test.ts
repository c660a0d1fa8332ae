import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { OperationPlan } from '#contract/runtime-api/plans.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { MessageReason } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'
import { CORE, crm, GATEWAY, LEDGER, SCOPE, startInstall } from '../../testing/bundles.ts'
import { actorWith, refused } from '../../testing/runtime.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import type { SavingHarness } from '../../testing/saves.ts'
import { planSave } from '../configuration/plan-save.ts'
import { saveConfiguration } from '../configuration/save.ts'
import { detach, planDetach } from '../installations/detach.ts'
import { install, planInstall } from '../installations/install.ts'
import { planUpgrade, upgrade } from '../installations/upgrade.ts'
import { planTakeover, takeOverOperation } from '../operations/take-over.ts'

const text = { kind: 'DATA', schema: { type: 'string' } } as const
const [core] = crm.resources
assert.ok(core)
/** A new optional property with a default, a newly required one, and no gateway. */
const next: AuthorManifest = {
  ...crm,
  version: '2.0.0',
  resources: [
    {
      ...core,
      properties: {
        ...core.properties,
        color: { ...text, default: 'red' },
        region: { ...text, required: true },
      },
    },
  ],
}
const REGION = { [CORE]: { region: wrapData('eu') } }

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
  await deps.runtime.publish(next)
})
after(() => deps.runtime.close())

const readOnly = () => actorWith([{ permissions: ['read'], scope: null }], 'Grace')
const at = (bundleInstallId: string) => ({ params: { bundleInstallId }, query: {} })
const planOfUpgrade = (id: string, body = { targetVersion: '2.0.0' }, actor = deps.runtime.actor) =>
  planUpgrade({ ...deps.runtime.read, actor }, { ...at(id), body })
const planOfDetach = (id: string) => planDetach(deps.runtime.read, { ...at(id), body: undefined })

/** For `assert.rejects`: PLAN_STALE, with these reasons. */
const stale =
  (...reasons: MessageReason[]) =>
  (error: unknown) => {
    assert.ok(error instanceof DomainError, String(error))
    assert.equal(error.code, 'PLAN_STALE')
    assert.deepEqual(
      error.details.map(({ parameters }) => parameters?.['reason']),
      reasons,
    )
    return true
  }
const token = (plan: { planToken: string | null }): string => {
  assert.ok(plan.planToken !== null)
  return plan.planToken
}

async function register(pluginId: string, enabled: boolean): Promise<void> {
  const values = { plugin_id: pluginId, title: pluginId, endpoint: 'http://127.0.0.1:9', enabled }
  await deps.runtime.db
    .insertInto('runtime.plugin')
    .values(values)
    .onConflict((conflict) => conflict.column('plugin_id').doUpdateSet({ enabled }))
    .execute()
}

describe('the plan of an upgrade', () => {
  it('names changes, calls with what they may read and write, and every problem at once', async () => {
    await deps.runtime.db.deleteFrom('runtime.plugin').execute()
    const { crm: id, scope } = await deps.newScope()
    const plan = OperationPlan.parse(await planOfUpgrade(id))
    assert.deepEqual(
      plan.resources.map(({ locator, action }) => [locator, action]),
      [
        [CORE, 'UPGRADE'],
        [GATEWAY, 'DETACH'],
      ],
    )
    assert.deepEqual(plan.changes, [
      { locator: CORE, property: 'color', before: null, after: wrapData('red') },
    ])
    const call = {
      pluginId: 'tenants',
      order: 10,
      availability: 'NOT_REGISTERED',
      reads: [],
      writes: [{ locator: CORE, property: 'tenantId' }],
    }
    assert.deepEqual(plan.stages, [
      { stage: 'BEFORE_RESOURCES', calls: [call] },
      { stage: 'AFTER_RESOURCES', calls: [call] },
    ])
    assert.deepEqual(
      plan.problems.map(({ property, parameters }) => [property, parameters?.['reason']]),
      [['region', 'propertyMissing']],
    )
    const saved = await deps.save(scope, plan.snapshotVersion ?? 0, { [CORE]: { name: wrapData('B') } })
    const blocked = await planOfUpgrade(id)
    assert.equal(blocked.claim?.operationId, saved.operations[0]?.operationId)
    assert.deepEqual(
      blocked.problems.map(({ errorCode }) => errorCode),
      ['OPERATION_IN_PROGRESS', 'PROPERTY_INVALID'],
    )
  })

  it('needs the permission to upgrade, and writes nothing', async () => {
    const { crm: id, scope } = await deps.newScope()
    const before = await deps.rowCounts(scope)
    await planOfUpgrade(id)
    assert.deepEqual(await deps.rowCounts(scope), before)
    await assert.rejects(planOfUpgrade(id, undefined, readOnly()), refused('PERMISSION_DENIED'))
    await assert.rejects(planOfUpgrade(id, undefined, actorWith([])), refused('NOT_FOUND'))
  })

  it('shows no plan for the installed version, and says why', async () => {
    const { crm: id } = await deps.newScope()
    const plan = await planOfUpgrade(id, { targetVersion: '1.0.0' })
    assert.equal(plan.planToken, null)
    assert.deepEqual(
      plan.problems.map(({ parameters }) => parameters?.['reason']),
      ['upgradeSameVersion'],
    )
  })
})

describe('an upgrade with the token of its plan', () => {
  const start = async (id: string, snapshotVersion: number, planToken: string) => {
    const body = { targetVersion: '2.0.0', properties: REGION, snapshotVersion, planToken }
    return deps.runtime.write((context) => upgrade(context, { ...at(id), body }))
  }
  const planned = (id: string, snapshotVersion: number) =>
    planUpgrade(deps.runtime.read, {
      ...at(id),
      body: { targetVersion: '2.0.0', properties: REGION, snapshotVersion },
    })

  it('starts while nothing has moved', async () => {
    await register('tenants', true)
    const { crm: id, snapshotVersion } = await deps.newScope()
    const plan = await planned(id, snapshotVersion)
    assert.deepEqual(plan.problems, [])
    const { operation } = await start(id, snapshotVersion, token(plan))
    assert.equal(operation.targetVersion, '2.0.0')
  })

  it('is refused when a registration, the snapshot or the installed version has moved, naming it', async () => {
    await register('tenants', true)
    const { crm: id, scope, snapshotVersion } = await deps.newScope()
    const plan = await planned(id, snapshotVersion)
    await register('tenants', false)
    await assert.rejects(start(id, snapshotVersion, token(plan)), stale('planRegistrationsMoved'))
    await register('tenants', true)
    const saved = await deps.save(scope, snapshotVersion, { [LEDGER]: { currency: wrapData('EUR') } })
    await assert.rejects(start(id, snapshotVersion, token(plan)), stale('planSnapshotMoved'))
    const again = await planned(id, saved.snapshotVersion)
    const { operation } = await start(id, saved.snapshotVersion, token(again))
    await deps.runtime.succeed(operation.operationId)
    await assert.rejects(
      start(id, saved.snapshotVersion, token(again)),
      stale('planSnapshotMoved', 'planVersionMoved', 'planRegistrationsMoved', 'planBindingsMoved'),
    )
  })

  it('is refused with values other than those of the plan, and differs each time', async () => {
    await register('tenants', true)
    const { crm: id, snapshotVersion } = await deps.newScope()
    const planToken = token(await planned(id, snapshotVersion))
    const properties = { [CORE]: { region: wrapData('us') } }
    const body = { targetVersion: '2.0.0', properties, snapshotVersion, planToken }
    await assert.rejects(
      deps.runtime.write((context) => upgrade(context, { ...at(id), body })),
      stale('planValuesMoved'),
    )
    assert.notEqual(token(await planned(id, snapshotVersion)), planToken)
    const damaged = Buffer.from(planToken, 'base64url')
      .toString()
      .replace(/"[^"]*"(?=\]\}\])/, '"x.y"')
    await assert.rejects(
      start(id, snapshotVersion, Buffer.from(damaged).toString('base64url')),
      stale('planValuesMoved'),
    )
    const { operation } = await start(id, snapshotVersion, planToken)
    assert.equal(operation.targetVersion, '2.0.0')
  })

  it('is refused for a token that is none', async () => {
    const { crm: id, snapshotVersion } = await deps.newScope()
    for (const planToken of ['nonsense', Buffer.from('[2]').toString('base64url')])
      await assert.rejects(start(id, snapshotVersion, planToken), refused('REQUEST_INVALID'))
  })
})

describe('a save with the token of its plan', () => {
  const changes: Changes = { [CORE]: { name: wrapData('B'), password: wrapData('hunter2') } }
  const plan = (scope: Scope, snapshotVersion: number, given: Changes = changes) =>
    planSave(deps.runtime.read, { params: scope, query: {}, body: { snapshotVersion, changes: given } })
  const save = (scope: Scope, snapshotVersion: number, planToken: string, given: Changes = changes) =>
    deps.runtime.write((context) =>
      saveConfiguration(context, {
        params: scope,
        query: {},
        body: { snapshotVersion, changes: given, planToken },
      }),
    )

  it('names the changed properties that each plugin may read, never their sensitive values', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const planned = await plan(scope, snapshotVersion)
    assert.deepEqual(planned.installations[0]?.stages[0]?.calls[0]?.reads, [
      { locator: CORE, property: 'name' },
      { locator: CORE, property: 'password' },
    ])
    assert.ok(!JSON.stringify(planned).includes('hunter2'))
    assert.ok(!Buffer.from(token(planned), 'base64url').toString().includes('hunter2'))
  })

  it('may leave an installation out, but not add one', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const both = { ...changes, [LEDGER]: { currency: wrapData('EUR') } }
    const ofBoth = token(await plan(scope, snapshotVersion, both))
    const ofOne = token(await plan(scope, snapshotVersion, changes))
    await assert.rejects(save(scope, snapshotVersion, ofOne, both), stale('planInstallationNew'))
    const saved = await save(scope, snapshotVersion, ofBoth)
    assert.equal(saved.operations.length, 1)
  })

  it('is refused if other properties are saved than were planned, and if a plugin was changed', async () => {
    await register('tenants', true)
    const { scope, snapshotVersion } = await deps.newScope()
    const planned = token(await plan(scope, snapshotVersion))
    await assert.rejects(
      save(scope, snapshotVersion, planned, { [CORE]: { name: wrapData('B') } }),
      stale('planCallsMoved'),
    )
    await register('tenants', false)
    await assert.rejects(save(scope, snapshotVersion, planned), stale('planRegistrationsMoved'))
    await register('tenants', true)
  })

  it('shows why an installation that never became active cannot be detached', async () => {
    const scope = { ...SCOPE, workspaceId: 990 }
    const { operation } = await deps.runtime.write((context) =>
      install(context, {
        params: {},
        query: {},
        body: {
          scope,
          bundle: crm.bundle,
          targetVersion: '1.0.0',
          properties: { [CORE]: { name: wrapData('Acme'), password: wrapData('hunter2') } },
        },
      }),
    )
    const { bundleInstallId } = operation.installation
    const planned = OperationPlan.parse(
      await planDetach(deps.runtime.read, { params: { bundleInstallId }, query: {}, body: undefined }),
    )
    assert.equal(planned.planToken, null)
    assert.equal(planned.targetVersion, null)
    assert.ok(planned.problems.length > 0)
  })

  it('keeps the code of a stale snapshot', async () => {
    const { scope, snapshotVersion } = await deps.newScope()
    const planned = token(await plan(scope, snapshotVersion))
    await deps.save(scope, snapshotVersion, { [LEDGER]: { currency: wrapData('EUR') } })
    await assert.rejects(save(scope, snapshotVersion, planned), refused('CONFIGURATION_SNAPSHOT_STALE'))
  })
})

describe('an install, a detach and a takeover with the token of their plan', () => {
  const bodyIn = (scope: Scope) => ({
    scope,
    bundle: crm.bundle,
    targetVersion: '1.0.0',
    properties: { [CORE]: { name: wrapData('Acme'), password: wrapData('hunter2') } },
  })

  it('install: starts as planned, and is refused when the scope has moved', async () => {
    const scope = { ...SCOPE, workspaceId: 901 }
    const planned = OperationPlan.parse(
      await planInstall(deps.runtime.read, { params: {}, query: {}, body: bodyIn(scope) }),
    )
    assert.deepEqual([planned.snapshotVersion, planned.installation], [null, null])
    assert.ok(!JSON.stringify(planned).includes('hunter2'))
    const start = (planToken: string, place: Scope) =>
      deps.runtime.write((context) =>
        install(context, { params: {}, query: {}, body: { ...bodyIn(place), planToken } }),
      )
    await start(token(planned), { ...scope, workspaceId: 902 })
    await start(token(planned), scope)
    await assert.rejects(start(token(planned), scope), stale('planScopeNew'))
    const again = await planInstall(deps.runtime.read, { params: {}, query: {}, body: bodyIn(scope) })
    assert.deepEqual(
      again.problems.map(({ errorCode }) => errorCode),
      ['INSTALLATION_EXISTS'],
    )
  })

  it('detach: starts as planned, and is refused after a save', async () => {
    const { crm: id, scope, snapshotVersion } = await deps.newScope()
    const start = (planToken: string) =>
      deps.runtime.write((context) => detach(context, { ...at(id), body: { reason: 'gone', planToken } }))
    const first = await planOfDetach(id)
    assert.deepEqual(
      first.resources.map(({ action }) => action),
      ['DETACH', 'DETACH'],
    )
    await deps.save(scope, snapshotVersion, { [LEDGER]: { currency: wrapData('EUR') } })
    await assert.rejects(start(token(first)), stale('planSnapshotMoved'))
    const { operation } = await start(token(await planOfDetach(id)))
    await deps.runtime.succeed(operation.operationId)
    const late = await planOfDetach(id)
    assert.deepEqual(
      [late.planToken, late.problems.map(({ errorCode }) => errorCode)],
      [null, ['INSTALLATION_NOT_ACTIVE']],
    )
  })

  it('takeover: says that the operation must be FAILED in this run, starts as planned (G07)', async () => {
    const { operation } = await startInstall(deps.runtime, crm, {
      scope: { ...SCOPE, workspaceId: 903 },
      properties: { [CORE]: { name: wrapData('Acme') } },
    })
    const { operationId } = operation
    const input = { params: { operationId }, query: {} }
    const plan = (run: number) => planTakeover(deps.runtime.read, { ...input, body: { run } })
    assert.deepEqual(
      (await plan(1)).problems.map(({ errorCode }) => errorCode),
      ['TAKEOVER_NOT_ALLOWED'],
    )
    await deps.runtime.fail(operationId)
    const planned = await plan(1)
    assert.deepEqual(planned.problems, [])
    assert.deepEqual(
      planned.stages[0]?.calls.map(({ pluginId }) => pluginId),
      ['tenants'],
    )
    await register('tenants', false)
    const start = (planToken: string) =>
      deps.runtime.write((context) =>
        takeOverOperation(context, { ...input, body: { run: 1, reason: 'stuck', planToken } }),
      )
    await assert.rejects(start(token(planned)), stale('planRegistrationsMoved'))
    await start(token(await plan(1)))
    await register('tenants', true)
  })
})
