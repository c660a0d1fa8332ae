import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { DependencyGraph } from '#contract/runtime-api/dependencies.ts'
import { CORE, ResolveHarness, SCOPE } from '../../testing/resolve.ts'
import type { Call } from '../../testing/http.ts'
import { usersQuery } from '../../store/services/dependencies.ts'

let deps: ResolveHarness
before(async () => {
  deps = await ResolveHarness.make()
})
after(() => deps.http.close())
beforeEach(async () => {
  await deps.http.runtime.deps.db.deleteFrom('runtime.service').execute()
  await deps.putAll()
})

async function read(path: string, options: Call = {}): Promise<DependencyGraph> {
  const { errorCode, data, json } = await deps.http.call(`${path}/dependencies`, options)
  assert.equal(errorCode, '0', JSON.stringify(json))
  assert.doesNotMatch(JSON.stringify(json), /eyJ|http:/, 'neither a token nor an address')
  return DependencyGraph.parse(data)
}

/** Every node with its distance, in order of the distances. */
const nodesOf = ({ services, installations }: DependencyGraph): [string, number][] =>
  [
    ...services.map(({ serviceId, distance }): [string, number] => [serviceId, distance]),
    ...installations.map(({ installation, distance }): [string, number] => [
      `in ${installation.workspaceId}`,
      distance,
    ]),
  ].sort(([, a], [, b]) => a - b)

/** Lets the applied references of an installation name this service only. */
async function referTo(bundleInstallId: string, serviceId: string): Promise<void> {
  await sql`
    update runtime.installed_resource
    set properties = ${JSON.stringify({ publisher: { '@type': 'ServiceReference', serviceId } })}::jsonb
    where bundle_install_id = ${bundleInstallId}`.execute(deps.http.runtime.deps.db)
}

/** mail ◀ the first installation, which owns orders ◀ the second, which owns reports ◀ the third. */
async function putChain(): Promise<[second: string, third: string]> {
  const [second, third] = [await deps.addInstallation('ACTIVE', 21), await deps.addInstallation('ACTIVE', 22)]
  await deps.saveService('orders', { owner: { bundleInstallId: deps.installId, locator: CORE } })
  await deps.saveService('reports', { owner: { bundleInstallId: second, locator: CORE } })
  await referTo(second, 'orders')
  await referTo(third, 'reports')
  return [second, third]
}

