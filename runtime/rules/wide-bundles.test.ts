import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { wrapData } from '#contract/protocol/data.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { configurationChanges, valuesFromOthers } from '../engine/steps/plugin-writes.ts'
import { WALKED_TABLES, readPage } from '../store/sealing-passes.ts'
import { readDeclaredEvents } from '../store/services/event-declarations.ts'
import { listServicesById } from '../store/services/services.ts'
import { shownChanges } from '../use-cases/audit/list.ts'
import { loadDomainProblems } from '../use-cases/configuration/load-evaluation.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'
import { authorization, LOCATOR, plannedResource, planWith } from '../testing/plan.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

// A resource may have thousands of properties. Nothing looks through all of them for each of them.

const NAMES = Array.from({ length: 60_000 }, (_, at) => `p${at}`)
/** Copies in another order: texts that are not the same in memory, and not found at the same place. */
const REVERSED = NAMES.map((name) => `p${59_999 - Number(name.slice(1))}`)

let harness: RuleHarness
before(async () => {
  harness = await startRuleHarness()
})
after(() => harness.close())

/** The processor time that looking at each name a few times takes is a small part of this. */
async function quickly<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const endWork = boundWork(3)
  const result = await work()
  endWork()
  return result
}

test('an entry of the audit hides the values that were marked later (J01)', async () => {
  const view = { '@type': 'Data', value: 1 } as const
  const changes = NAMES.map((property) => ({ locator: LOCATOR, property, before: null, after: view }))
  const marks = REVERSED.map((property) => ({ sequence: 1, locator: LOCATOR, property }))
  // of an entry, only these are read
  const row = { sequence: 1, changes } as unknown as Parameters<typeof shownChanges>[0]
  const shown = await quickly(() => shownChanges(row, marks))
  assert.ok(shown.every(({ after }) => after !== null && 'isSensitive' in after))
})

test('values that other plugins may write, and defaults, are found (J01)', async () => {
  const resource = { resource: LOCATOR, readProperties: [], writeProperties: [], credentialProperties: [] }
  const writer = authorization({ pluginId: 'one', resources: [{ ...resource, writeProperties: REVERSED }] })
  const reader = authorization({ pluginId: 'two', resources: [{ ...resource, readProperties: NAMES }] })
  const properties = Object.fromEntries(NAMES.map((name) => [name, wrapData(1)]))
  const plan = planWith([writer, reader])
  plan.resources = [plannedResource({ properties, writtenBy: {} })]
  plan.defaults = { [LOCATOR]: REVERSED }
  const call = { stage: 'BEFORE_RESOURCES', pluginId: 'one', order: 1, writes: {} } as const
  const read = await quickly(() =>
    valuesFromOthers(plan, [call], 'INSTALL', { stage: 'AFTER_RESOURCES', pluginId: 'two', order: 2 }),
  )
  assert.equal(read.length, NAMES.length)
  const changes = await quickly(() =>
    configurationChanges({ operationType: 'INSTALL', plan, writes: {}, current: new Map() }),
  )
  assert.ok(changes.every(({ manager }) => manager?.startsWith('default:')))
})

test('the domains of a gateway are compared with those that it had (J01)', async () => {
  const gateway = { kind: 'GATEWAY', name: 'edge', title: 'Edge', properties: {} } as const
  const bundle = bundleOf('edge', { resources: [gateway] })
  const scope = harness.newScope()
  await harness.publish(bundle)
  const bundleInstallId = await harness.installed(bundle, { scope })
  const locator = locatorOf(bundle, 'edge', 'GATEWAY')
  await sql`insert into runtime.gateway_domain (environment_key, domain, bundle_install_id, locator, property)
    select ${scope.environmentKey}, name || '.test', ${bundleInstallId}::uuid, ${locator}, name
    from unnest(${NAMES}::text[]) as name`.execute(harness.db)
  const hostname: PropertyDefinition = { kind: 'DATA', schema: { format: 'hostname' } }
  const definitions = Object.fromEntries(NAMES.map((name) => [name, hostname]))
  const changes = NAMES.map((property, at) => {
    const after = wrapData(`${REVERSED[at] ?? ''}.test`)
    return { locator, property, before: null, after }
  })
  const asked = { changes, facts: new Map([[locator, { definitions, writtenBy: {} }]]) }
  const deps = { db: harness.db, actor: { id: 'ada', name: 'Ada', grants: [], requestId: '1' }, way: {} }
  const problems = await quickly(() => loadDomainProblems(deps, scope, asked, () => bundleInstallId))
  assert.deepEqual(problems, [])
})

