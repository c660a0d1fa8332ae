import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { PropertyRow } from '#contract/runtime-api/properties.ts'
import {
  bindingOf,
  bundleOf,
  locatorOf,
  moduleOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../../testing/rules.ts'
import type { RuleHarness } from '../../testing/rules.ts'

const mail = bundleOf('mail', {
  resources: [
    moduleOf('smtp', {
      port: { kind: 'DATA', schema: { type: 'integer', title: 'Port' }, default: 25 },
      password: { ...TEXT, isSensitive: true },
      note: TEXT,
    }),
  ],
})
const newer = bundleOf('mail', { version: '2.0.0', resources: [moduleOf('smtp', { added: TEXT })] })
const relayOf = (version: string, isSensitive: boolean) =>
  bundleOf('relay', {
    version,
    resources: [moduleOf('relay', { port: { kind: 'DATA', schema: { type: 'integer' }, isSensitive } })],
    plugins: [bindingOf('guard', 1, { relay: {} })],
  })
const relay = relayOf('1.0.0', false)
const hidingRelay = relayOf('2.0.0', true)
const SMTP = locatorOf(mail, 'smtp')

let harness: RuleHarness
let scopes: Scope[] = []
before(async () => {
  harness = await startRuleHarness()
  await harness.publish(mail, newer)
  scopes = [1, 2, 3, 4].map(() => harness.newScope())
  for (const scope of scopes) await harness.installed(mail, { scope })
})
after(() => harness.close())

type Query = Record<string, string>
const pathOf = (query: Query): string => {
  const search = new URLSearchParams({
    bundleId: 'mail',
    kind: 'MODULE',
    resource: 'smtp',
    property: 'port',
    ...query,
  })
  return `/properties?${search.toString()}`
}
const page = async (query: Query = {}, options: Parameters<RuleHarness['http']['call']>[1] = {}) => {
  const answer = await harness.http.call(pathOf(query), options)
  assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  const items = PropertyRow.array().parse(answer.data['items'])
  return { items, next: answer.data['nextCursor'] as string | null }
}
const list = async (query: Query = {}, options: Parameters<RuleHarness['http']['call']>[1] = {}) =>
  (await page(query, options)).items
const workspaces = (rows: readonly PropertyRow[]) => rows.map(({ installation }) => installation.workspaceId)
const asQuery = (value: JsonValue) => JSON.stringify({ '@type': 'Data', value })

const saveAs = async (actor: string, scope: Scope, changes: Changes) => {
  const { snapshotVersion } = await harness.configuration(scope)
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const saved = await harness.http.call(
    `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/configuration`,
    { method: 'PATCH', actor, body: { snapshotVersion, changes } },
  )
  assert.equal(saved.errorCode, '0', JSON.stringify(saved.json))
}

describe('one property in every installation', () => {
  it('has its value, whether it is the default, and who set it, when and why', async () => {
    const [first, second] = scopes
    assert.ok(first && second)
    const { snapshotVersion } = await harness.configuration(second)
    const place = `/scopes/${second.environmentKey}/${second.applicationRuntimeId}/${second.workspaceId}`
    const saved = await harness.ok(`${place}/configuration`, {
      method: 'PATCH',
      body: { snapshotVersion, changes: { [SMTP]: wrapped({ port: 587 }) }, reason: 'New relay' },
    })
    for (const { operationId } of saved['operations'] as { operationId: string }[])
      await harness.succeeds(operationId)
    const rows = await list()
    assert.deepEqual(
      workspaces(rows),
      scopes.map(({ workspaceId }) => workspaceId),
    )
    assert.deepEqual(
      rows.map(({ value, origin, manager }) => [value, origin, manager]),
      scopes.map((scope) =>
        scope === second
          ? [{ '@type': 'Data', value: 587 }, 'setHere', 'person']
          : [{ '@type': 'Data', value: 25 }, 'default', 'default:1.0.0'],
      ),
    )
    const [, changed] = rows
    assert.equal(changed?.lastChange?.reason, 'New relay')
    assert.equal(changed?.lastChange?.by.name, 'ada')
    assert.equal(changed?.lastChange?.snapshotVersion, saved['snapshotVersion'])
    assert.equal(changed?.version, '1.0.0')
  })

  it('is filtered by origin, value and the time of the last change', async () => {
    const [, second] = scopes
    const only = [second?.workspaceId]
    const others = scopes.filter((scope) => scope !== second).map(({ workspaceId }) => workspaceId)
    assert.deepEqual(workspaces(await list({ origin: 'setHere' })), only)
    assert.deepEqual(workspaces(await list({ origin: 'default' })), others)
    assert.equal((await list({ origin: 'default,setHere' })).length, 4)
    assert.deepEqual(workspaces(await list({ equals: asQuery(587) })), only)
    assert.deepEqual(workspaces(await list({ differs: asQuery(587) })), others)
    assert.deepEqual(await list({ equals: asQuery('587') }), [])
    assert.equal((await list({ since: 'PT1H' })).length, 4)
    assert.deepEqual(await list({ until: 'P30D' }), [])
    // never set: as it was when it was installed
    await sql`update runtime.installation set created_at = created_at - interval '40 days'
      where bundle_id = 'mail'`.execute(harness.db)
    assert.deepEqual(await list({ until: 'P30D' }), [])
    assert.equal((await list({ property: 'note', until: 'P30D' })).length, 4)
    assert.deepEqual(await list({ property: 'note', until: 'P60D' }), [])
    assert.deepEqual(await list({ property: 'note', since: 'P60D' }), [])
    assert.deepEqual(workspaces(await list({ workspaceId: String(second?.workspaceId) })), only)
  })

  it('still says who removed a value', async () => {
    const [first] = scopes
    assert.ok(first)
    await harness.saved(first, { [SMTP]: wrapped({ note: 'temporary' }) })
    await harness.saved(first, { [SMTP]: { note: null } })
    const [row] = await list({ property: 'note', workspaceId: String(first.workspaceId) })
    assert.deepEqual([row?.value, row?.origin, row?.manager], [null, null, null])
    assert.equal(row?.lastChange?.by.name, 'ada')
  })

  it('hides sensitive values; who may change them sees which are equal on the page', async () => {
    const secrets = ['same', 'other', 'same']
    for (const [index, password] of secrets.entries())
      await harness.saved(scopes[index]!, { [SMTP]: wrapped({ password }) })
    // the configuration says how old they are, and nothing of a value that is not set
    for (const [index, scope] of scopes.entries()) {
      const set = (await harness.configuration(scope)).resources[SMTP]?.sensitiveSet
      assert.deepEqual(
        Object.entries(set ?? {}).map(([property, { by }]) => [property, by.name]),
        index < secrets.length ? [['password', 'ada']] : [],
      )
    }
    const rows = await list({ property: 'password' }, { actor: 'grace' })
    assert.deepEqual(
      rows.map(({ equalityGroup }) => equalityGroup),
      [1, 2, 1, undefined],
    )
    assert.ok(!JSON.stringify(rows).includes('same'))
    assert.deepEqual(rows[0]?.value, { '@type': 'Data', isSensitive: true, isSet: true })
    const reader = [{ scope: null, permissions: ['read' as const] }]
    const read = await list({ property: 'password' }, { grants: reader })
    assert.deepEqual(
      read.map(({ equalityGroup }) => equalityGroup),
      Array(4).fill(undefined),
    )
    // ada has set them, and could have guessed
    for (const row of await list({ property: 'password' })) assert.equal(row.equalityGroup, undefined)
    await saveAs('grace', scopes[1]!, { [SMTP]: wrapped({ password: 'same' }) })
    for (const [actor, groups] of [
      ['grace', [1, undefined, 1, undefined]],
      ['ada', [undefined, 1, undefined, undefined]],
    ] as const)
      assert.deepEqual(
        (await list({ property: 'password' }, { actor })).map(({ equalityGroup }) => equalityGroup),
        groups,
      )
    // a filter must not tell either
    for (const query of [{ equals: asQuery('same') }, { differs: asQuery('same') }])
      assert.deepEqual(
        (await list({ property: 'password', ...query })).filter(
          ({ value }) => value?.['@type'] !== 'Data' || !('isSet' in value) || value.isSet,
        ),
        [],
      )
  })

  it('is in pages, limited to what the person may see, and only where the version has it', async () => {
    const first = await page({ limit: '3' })
    assert.equal(first.items.length, 3)
    assert.ok(first.next)
    const second = await page({ limit: '3', cursor: first.next })
    assert.equal(second.items.length, 1)
    assert.equal(second.next, null)
    const [scope] = scopes
    assert.ok(scope)
    const grants = [{ scope, permissions: ['read' as const] }]
    assert.deepEqual(workspaces(await list({}, { grants })), [scope.workspaceId])
    const environment = [{ scope: { environmentKey: scope.environmentKey }, permissions: ['read' as const] }]
    assert.equal((await list({}, { grants: environment })).length, 4)
    assert.deepEqual(await list({ property: 'added' }), [])
    assert.deepEqual(await list({ bundleId: 'elsewhere' }), [])
  })

  it('refuses a value that is not a typed value, and a cursor of another list', async () => {
    for (const query of [{ equals: '587' }, { equals: '{' }, { cursor: 'WzFd' }, { kind: 'THING' }]) {
      assert.equal((await harness.http.call(pathOf(query))).errorCode, 'REQUEST_INVALID')
    }
  })

  it('continues behind installations that a filter leaves out, however many there are', async () => {
    // the rows that a filter reads in vain: more than one page looks at
    await sql`
      insert into runtime.installation (bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
        bundle_environment_key, bundle_id, title, state, version)
      select gen_random_uuid(), scope_id, environment_key, application_runtime_id, 0,
        'elsewhere-' || number, bundle_id, title, state, version
      from runtime.installation cross join generate_series(1, 1100) as number
      where bundle_id = 'mail' and workspace_id = ${scopes[0]!.workspaceId}`.execute(harness.db)
    const first = await page({ origin: 'setHere' })
    assert.deepEqual(first.items, [])
    assert.ok(first.next)
    const second = await page({ origin: 'setHere', cursor: first.next })
    assert.deepEqual(workspaces(second.items), [scopes[1]?.workspaceId])
    assert.equal(second.next, null)
  })

  it('is hidden by an upgrade that has failed, in the installation of that upgrade alone', async () => {
    await harness.register('guard')
    await harness.publish(relay, hidingRelay)
    harness.plugin.script(() => ({ outcome: 'APPLIED' }))
    const ids: string[] = []
    for (const scope of scopes.slice(0, 3))
      ids.push(
        await harness.installed(relay, {
          scope,
          properties: { [locatorOf(relay, 'relay')]: wrapped({ port: 25 }) },
        }),
      )
    harness.plugin.script(() => ({ outcome: 'FAILED' }))
    const failing = await harness.upgrade(ids[0]!, { targetVersion: '2.0.0' })
    await harness.fails(failing, 'PLUGIN_REPORTED_FAILURE')
    const of = { bundleId: 'relay', resource: 'relay' }
    const rows = await list(of)
    assert.deepEqual(
      rows.map(({ version, value }) => [version, value]),
      [
        ['1.0.0', { '@type': 'Data', isSensitive: true, isSet: true }],
        ['1.0.0', { '@type': 'Data', value: 25 }],
        ['1.0.0', { '@type': 'Data', value: 25 }],
      ],
    )
    const others = scopes.slice(1, 3).map(({ workspaceId }) => workspaceId)
    assert.deepEqual(workspaces(await list({ ...of, equals: asQuery(25) })), others)
  })

  it('has the definition of its version, which is read once', async () => {
    await sql`update runtime.installed_resource set definitions = '{}'
      where locator = ${SMTP} and bundle_install_id <> (
        select bundle_install_id from runtime.installed_resource join runtime.scope using (scope_id)
        where locator = ${SMTP} and version = ${mail.version}
        order by environment_key, application_runtime_id, workspace_id limit 1)`.execute(harness.db)
    const rows = await list({ bundleEnvironmentKey: mail.bundle.environmentKey })
    assert.ok(rows.length > 1)
    for (const { definition } of rows) assert.deepEqual(definition, rows[0]?.definition)
  })
})
