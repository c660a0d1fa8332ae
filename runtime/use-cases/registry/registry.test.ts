import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { createHash } from 'node:crypto'
import { openDatabase } from '#database/pool.ts'
import { textOf } from '../../testing/http.ts'
import { CORE, ResolveHarness, SCOPE } from '../../testing/resolve.ts'

let deps: ResolveHarness
before(async () => {
  deps = await ResolveHarness.make()
  await deps.putInstallation('ACTIVE')
})
after(() => deps.http.close())

const call: ResolveHarness['http']['call'] = (path, options) => deps.http.call(path, options)
const itemsOf = ({ data }: { data: JsonObject }) => data['items'] as JsonObject[]
const plugin = { title: 'Mailer', endpoint: 'http://127.0.0.1:7000/lifecycle', enabled: true }
const service = {
  title: 'Mail',
  url: 'http://127.0.0.1:9/mail',
  methods: [],
  owner: null,
  consumers: [],
  enabled: true,
}
const reader: Grant[] = [{ permissions: ['read'], scope: { environmentKey: 'test' } }]

describe('plugins', () => {
  const owner = { team: 'Messaging', contact: 'https://chat.example.com/messaging' }

  it('are registered, changed and read', async () => {
    const made = await call('/plugins/mailer', {
      method: 'PUT',
      body: { ...plugin, timeoutMs: 500, maxAttempts: 3, owner },
    })
    assert.deepEqual(made.data, {
      pluginId: 'mailer',
      ...plugin,
      timeoutMs: 500,
      maxAttempts: 3,
      owner,
      check: 'NONE',
      credentials: [],
      retired: null,
      updatedAt: made.data['updatedAt'],
    })
    const changed = await call('/plugins/mailer', { method: 'PUT', body: { ...plugin, enabled: false } })
    assert.deepEqual(changed.data, {
      pluginId: 'mailer',
      ...plugin,
      enabled: false,
      owner: null,
      check: 'NONE',
      credentials: [],
      retired: null,
      updatedAt: changed.data['updatedAt'],
    })
    assert.deepEqual((await call('/plugins/mailer', { grants: reader })).data, changed.data)
    assert.equal((await call('/plugins/nobody')).errorCode, 'NOT_FOUND')
  })

  it('have an owner with a contact that is safe to link to', async () => {
    for (const contact of ['javascript:alert(1)', 'data:text/html,x', '//evil.test', '']) {
      const answer = await call('/plugins/mailer', {
        method: 'PUT',
        body: { ...plugin, owner: { team: 'Messaging', contact } },
      })
      assert.equal(answer.errorCode, 'REQUEST_INVALID', contact)
      assert.match(JSON.stringify(answer.data['details']), /body\.owner\.contact/)
    }
  })

  it('have an endpoint that the deployment allows', async () => {
    for (const endpoint of [
      'http://10.0.0.1/',
      'https://169.254.169.254/',
      'http://[::ffff:10.0.0.1]/',
      'http://0x7f.1:80@evil.test/',
    ]) {
      const answer = await call('/plugins/mailer', { method: 'PUT', body: { ...plugin, endpoint } })
      assert.equal(answer.errorCode, 'REQUEST_INVALID', endpoint)
      assert.match(JSON.stringify(answer.data['details']), /body\.endpoint/)
    }
    const refused = await call('/plugins/mailer', {
      method: 'PUT',
      body: { ...plugin, endpoint: 'http://10.0.0.1/' },
    })
    assert.match(textOf(refused.data['message']), /EGRESS_ALLOW/)
    assert.doesNotMatch(textOf(refused.data['message']), /10\.0\.0\.1/)
  })

  it('cannot have the runtime database as their endpoint', async () => {
    const { host, port } = deps.http.connection
    const loopbackHost = host.startsWith('/') ? '127.0.0.1' : host
    const endpoint = `http://${loopbackHost}:${port}/`
    const answer = await call('/plugins/mailer', { method: 'PUT', body: { ...plugin, endpoint } })
    assert.equal(answer.errorCode, 'REQUEST_INVALID')
    assert.match(textOf(answer.data['message']), /^endpoint: This is an address of the platform itself/)
    assert.equal((answer.data['details'] as JsonObject[])[0]?.['path'], 'body.endpoint')
  })

  it('are listed in pages and found by literal text', async () => {
    for (const name of ['a', 'b', 'c%d']) {
      const body = { ...plugin, title: `Page ${name}` }
      await call(`/plugins/page-${name.charCodeAt(0)}`, { method: 'PUT', body })
    }
    const first = await call('/plugins?q=page&limit=2')
    assert.deepEqual(
      itemsOf(first).map(({ pluginId }) => pluginId),
      ['page-97', 'page-98'],
    )
    const second = await call(`/plugins?q=page&limit=2&cursor=${textOf(first.data['nextCursor'])}`)
    assert.deepEqual(
      itemsOf(second).map(({ pluginId }) => pluginId),
      ['page-99'],
    )
    assert.equal(second.data['nextCursor'], null)
    assert.deepEqual(
      itemsOf(await call('/plugins?q=C%25D')).map(({ pluginId }) => pluginId),
      ['page-99'],
    )
    assert.equal((await call('/plugins?cursor=nonsense')).errorCode, 'REQUEST_INVALID')
  })

  it('have runbooks and links, each error of which is at its place', async () => {
    const runbooks = [
      { errorCode: 'QUOTA_USED_UP', title: 'Raise the quota', url: 'https://wiki.example.com/quota#raise' },
      { errorCode: 'BUSY', title: 'Wait', text: 'It is busy\nat night.', owner: { team: 'Night shift' } },
    ]
    const links = { logs: 'https://logs.example.com/?q={operationId}&from={from}&to={to}' }
    const put = (more: object) =>
      call('/plugins/guided', { method: 'PUT', body: { ...plugin, runbooks, links, ...more } })
    const { data } = await put({})
    assert.deepEqual([data['runbooks'], data['links']], [runbooks, links])
    const refused = async (more: object) => {
      const { errorCode, data: problem } = await put(more)
      assert.equal(errorCode, 'REQUEST_INVALID')
      return (problem['details'] as JsonObject[]).map(({ path }) => path)
    }
    const entry = { errorCode: 'X', title: 'T', text: 'x' }
    assert.deepEqual(await refused({ runbooks: [{ ...entry, url: 'javascript:alert(1)' }] }), [
      'body.runbooks.0.url',
    ])
    assert.deepEqual(await refused({ runbooks: [{ errorCode: 'X', title: 'T' }] }), ['body.runbooks.0.url'])
    assert.deepEqual(await refused({ runbooks: [entry, entry] }), ['body.runbooks.1.errorCode'])
    assert.deepEqual(await refused({ runbooks: [{ ...entry, errorCode: '0' }] }), [
      'body.runbooks.0.errorCode',
    ])
    assert.deepEqual(await refused({ links: { traces: 'https://{traceId}.example.com' } }), [
      'body.links.traces',
    ])
    // a registration without them has none
    const { data: bare } = await call('/plugins/guided', { method: 'PUT', body: plugin })
    assert.deepEqual([bare['runbooks'], bare['links']], [undefined, undefined])
  })
})

