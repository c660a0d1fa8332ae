import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { testHttp, textOf } from '../../testing/http.ts'
import type { TestHttp } from '../../testing/http.ts'
import { crm } from '../../testing/bundles.ts'
import { newestVersionOf } from '../../store/catalog/versions.ts'

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

const manifest = crm as unknown as JsonObject
const pathOf = (bundleId: string, version: string) => `/bundles/dev/${bundleId}/versions/${version}`
const publish = (bundleId: string, version: string, changes: JsonObject = {}) =>
  http.call(pathOf(bundleId, version), {
    method: 'PUT',
    body: { ...manifest, bundle: { environmentKey: 'dev', bundleId }, version, ...changes },
  })
const itemsOf = ({ data }: { data: JsonObject }) => data['items'] as JsonObject[]

describe('the catalog', () => {
  it('publishes a version once, and returns the manifest as it was published', async () => {
    const first = await publish('crm', '1.0.0')
    assert.equal(first.errorCode, '0')
    assert.deepEqual(first.data['publishedBy'], { id: 'ada', name: 'ada' })
    assert.deepEqual((await http.call(pathOf('crm', '1.0.0'))).data, manifest)
    assert.deepEqual((await publish('crm', '1.0.0')).json, first.json, 'the same again is the same')
    const inOtherOrder = await http.call(pathOf('crm', '1.0.0'), {
      method: 'PUT',
      body: Object.fromEntries(Object.entries(manifest).toReversed()),
    })
    assert.deepEqual(inOtherOrder.json, first.json)
    const forEditors = await publish('crm', '1.0.0', { $schema: './node_modules/schema.json' })
    assert.deepEqual(forEditors.json, first.json)
    assert.equal((await publish('crm', '1.0.0', { title: 'Other' })).errorCode, 'VERSION_EXISTS')
    assert.deepEqual((await http.call(pathOf('crm', '1.0.0'))).data, manifest)
    assert.equal((await http.call(pathOf('crm', '9'))).errorCode, 'NOT_FOUND')
    const audit = itemsOf(await http.call('/audit?action=bundle.publish'))
    assert.deepEqual(
      audit.map(({ outcome, subject }) => [outcome, subject]),
      [
        ['REFUSED', 'dev/crm 1.0.0'],
        ['DONE', 'dev/crm 1.0.0'],
      ],
    )
  })

  it('publishes a Module with very many properties, each of which is read once (J01)', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `p${at}`)
    const properties = Object.fromEntries(names.map((name) => [name, { kind: 'DATA', schema: true }]))
    const module = { kind: 'MODULE', name: 'wide', moduleId: 'wide', title: 'Wide', properties }
    const answer = await publish('wide', '1.0.0', { resources: [module], plugins: [] })
    assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  })

  it('finds the newest of thousands of versions without reading them, also behind recalled ones (J01)', async () => {
    const { db } = http.runtime.deps
    await publish('often', '1.0.0')
    const make = (major: number, standing: string | null) =>
      sql`
      insert into runtime.bundle_version (bundle_environment_key, bundle_id, version, title, manifest, published_by_id, published_by_name, standing)
      select 'dev', 'often', ${`${major}.0.`} || n, 'Often', '{}', 'ada', 'ada', ${standing} from generate_series(1, 3000) n`.execute(
        db,
      )
    await make(0, null)
    await make(2, 'RECALLED')
    await sql`analyze runtime.bundle_version`.execute(db)
    const newest = sql`select newest.version from (select 'dev' as bundle_environment_key, 'often' as bundle_id) as bundle
      cross join lateral ${newestVersionOf('bundle')} as newest`
    assert.deepEqual((await newest.execute(db)).rows, [{ version: '1.0.0' }])
    const plan = await sql`explain (analyze, costs off, timing off, summary off) ${newest}`.execute(db)
    assert.doesNotMatch(JSON.stringify(plan.rows), /rows=\d{2}|Rows Removed/)
    await sql`delete from runtime.bundle_version where bundle_id = 'often'`.execute(db)
  })

  it('returns the first response also for a manifest that later rules refuse', async () => {
    const first = await publish('older', '1.0.0')
    const patterns = Array.from({ length: 20 }, (_, at) => ({ pattern: `^${at}${'a'.repeat(1000)}$` }))
    const [module, ...others] = manifest['resources'] as JsonObject[]
    const large = { kind: 'DATA', schema: { anyOf: patterns } }
    const properties = { ...(module?.['properties'] as JsonObject), large }
    const changes: JsonObject = { resources: [{ ...module, properties }, ...others] }
    assert.equal((await publish('older', '1.0.0', changes)).errorCode, 'MANIFEST_INVALID')
    await http.runtime.deps.db
      .updateTable('runtime.bundle_version')
      .set({
        manifest: JSON.stringify({
          ...manifest,
          bundle: { environmentKey: 'dev', bundleId: 'older' },
          ...changes,
        }),
      })
      .where('bundle_id', '=', 'older')
      .execute()
    assert.deepEqual((await publish('older', '1.0.0', changes)).json, first.json)
  })

  it('keeps shared definitions as they were published', async () => {
    const [module, ...others] = manifest['resources'] as JsonObject[]
    const changes: JsonObject = {
      $defs: { port: { type: 'integer', title: 'Port' } },
      resources: [
        {
          ...module,
          properties: {
            ...(module?.['properties'] as JsonObject),
            port: { kind: 'DATA', schema: { $ref: '#/$defs/port' }, default: 80 },
          },
        },
        ...others,
      ],
    }
    assert.equal((await publish('shared', '1.0.0', changes)).errorCode, '0')
    const { data } = await http.call(pathOf('shared', '1.0.0'))
    assert.deepEqual([data['$defs'], data['resources']], [changes['$defs'], changes['resources']])
    assert.equal((await publish('shared', '1.0.0', changes)).errorCode, '0')
    const refused = await publish('shared', '2.0.0', { ...changes, $defs: {} })
    assert.equal(refused.errorCode, 'MANIFEST_INVALID')
  })

  it('refuses an inconsistent manifest, with every reason at its place', async () => {
    const resources = (manifest['resources'] as JsonObject[]).map((resource) => ({ ...resource }))
    const [plugin] = manifest['plugins'] as JsonObject[]
    const [entry] = (plugin?.['resources'] ?? []) as JsonObject[]
    const broken: [string, JsonObject, RegExp][] = [
      ['a module twice', { resources: [...resources, ...resources] }, /same kind and name|more than once/],
      ['an unknown plugin field', { plugins: [{ ...plugin, color: 'red' }] }, /color/],
      [
        'a compiled authorization where an author entry belongs',
        { plugins: [{ ...plugin, resources: [{ ...entry, resource: 'dev/crm/MODULE/core' }] }] },
        /resource/,
      ],
      [
        'the protected property in writeProperties',
        { plugins: [{ ...plugin, resources: [{ ...entry, writeProperties: ['instanceRefProperty'] }] }] },
        /protected/,
      ],
    ]
    for (const [what, changes, reported] of broken) {
      const answer = await publish('broken', '1', changes)
      assert.equal(answer.errorCode, 'MANIFEST_INVALID', what)
      assert.match(JSON.stringify(answer.data['details']), reported, what)
    }
    assert.equal((await http.call('/bundles/dev/broken/versions')).errorCode, 'NOT_FOUND')
  })

  it('refuses a manifest that names another bundle or version than the path (G03)', async () => {
    const answer = await http.call(pathOf('elsewhere', '2'), { method: 'PUT', body: manifest })
    assert.equal(answer.errorCode, 'MANIFEST_INVALID')
    const details = answer.data['details'] as JsonObject[]
    assert.deepEqual(
      details.map(({ path }) => path),
      ['/bundle/bundleId', '/version'],
    )
  })

  it('can be limited to one environment', async () => {
    const grants = [{ permissions: ['catalog:write' as const], scope: { environmentKey: 'test' } }]
    const answer = await http.call(pathOf('crm', '3'), { method: 'PUT', body: manifest, grants })
    assert.equal(answer.errorCode, 'PERMISSION_DENIED')
  })

  it('lists bundles and their versions in pages', async () => {
    // not in their order
    for (const version of ['10', '9', '10-rc', '1.0.1', '11-rc'])
      await publish('paged-a', version, { title: `A ${version}` })
    await publish('paged-b', '1', { title: 'B' })
    const bundles = await http.call('/bundles?q=paged&limit=1')
    assert.equal(itemsOf(bundles)[0]?.['versions'], 5)
    assert.equal(itemsOf(bundles)[0]?.['title'], 'A 10')
    assert.equal(((itemsOf(bundles)[0]?.['latest'] ?? {}) as JsonObject)['version'], '10')
    const next = await http.call(`/bundles?q=paged&limit=1&cursor=${textOf(bundles.data['nextCursor'])}`)
    assert.deepEqual(
      itemsOf(next).map(({ title }) => title),
      ['B'],
    )
    assert.equal(next.data['nextCursor'], null)

    const seen: unknown[] = []
    let cursor = ''
    for (let page = 0; page < 5; page++) {
      const answer = await http.call(`/bundles/dev/paged-a/versions?limit=1&cursor=${cursor}`)
      seen.push(...itemsOf(answer).map(({ version }) => version))
      cursor = textOf(answer.data['nextCursor'] ?? '')
    }
    assert.deepEqual(seen, ['11-rc', '10', '10-rc', '9', '1.0.1'])
    assert.equal(cursor, '')
    for (const wrong of [
      'nonsense',
      Buffer.from('["x","y","z"]').toString('base64url'),
      Buffer.from('["x",1e99,"y"]').toString('base64url'),
    ])
      assert.equal(
        (await http.call(`/bundles/dev/paged-a/versions?cursor=${wrong}`)).errorCode,
        'REQUEST_INVALID',
      )
  })
})
