import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { wrapData } from '#contract/protocol/data.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { readHistory } from '../configuration/history.ts'
import { readConfiguration } from '../configuration/read.ts'
import { saveConfiguration } from '../configuration/save.ts'
import type { Input } from '../context.ts'
import type { DomainError } from '../../engine/refusals.ts'
import { billing, CORE, crm, GATEWAY, installBoth, SCOPE, startInstall } from '../../testing/bundles.ts'
import { refused, testRuntime } from '../../testing/runtime.ts'
import type { TestRuntime } from '../../testing/runtime.ts'
import { detach } from './detach.ts'
import { readInstallation } from './read.ts'
import { upgrade } from './upgrade.ts'

const MAIL = 'dev/crm/MODULE/mail'
const text = { kind: 'DATA', schema: { type: 'string' } } as const
const [core] = crm.resources
assert.ok(core)
const { seats: _, ...kept } = core.properties

/** No gateway, no seats, a new Module with its own plugin instead of the old one, and a newly required region. */
const next: AuthorManifest = {
  ...crm,
  version: '2.0.0',
  resources: [
    {
      ...core,
      properties: {
        ...kept,
        tenantId: text,
        region: { ...text, required: true },
        color: { ...text, default: 'red' },
        zone: { ...text, required: true, default: 'a' },
      },
    },
    {
      kind: 'MODULE',
      name: 'mail',
      title: 'Mail',
      moduleId: 'crm-mail',
      properties: { sender: { ...text, default: 'x' }, instanceRefProperty: text },
    },
  ],
  plugins: [
    {
      pluginId: 'mailer',
      order: 5,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [
        {
          object: { type: 'MODULE', moduleId: 'crm-mail' },
          readProperties: ['sender'],
          writeProperties: [],
          credentialProperties: [],
        },
      ],
    },
  ],
}

let runtime: TestRuntime
before(async () => {
  runtime = await testRuntime()
  for (const manifest of [crm, billing, next]) await runtime.publish(manifest)
})
after(() => runtime.close())

let workspaces = 300
const newScope = () => ({ ...SCOPE, workspaceId: workspaces++ })
const read = (scope: typeof SCOPE) =>
  readConfiguration(runtime.read, { params: scope, query: {}, body: undefined })

type Body = Input<'POST /installations/{bundleInstallId}/upgrade'>['body']
const upgradeTo = (bundleInstallId: string, body: Body) =>
  runtime.write((context) => upgrade(context, { params: { bundleInstallId }, query: {}, body }))