describe('dependencies', () => {
  it('are followed from a service to everything that is reached if it stops', async () => {
    await putChain()
    const graph = await read('/services/mail')
    assert.deepEqual(nodesOf(graph), [
      ['mail', 0],
      ['in 7', 1],
      ['orders', 2],
      ['in 21', 3],
      ['reports', 4],
      ['in 22', 5],
    ])
    const use = graph.uses.find(({ serviceId }) => serviceId === 'mail')
    assert.equal(use?.propertyCount, 4)
    assert.deepEqual(use.properties[0], { locator: CORE, resourceTitle: 'Core', property: 'alsoMail' })
    assert.equal(graph.more, 0)
  })

  it('are followed from an installation in both directions', async () => {
    const [second] = await putChain()
    assert.deepEqual(nodesOf(await read(`/installations/${second}`)), [
      ['chat', -3],
      ['mail', -3],
      ['in 7', -2],
      ['orders', -1],
      ['in 21', 0],
      ['reports', 1],
      ['in 22', 2],
    ])
  })

  it('that form a circle are reached, each once', async () => {
    const [second] = await putChain()
    await referTo(deps.installId, 'reports')
    const graph = await read('/services/orders')
    assert.deepEqual(nodesOf(graph), [
      ['orders', 0],
      ['in 21', 1],
      ['reports', 2],
      ['in 7', 3],
      ['in 22', 3],
    ])
    assert.deepEqual(graph.services.find(({ serviceId }) => serviceId === 'reports')?.owner, {
      bundleInstallId: second,
      locator: CORE,
    })
  })

  it('include services that are not registered, and saved references', async () => {
    await referTo(deps.installId, 'unknown')
    await sql`
      insert into runtime.configuration_property
        (scope_id, locator, property, bundle_install_id, value, snapshot_version)
      select scope_id, ${CORE}, 'publisher', bundle_install_id,
        '{"@type": "ServiceReference", "serviceId": "chat"}', 1
      from runtime.installation where bundle_install_id = ${deps.installId}`.execute(
      deps.http.runtime.deps.db,
    )
    const { services } = await read(`/installations/${deps.installId}`)
    await sql`delete from runtime.configuration_property`.execute(deps.http.runtime.deps.db)
    assert.deepEqual(
      services.map(({ serviceId, title }) => [serviceId, title]),
      [
        ['chat', 'chat'],
        ['unknown', null],
      ],
    )
  })

  it('contain nothing of a scope that the person may not see', async () => {
    const [second] = await putChain()
    const at = (workspaceId: number) => ({ permissions: ['read' as const], scope: { ...SCOPE, workspaceId } })
    const graph = await read('/services/orders', { grants: [at(22)] })
    assert.deepEqual(nodesOf(graph), [['orders', 0]])
    assert.equal(graph.services[0]?.owner, null)
    assert.equal(graph.more, 0)
    // the first installation is not visible, so nothing is followed through it
    assert.deepEqual(nodesOf(await read('/services/mail', { grants: [at(21), at(22)] })), [['mail', 0]])
    assert.equal(
      (await deps.http.call(`/installations/${second}/dependencies`, { grants: [at(7)] })).errorCode,
      'NOT_FOUND',
    )
    assert.equal((await deps.http.call('/services/unknown/dependencies')).errorCode, 'NOT_FOUND')
  })

  it('of a popular service are a bounded part, with the number of the others', async () => {
    const { db } = deps.http.runtime.deps
    await sql`
      insert into runtime.installation (environment_key, application_runtime_id, workspace_id,
        bundle_environment_key, bundle_id, scope_id, bundle_install_id, title, state, version)
      select environment_key, application_runtime_id, workspace_id, bundle_environment_key, 'many' || number,
        scope_id, gen_random_uuid(), 'Many', 'ACTIVE', version
      from runtime.installation, generate_series(1, 2500) as number
      where bundle_install_id = ${deps.installId}`.execute(db)
    await sql`
      insert into runtime.installed_resource
      select installation.bundle_install_id, 'dev/' || bundle_id || '/MODULE/core', resource.scope_id, kind, resource.title,
        module_id, resource.version, definitions, written_by, properties, verified_at
      from runtime.installation, runtime.installed_resource as resource
      where bundle_id like 'many%' and resource.bundle_install_id = ${deps.installId}`.execute(db)
    const graph = await read('/services/mail')
    await sql`delete from runtime.installed_resource where locator like 'dev/many%'`.execute(db)
    await sql`delete from runtime.installation where bundle_id like 'many%'`.execute(db)
    const count = graph.installations.length + graph.services.length
    assert.equal(count, 1_800)
    assert.equal(graph.more, 2_501 - graph.installations.length)
  })

  it('are found with the indexes of references', async () => {
    const { db } = deps.http.runtime.deps
    await sql`
      insert into runtime.installed_resource
      select bundle_install_id, locator || number, scope_id, kind, title, module_id, version, definitions, written_by,
        '{"name": {"@type": "Data", "value": "x"}}', verified_at
      from runtime.installed_resource, generate_series(1, 5000) as number
      where bundle_install_id = ${deps.installId} and locator = ${CORE}`.execute(db)
    await sql`analyze runtime.installed_resource`.execute(db)
    const query = usersQuery(
      { id: 'ines', name: 'Ines', requestId: 'r', grants: [{ scope: null, permissions: ['read'] }] },
      { serviceIds: ['chat'], known: [], limit: 10 },
    )
    const plan = (await sql<{ 'QUERY PLAN': string }>`explain ${query}`.execute(db)).rows
      .map((row) => row['QUERY PLAN'])
      .join('\n')
    await sql`delete from runtime.installed_resource where properties ->> 'name' is not null`.execute(db)
    assert.match(plan, /installed_resource_services/)
    assert.doesNotMatch(plan, /Seq Scan on installed_resource/)
  })
})