test('the references of an installation are read together (J01)', async () => {
  const names = NAMES.slice(0, 3_000)
  const properties = Object.fromEntries(names.map((name) => [name, { kind: 'SERVICE_REFERENCE' } as const]))
  const plugins = [bindingOf('resolver', 1, { wide: { resolves: names } })]
  const bundle = bundleOf('wide', { resources: [moduleOf('wide', properties)], plugins })
  const body = { title: 'Mail', url: 'http://mail.test', methods: ['send'], owner: null, enabled: true }
  const scope = harness.newScope()
  await harness.ok('/services/mail', {
    method: 'PUT',
    body: { ...body, consumers: [{ ...scope }], expected: null },
  })
  await harness.register('resolver')
  await harness.publish(bundle)
  const bundleInstallId = await harness.installed(bundle, { scope })
  const values = names.map((name) => [name, { '@type': 'ServiceReference', serviceId: 'mail' }] as const)
  await harness.saved(scope, { [locatorOf(bundle, 'wide')]: Object.fromEntries(values) })
  const answer = await quickly(() => harness.ok(`/installations/${bundleInstallId}/references`, {}))
  const items = answer['items'] as { plugins: { pluginId: string }[]; refusal: string | null }[]
  assert.equal(items.length, names.length)
  assert.ok(items.every((one) => one.plugins[0]?.pluginId === 'resolver' && one.refusal === null))
})

test('definitions and manifests are read once for all that they describe', async () => {
  const definition: PropertyDefinition = { kind: 'DATA', schema: { description: 'x'.repeat(120) } }
  const properties = Object.fromEntries(NAMES.slice(0, 5_000).map((name) => [name, definition]))
  const secret = { ...definition, isSensitive: true }
  const bundle = bundleOf('many', { resources: [moduleOf('many', { ...properties, secret })] })
  const scope = harness.newScope()
  await harness.publish(bundle)
  const owner = [await harness.installed(bundle, { scope }), locatorOf(bundle, 'many')]
  const names = [...NAMES.slice(0, 20_000), 'secret']
  await sql`insert into runtime.configuration_property
      (scope_id, locator, property, bundle_install_id, value, snapshot_version)
    select scope_id, locator, name, bundle_install_id, '{"@type": "Data", "value": 1}', 1
    from runtime.installed_resource cross join unnest(${names}::text[]) as name
    where (bundle_install_id, locator) = (${owner[0]}::uuid, ${owner[1]})`.execute(harness.db)
  await sql`insert into runtime.service (service_id, title, url, methods, owner_bundle_install_id, owner_locator, consumers, enabled)
    select name, name, 'http://mail.test', '[]', ${owner[0]}::uuid, ${owner[1]}, '[]', true
    from unnest(${names}::text[]) as name`.execute(harness.db)
  const before = await sql<{ key: string[] }>`
    select array[scope_id::text, locator, property] as key from runtime.configuration_property
    order by scope_id desc, locator desc, property desc offset 3000 limit 1`.execute(harness.db)
  const rows = await readPage<{ row_key: string[]; is_sensitive: boolean }>(
    harness.db,
    WALKED_TABLES.configuration,
    before.rows[0]?.key ?? [],
    4_000,
  )
  const sensitive = rows.filter((row) => row.is_sensitive).map((row) => row.row_key[2])
  assert.equal(rows.length, 3_000)
  assert.deepEqual(sensitive, ['secret'])
  // each would take longer than a statement may, if it read a megabyte for each row
  assert.equal((await listServicesById(harness.db, names, sql`true`)).length, names.length)
  assert.equal((await readDeclaredEvents(harness.db, names)).size, names.length)
})