describe('plugin credentials', () => {
  it('are shown once, stored only as a hash, and valid two at a time', async () => {
    await call('/plugins/mailer', { method: 'PUT', body: plugin })
    const path = '/plugins/mailer/credentials'
    const first = await call(path, { method: 'POST', body: { reason: 'the first' }, key: 'one' })
    const secret = textOf(first.data['secret'])
    assert(Buffer.from(secret.replace('bpc_', ''), 'base64url').length >= 32)
    const repeat = await call(path, { method: 'POST', body: { reason: 'the first' }, key: 'one' })
    assert.deepEqual(repeat.data, { credentialId: first.data['credentialId'], secret: null })

    const { db } = deps.http.runtime.deps
    const kept = await db
      .selectFrom('runtime.plugin_credential')
      .selectAll()
      .where('plugin_id', '=', 'mailer')
      .execute()
    assert.deepEqual(
      kept.map(({ secret_hash }) => secret_hash),
      [createHash('sha256').update(secret).digest()],
    )
    for (const table of [
      'runtime.idempotency',
      'runtime.audit_entry',
      'runtime.plugin_credential',
    ] as const) {
      const rows = JSON.stringify(await db.selectFrom(table).selectAll().execute())
      assert(!rows.includes(secret) && !rows.includes(secret.slice(4, 20)), table)
    }

    await call(path, { method: 'POST', body: {} })
    const third = await call(path, { method: 'POST', body: {} })
    assert.equal(third.errorCode, 'REQUEST_INVALID')
    assert.match(textOf(third.data['message']), /two valid credentials/)
    const credential = `${path}/${textOf(first.data['credentialId'])}`
    const revoked = await call(credential, { method: 'DELETE' })
    const credentials = revoked.data['credentials'] as JsonObject[]
    assert.deepEqual(
      credentials.map(({ revokedAt }) => revokedAt === null),
      [false, true],
    )
    const again = await call(credential, { method: 'DELETE' })
    assert.deepEqual(again.data, revoked.data, 'revoking again changes nothing')
    assert.equal((await call(path, { method: 'POST', body: {} })).errorCode, '0')
    assert.equal(
      (await call(`/plugins/tenants/credentials/${textOf(first.data['credentialId'])}`, { method: 'DELETE' }))
        .errorCode,
      'NOT_FOUND',
    )
  })

  it('are limited to two, even for concurrent requests', async () => {
    await call('/plugins/raced', { method: 'PUT', body: plugin })
    const requests = Array.from({ length: 6 }, () =>
      call('/plugins/raced/credentials', { method: 'POST', body: {} }),
    )
    const codes = (await Promise.all(requests)).map(({ errorCode }) => errorCode)
    assert.equal(codes.filter((code) => code === '0').length, 2)
  })
})