describe('an upgrade', () => {
  it('keeps, sets, defaults and drops values, and detaches resources that the target does not have', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const { snapshotVersion } = await read(scope)
    const { operation } = await upgradeTo(bundleInstallId, {
      targetVersion: '2.0.0',
      snapshotVersion,
      properties: { [CORE]: { region: wrapData('eu') } },
    })
    assert.deepEqual(
      [operation.operationType, operation.currentVersion, operation.targetVersion],
      ['UPGRADE', '1.0.0', '2.0.0'],
    )
    const plan = await runtime.plan(operation.operationId)
    assert.deepEqual(
      plan.resources.map(({ locator, action, currentVersion, targetVersion }) => [
        locator,
        action,
        currentVersion,
        targetVersion,
      ]),
      [
        [CORE, 'UPGRADE', '1.0.0', '2.0.0'],
        [MAIL, 'INSTALL', null, '2.0.0'],
        [GATEWAY, 'DETACH', '1.0.0', '1.0.0'],
      ],
    )
    assert.deepEqual(plan.resources[0]?.properties, {
      name: wrapData('Acme'),
      tenantId: wrapData('t-1'),
      instanceRefProperty: wrapData(bundleInstallId),
      region: wrapData('eu'),
      color: wrapData('red'),
      zone: wrapData('a'),
    })
    assert.deepEqual(plan.resources[1]?.properties, {
      sender: wrapData('x'),
      instanceRefProperty: wrapData(bundleInstallId),
    })
    assert.deepEqual(
      plan.plugins.map(({ pluginId, resources }) => [pluginId, resources.map(({ resource }) => resource)]),
      [
        ['mailer', [MAIL]],
        ['tenants', [CORE]],
      ],
    )
    assert.ok(plan.changes.some(({ property, after }) => property === 'seats' && after === null))
    // the configuration is unchanged until the operation succeeds
    assert.equal((await read(scope)).snapshotVersion, snapshotVersion)

    await runtime.succeed(operation.operationId)
    const detail = await readInstallation(runtime.read, {
      params: { bundleInstallId },
      query: {},
      body: undefined,
    })
    assert.equal(detail.version, '2.0.0')
    assert.deepEqual(
      detail.resources.map(({ locator }) => locator),
      [CORE, MAIL],
    )
    assert.deepEqual(
      detail.plugins.map(({ pluginId }) => pluginId),
      ['mailer'],
    )
    assert.equal((await read(scope)).snapshotVersion, snapshotVersion + 1)
  })

  it('that lacks a newly required value is refused before anything starts', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    await assert.rejects(
      upgradeTo(bundleInstallId, { targetVersion: '2.0.0' }),
      refused('PROPERTY_INVALID', ['region']),
    )
    const detail = await readInstallation(runtime.read, {
      params: { bundleInstallId },
      query: {},
      body: undefined,
    })
    assert.equal(detail.claim, null)
  })

  it('lets nobody remove a value that a plugin has written', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const { snapshotVersion } = await read(scope)
    const again: AuthorManifest = { ...crm, version: `1.0.${workspaces}` }
    await runtime.publish(again)
    await assert.rejects(
      upgradeTo(bundleInstallId, {
        targetVersion: again.version,
        snapshotVersion,
        properties: { [CORE]: { tenantId: null, seats: null } },
      }),
      refused('PROPERTY_INVALID', ['tenantId']),
    )
  })

  it('refuses stale values, the protected property, another bundle’s resource, its own version, an unknown one', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const { snapshotVersion } = await read(scope)
    const body = { targetVersion: '2.0.0', snapshotVersion }
    const region = { region: wrapData('eu') }
    await assert.rejects(
      upgradeTo(bundleInstallId, { ...body, snapshotVersion: 1, properties: { [CORE]: region } }),
      refused('CONFIGURATION_SNAPSHOT_STALE'),
    )
    await assert.rejects(
      upgradeTo(bundleInstallId, { ...body, properties: { [CORE]: { instanceRefProperty: wrapData('x') } } }),
      refused('PROPERTY_PROTECTED'),
    )
    await assert.rejects(
      upgradeTo(bundleInstallId, { ...body, properties: { [GATEWAY]: { domain: wrapData('x') } } }),
      refused('RESOURCE_OWNERSHIP_MISSING'),
    )
    await assert.rejects(upgradeTo(bundleInstallId, { targetVersion: '1.0.0' }), refused('REQUEST_INVALID'))
    await assert.rejects(upgradeTo(bundleInstallId, { targetVersion: '3.0.0' }), refused('NOT_FOUND'))
  })

  it('requires a new value for one that is no longer valid', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const name = { ...text, schema: { type: 'string', maxLength: 2 } }
    const short: AuthorManifest = {
      ...crm,
      version: '1.1.0',
      resources: [{ ...core, properties: { ...core.properties, name } }],
    }
    await runtime.publish(short)
    await assert.rejects(
      upgradeTo(bundleInstallId, { targetVersion: '1.1.0' }),
      refused('PROPERTY_INVALID', ['name']),
    )
  })

  it('never refuses saved values because of the work to check them all, only given ones (C07)', async () => {
    // thirteen values, of which a request may give twelve
    const names = Array.from({ length: 13 }, (_, index) => `p${index}`)
    const numbers = Array.from({ length: 10_000 }, (_, index) => index)
    const slow = (version: string, title: string): AuthorManifest => {
      const property = { kind: 'DATA', schema: { title, items: { enum: numbers } } } as const
      const properties = Object.fromEntries(names.map((name) => [name, property]))
      return {
        bundle: { environmentKey: 'dev', bundleId: 'slow' },
        version,
        title: 'Slow',
        resources: [{ kind: 'MODULE', name: 'main', title: 'Main', moduleId: 'slow', properties }],
        plugins: [],
      }
    }
    const first = slow('1.0.0', 'List')
    await runtime.publish(first)
    await runtime.publish(slow('2.0.0', 'Numbers'))
    const list = Array.from({ length: 1000 }, () => 0)
    const value = wrapData(list)
    const valuesOf = (of: readonly string[]) => ({
      'dev/slow/MODULE/main': Object.fromEntries(of.map((name) => [name, value])),
    })
    const isTooCostly = ({ details }: DomainError) => {
      assert.deepEqual(
        details.map(({ property, parameters }) => [property, parameters?.['reason']]),
        [['p12', 'valuesTooCostly']],
      )
      return true
    }
    await assert.rejects(
      startInstall(runtime, first, { scope: newScope(), properties: valuesOf(names) }),
      isTooCostly,
    )
    const scope = newScope()
    const { bundleInstallId, operation } = await startInstall(runtime, first, {
      scope,
      properties: valuesOf(names.slice(0, 7)),
    })
    await runtime.succeed(operation.operationId)
    const { snapshotVersion } = await read(scope)
    const save = (changes: ReturnType<typeof valuesOf>) =>
      runtime.write((context) =>
        saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes } }),
      )
    const others = {
      'dev/slow/MODULE/main': Object.fromEntries(names.map((name) => [name, wrapData([...list, 1])])),
    }
    await assert.rejects(save(others), isTooCostly)
    const saved = await save(valuesOf(names.slice(7)))
    await runtime.succeed(saved.operations[0]?.operationId ?? '')

    const given = { snapshotVersion: snapshotVersion + 1, properties: valuesOf(names) }
    await assert.rejects(upgradeTo(bundleInstallId, { targetVersion: '2.0.0', ...given }), isTooCostly)
    const upgraded = await upgradeTo(bundleInstallId, { targetVersion: '2.0.0' })
    await runtime.succeed(upgraded.operation.operationId)
    const { operation: last } = await runtime.write((context) =>
      detach(context, { params: { bundleInstallId }, query: {}, body: { reason: 'gone' } }),
    )
    await runtime.succeed(last.operationId)
    await startInstall(runtime, first, { scope: newScope(), copyFrom: bundleInstallId })
  })

  it('drops a sensitive value that the target would show', async () => {
    const scope = newScope()
    const { crm: bundleInstallId } = await installBoth(runtime, scope)
    const { snapshotVersion } = await read(scope)
    const changes = { [CORE]: { password: wrapData('hunter2') } }
    const saved = await runtime.write((context) =>
      saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes } }),
    )
    await runtime.succeed(saved.operations[0]?.operationId ?? '')
    await runtime.publish({
      ...crm,
      version: '1.2.0',
      resources: [{ ...core, properties: { ...core.properties, password: text } }],
    })
    const { operation } = await upgradeTo(bundleInstallId, { targetVersion: '1.2.0' })
    const plan = await runtime.plan(operation.operationId)
    assert.equal(plan.resources[0]?.properties['password'], undefined)
    const audit = await runtime.db.selectFrom('runtime.audit_entry').select('changes').execute()
    assert.ok(!JSON.stringify(audit).includes('hunter2'))
    await runtime.succeed(operation.operationId)
    assert.ok(!JSON.stringify(await read(scope)).includes('hunter2'))
    const past = await readHistory(runtime.read, { params: scope, query: { limit: 50 }, body: undefined })
    assert.ok(!JSON.stringify(past).includes('hunter2'))
  })
})
