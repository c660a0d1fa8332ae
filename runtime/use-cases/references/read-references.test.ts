import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { InstalledReference } from '#contract/runtime-api/references.ts'
import * as z from 'zod'
import { resolversIn } from '../../engine/resolution.ts'
import { referrersQuery } from '../../store/services/list-referrers.ts'
import { bindingOf } from '../../testing/rules.ts'
import { CORE, reference, ResolveHarness, SCOPE } from '../../testing/resolve.ts'

let deps: ResolveHarness
before(async () => {
  deps = await ResolveHarness.make()
})
after(() => deps.http.close())
beforeEach(() => deps.putAll())

const Answer = z.object({ items: z.array(InstalledReference) })

async function read(): Promise<InstalledReference[]> {
  const { errorCode, data, json } = await deps.http.call(`/installations/${deps.installId}/references`)
  assert.equal(errorCode, '0', JSON.stringify(json))
  assert.doesNotMatch(JSON.stringify(json), /eyJ|http:/, 'neither a token nor an address')
  return Answer.parse(data).items
}

/** Why a property does not resolve, or null. Checks that a plugin gets the same result. */
async function refusalOf(property: string): Promise<string | null> {
  const found = (await read()).find((one) => one.property === property)
  assert.ok(found, property)
  const refusal = found.refusal ?? found.services.find((service) => service.refusal !== null)?.refusal ?? null
  const resolved = await deps.resolve(deps.request({ propertyKey: property }))
  assert.equal(refusal === null, resolved.errorCode === '0', `${property}: ${resolved.errorCode}`)
  return refusal
}

describe('the references of an installation', () => {
  it('name services and plugins', async () => {
    const found = await read()
    assert.deepEqual(
      found.map(({ property, services }) => [property, services.map(({ serviceId }) => serviceId)]),
      [
        ['alsoMail', ['mail']],
        ['byCountry', ['chat', 'mail']],
        ['inOrder', ['chat', 'mail']],
        ['publisher', ['mail']],
      ],
    )
    assert.deepEqual(found.find(({ property }) => property === 'publisher')?.plugins, [
      { pluginId: 'tenants', isEnabled: true, hasCredential: true },
    ])
  })

  it('of a resource without a Module are those of no Module, whatever its name', () => {
    const object = { type: 'MODULE', moduleId: 'null' } as const
    const lists = { readProperties: [], writeProperties: [], credentialProperties: ['mail'] }
    const declared = [{ ...bindingOf('one', 1, {}), resources: [{ object, ...lists }] }]
    const resolvers = resolversIn({ claim_type: null, claim_phase: null, frozen: null, declared })
    assert.deepEqual(resolvers({ locator: CORE, module_id: null, property: 'mail' }), [])
    assert.deepEqual(resolvers({ locator: CORE, module_id: 'null', property: 'mail' }), ['one'])
  })

  it('say which rule refuses each, as a resolution does', async () => {
    assert.equal(await refusalOf('publisher'), null)
    assert.equal(await refusalOf('alsoMail'), 'NO_PLUGIN')
    await deps.saveService('chat', { consumers: [] })
    assert.equal(await refusalOf('inOrder'), 'NOT_ALLOWED')
    assert.equal(await refusalOf('publisher'), null)
    await deps.saveService('chat', { consumers: [SCOPE], enabled: false })
    assert.equal(await refusalOf('inOrder'), 'DISABLED')
    await deps.saveService('chat', {
      consumers: [SCOPE],
      owner: { bundleInstallId: deps.installId, locator: CORE },
    })
    assert.equal(await refusalOf('inOrder'), null)
    await deps.putInstallation('ACTIVE')
    assert.equal(await refusalOf('inOrder'), 'OWNER_NOT_ACTIVE')
    await deps.http.runtime.deps.db.deleteFrom('runtime.service').where('service_id', '=', 'chat').execute()
    assert.equal(await refusalOf('inOrder'), 'NOT_REGISTERED')
    await deps.putInstallation('DETACHED')
    assert.equal(await refusalOf('publisher'), 'INSTALLATION_NOT_ACTIVE')
  })

  it('distinguish a saved value from the applied one', async () => {
    const { db } = deps.http.runtime.deps
    await sql`
      insert into runtime.configuration_property
        (scope_id, locator, property, bundle_install_id, value, snapshot_version)
      select scope_id, ${CORE}, 'publisher', bundle_install_id, ${JSON.stringify(reference('chat'))}::jsonb, 1
      from runtime.installation where bundle_install_id = ${deps.installId}
      on conflict (scope_id, locator, property) do update set value = excluded.value`.execute(db)
    const found = (await read()).find(({ property }) => property === 'publisher')
    assert.equal(found?.isChanged, true)
    assert.deepEqual(
      found?.services.map(({ serviceId }) => serviceId),
      ['mail'],
    )
    await sql`delete from runtime.configuration_property`.execute(db)
  })

  it('are found from the installation that owns a service', async () => {
    const referrers = async () =>
      (
        (await deps.http.call(`/installations/${deps.installId}/referrers`)).data['items'] as {
          resourceTitle: string
          property: string
          serviceTitle: string
        }[]
      ).map(({ resourceTitle, property, serviceTitle }) => `${resourceTitle} ${property} ${serviceTitle}`)
    assert.deepEqual(await referrers(), [])
    await deps.saveService('chat', {
      consumers: [SCOPE],
      owner: { bundleInstallId: deps.installId, locator: CORE },
    })
    assert.deepEqual(await referrers(), ['Core byCountry chat', 'Core inOrder chat'])
  })

  it('are found with an index, both as saved and as applied', async () => {
    const { db } = deps.http.runtime.deps
    await sql`
      insert into runtime.configuration_property
        (scope_id, locator, property, bundle_install_id, value, snapshot_version)
      select scope_id, ${CORE}, 'filler' || number, bundle_install_id, jsonb_build_object('@type', 'Data', 'value', number), 1
      from runtime.installation, generate_series(1, 5000) as number where bundle_install_id = ${deps.installId}`.execute(
      db,
    )
    await sql`
      insert into runtime.installed_resource
      select bundle_install_id, locator || number, scope_id, kind, title, module_id, version, definitions, written_by,
        '{"name": {"@type": "Data", "value": "x"}}', verified_at
      from runtime.installed_resource, generate_series(1, 5000) as number
      where bundle_install_id = ${deps.installId} and locator = ${CORE}`.execute(db)
    await sql`analyze runtime.configuration_property, runtime.installed_resource`.execute(db)
    const query = referrersQuery(
      { id: 'ines', name: 'Ines', requestId: 'r', grants: [{ scope: null, permissions: ['read'] }] },
      { serviceIds: ['chat'], after: null, limit: 10 },
    )
    const plan = (await sql<{ 'QUERY PLAN': string }>`explain ${query}`.execute(db)).rows
      .map((row) => row['QUERY PLAN'])
      .join('\n')
    await sql`delete from runtime.configuration_property`.execute(db)
    await sql`delete from runtime.installed_resource where properties ->> 'name' is not null`.execute(db)
    assert.match(plan, /configuration_property_services/)
    assert.match(plan, /installed_resource_services/)
    assert.doesNotMatch(plan, /Seq Scan on (configuration_property|installed_resource)/)
  })

  it('are visible to people who may see the installation', async () => {
    for (const path of ['references', 'referrers'])
      assert.equal(
        (await deps.http.call(`/installations/${deps.installId}/${path}`, { grants: [] })).errorCode,
        'NOT_FOUND',
        path,
      )
  })
})