describe('services', () => {
  it('are owned by a Module of an installation, or by nobody', async () => {
    const owned = (owner: JsonObject | null) =>
      call('/services/owned', { method: 'PUT', body: { ...service, owner } })
    for (const owner of [
      { bundleInstallId: deps.installId, locator: 'dev/crm/MODULE/other' },
      { bundleInstallId: deps.installId, locator: 'dev/crm/GATEWAY/core' },
      { bundleInstallId: '0199f000-0000-7000-8000-000000000001', locator: CORE },
    ]) {
      const answer = await owned(owner)
      assert.equal(answer.errorCode, 'RESOURCE_OWNERSHIP_MISSING')
      assert.equal((answer.data['details'] as JsonObject[])[0]?.['locator'], owner.locator)
    }
    const owner = { bundleInstallId: deps.installId, locator: CORE }
    const answer = await owned(owner)
    assert.deepEqual(answer.data['owner'], owner)
    assert.deepEqual(answer.data['methods'], ['changed', 'created'])
    assert.deepEqual((await owned(null)).data['owner'], null)
  })

  it('have an address that the deployment allows', async () => {
    const answer = await call('/services/far', {
      method: 'PUT',
      body: { ...service, url: 'http://10.0.0.1/' },
    })
    assert.equal(answer.errorCode, 'REQUEST_INVALID')
    assert.match(JSON.stringify(answer.data['details']), /body\.url/)
  })

  it('do not reveal consumers that the person may not see', async () => {
    const unseen = { ...SCOPE, environmentKey: 'unseen' }
    const seen = { ...SCOPE, environmentKey: 'test' }
    await call('/services/shared', { method: 'PUT', body: { ...service, consumers: [unseen, seen] } })
    const listed = itemsOf(await call('/services?q=shared', { grants: reader }))
    const one = (await call('/services/shared', { grants: reader })).data
    assert.deepEqual([listed[0]?.['consumers'], one['consumers']], [[seen], [seen]])
    assert.deepEqual((await call('/services/shared')).data['consumers'], [unseen, seen])
  })

  it('can be listed by what a scope may use', async () => {
    const save = (id: string, fields: JsonObject) =>
      call(`/services/${id}`, { method: 'PUT', body: { ...service, ...fields } })
    await save('for-us', { consumers: [SCOPE] })
    await save('for-others', { consumers: [{ ...SCOPE, workspaceId: 8 }] })
    await save('for-nobody', {})
    await save('for-owner', { owner: { bundleInstallId: deps.installId, locator: CORE } })
    const listed = async (query: string) =>
      itemsOf(await call(`/services?q=&${query}`)).map(({ serviceId }) => serviceId)
    const { environmentKey, applicationRuntimeId, workspaceId } = SCOPE
    const whole = `environmentKey=${environmentKey}&applicationRuntimeId=${applicationRuntimeId}&workspaceId=`
    assert.deepEqual(await listed(whole + workspaceId), ['for-owner', 'for-us'])
    assert.deepEqual(await listed(`${whole}8`), ['for-others'])
    assert.deepEqual(await listed(`environmentKey=${environmentKey}`), ['for-others', 'for-owner', 'for-us'])
    assert((await listed('')).includes('for-nobody'))
  })

  it('and plugins can be listed by a scope that the person may see', async () => {
    const { environmentKey, applicationRuntimeId, workspaceId } = SCOPE
    const listed = async (workspace: number, grants?: Grant[]) =>
      itemsOf(
        await call(
          `/plugins?environmentKey=${environmentKey}&applicationRuntimeId=${applicationRuntimeId}&workspaceId=${workspace}`,
          grants && { grants },
        ),
      ).map(({ pluginId }) => pluginId)
    assert.deepEqual(await listed(workspaceId), ['tenants'])
    assert.deepEqual(await listed(workspaceId + 900), [])
    assert.deepEqual(await listed(workspaceId, reader), [])
  })

  it('and plugins of thousands of installations are found in a large manifest, which is read once (J01)', async () => {
    const { db } = deps.http.runtime.deps
    const environment = 'with-many'
    await db.connection().execute(async (connection) => {
      await sql`set session_replication_role = replica`.execute(connection)
      await sql`
        insert into runtime.bundle_version (bundle_environment_key, bundle_id, version, title, manifest, published_by_id, published_by_name)
        values ('dev', 'large', '1', 'Large', ('{"resources":[' || repeat('{"kind":"MODULE"},', 60000) || '{}],"plugins":[{"pluginId":"tenants"}]}')::json, 'p', 'P')`.execute(
        connection,
      )
      await sql`
        with made as (
          insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
          select ${environment}, 'app', n, 'p', 'P' from generate_series(1, 5000) n returning *)
        insert into runtime.installation (bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
          bundle_environment_key, bundle_id, title, state, version)
        select gen_random_uuid(), scope_id, environment_key, application_runtime_id, workspace_id, 'dev', 'large', 'Large', 'ACTIVE', '1' from made`.execute(
        connection,
      )
      await sql`set session_replication_role = origin`.execute(connection)
    })
    const found = itemsOf(await call(`/plugins?environmentKey=${environment}`))
    assert.deepEqual(
      found.map(({ pluginId }) => pluginId),
      ['tenants'],
    )
    // other tests count what there is
    await sql`delete from runtime.installation where environment_key = ${environment}`.execute(db)
    await sql`delete from runtime.scope where environment_key = ${environment}`.execute(db)
    await sql`delete from runtime.bundle_version where bundle_id = 'large'`.execute(db)
  })

  it('list their referrers, limited to what the person may see', async () => {
    await deps.saveService('mail', {})
    const referrers = await call('/services/mail/referrers?limit=2')
    const rest = await call(`/services/mail/referrers?limit=2&cursor=${textOf(referrers.data['nextCursor'])}`)
    const all = [...itemsOf(referrers), ...itemsOf(rest)]
    assert.deepEqual(
      all.map(({ property }) => property),
      ['alsoMail', 'byCountry', 'inOrder', 'publisher'],
    )
    assert.deepEqual(all[0]?.['installation'], deps.request()['installation'])
    assert.deepEqual(itemsOf(await call('/services/mail/referrers', { grants: reader })), [])
    assert.equal((await call('/services/nobody/referrers')).errorCode, 'NOT_FOUND')
  })

  it('do not reveal an owner that the person may not see', async () => {
    const owner = { bundleInstallId: deps.installId, locator: CORE }
    await call('/services/hidden-owner', { method: 'PUT', body: { ...service, owner } })
    const ownerFor = async (grants: Grant[]) => [
      itemsOf(await call('/services?q=hidden-owner', { grants }))[0]?.['owner'],
      (await call('/services/hidden-owner', { grants })).data['owner'],
    ]
    assert.deepEqual(await ownerFor(reader), [null, null])
    assert.deepEqual(await ownerFor([{ permissions: ['audit:read'], scope: SCOPE }, ...reader]), [null, null])
    assert.deepEqual(await ownerFor([{ permissions: ['read'], scope: SCOPE }]), [owner, owner])
  })

  it('match no filter for a scope that the person may not see', async () => {
    const neighbor = { ...SCOPE, workspaceId: 9 }
    const owner = { bundleInstallId: deps.installId, locator: CORE }
    const save = (id: string, fields: JsonObject) =>
      call(`/services/oracle-${id}`, { method: 'PUT', body: { ...service, ...fields } })
    await save('consumer', { consumers: [SCOPE, neighbor] })
    await save('owner', { owner })
    const listed = async (place: Partial<typeof SCOPE>, grants: Grant[]) => {
      const query = new URLSearchParams({ q: 'oracle-' })
      for (const [name, value] of Object.entries(place)) query.set(name, String(value))
      return itemsOf(await call(`/services?${query.toString()}`, { grants })).map(
        ({ serviceId }) => serviceId,
      )
    }
    const { environmentKey, applicationRuntimeId, workspaceId } = SCOPE
    const filters = [
      SCOPE,
      { environmentKey },
      { applicationRuntimeId },
      { workspaceId },
      { environmentKey, workspaceId },
    ]
    for (const filter of filters) {
      assert.deepEqual(await listed(filter, reader), [], JSON.stringify(filter))
      const inPlace: Grant[] = [{ permissions: ['read'], scope: SCOPE }]
      assert.deepEqual(await listed(filter, inPlace), ['oracle-consumer', 'oracle-owner'])
    }
    const inNeighbor: Grant[] = [{ permissions: ['read'], scope: neighbor }]
    assert.deepEqual(await listed(SCOPE, inNeighbor), [])
    assert.deepEqual(await listed({ environmentKey }, inNeighbor), ['oracle-consumer'])
    assert.deepEqual(await listed({}, inNeighbor), ['oracle-consumer', 'oracle-owner'])
  })

  it('have no referrers for a person without any read permission', async () => {
    const answer = await call('/services/nobody/referrers', {
      grants: [{ permissions: ['audit:read'], scope: null }],
    })
    assert.equal(answer.errorCode, 'PERMISSION_DENIED')
  })
})

for (const [name, registration] of [
  ['plugins', plugin],
  ['services', service],
] as const) {
  describe(`registrations of ${name}`, () => {
    const put = (id: string, fields: JsonObject) =>
      call(`/${name}/${id}`, { method: 'PUT', body: { ...registration, ...fields } })
    const read = async (id: string) => (await call(`/${name}/${id}`)).data

    it('are not replaced by one that must be new, also if both arrive at once', async () => {
      const results = await Promise.all(
        ['First', 'Second'].map((title) => put('once', { title, expected: null })),
      )
      const refused = results.find(({ errorCode }) => errorCode !== '0')
      assert.equal(results.filter(({ errorCode }) => errorCode === '0').length, 1)
      assert.equal(refused?.errorCode, 'REGISTRATION_EXISTS')
      const param = name === 'plugins' ? 'pluginId' : 'serviceId'
      const [detail] = (refused?.data['details'] ?? []) as JsonObject[]
      assert.equal(detail?.['path'], `path.${param}`)
      const kept = await read('once')
      assert.equal((await put('once', { title: 'Third', expected: null })).errorCode, 'REGISTRATION_EXISTS')
      assert.deepEqual(await read('once'), kept)
    })

    it('are not changed on the basis of an older one', async () => {
      const { updatedAt } = (await put('edited', {})).data
      const newer = await put('edited', { title: 'Newer', expected: updatedAt ?? null })
      assert.equal(newer.errorCode, '0')
      const stale = await put('edited', { title: 'Stale', expected: updatedAt ?? null })
      assert.equal(stale.errorCode, 'REGISTRATION_STALE')
      assert.equal((await put('missing', { expected: updatedAt ?? null })).errorCode, 'REGISTRATION_STALE')
      assert.deepEqual(await read('edited'), newer.data)
      assert.equal((await put('edited', { title: 'Any' })).errorCode, '0')
    })

    it('can be disabled although their address is not allowed any more', async () => {
      const [table, column] = name === 'plugins' ? ['plugin', 'endpoint'] : ['service', 'url']
      await put('moved', {})
      const address = { [column]: 'http://10.0.0.1/hook' }
      const database = openDatabase(deps.http.connection)
      await sql`update ${sql.table(`runtime.${table}`)} set ${sql.ref(column)} = 'http://10.0.0.1/hook'
        where ${sql.ref(`${table}_id`)} = 'moved'`.execute(database.db)
      await database.close()
      assert.equal((await put('moved', { ...address, title: 'Enabled' })).errorCode, 'REQUEST_INVALID')
      assert.equal((await put('moved', { ...address, enabled: false })).errorCode, '0')
      const other = { [column]: 'http://10.0.0.2/hook' }
      assert.equal((await put('moved', { ...other, enabled: false })).errorCode, 'REQUEST_INVALID')
    })
  })
}
