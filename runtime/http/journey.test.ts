import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { openDatabase } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import { SAMPLE_BODIES } from '../testing/rows.ts'
import { until } from '../testing/stream.ts'
import { testingPlugin } from '../testing/plugin.ts'
import type { TestingPlugin } from '../testing/plugin.ts'
import { CORE, crm, SCOPE } from '../testing/bundles.ts'
import { readTestAnswer, RESOLVE, testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'

// The whole path over HTTP, with a worker, a real plugin and a role that owns nothing in the database; every response is checked
// against its row's schema.

let http: TestHttp
let plugin: TestingPlugin
let server: TestDatabase
const role = `app_${randomBytes(4).toString('hex')}`
before(async () => {
  plugin = await testingPlugin()
  server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
  await asOwner(`create schema bff; ${await statementsOfRole()}`)
  const connection = { ...server.connection, user: role, password: '…' }
  http = await testHttp({ connection, worker: { pollMs: 100 } })
})
after(async () => {
  await http.close()
  await plugin.close()
  await asOwner(`drop owned by ${role}; drop role ${role}`)
  await server.close()
})

async function asOwner(statements: string): Promise<void> {
  const { pool, close } = openDatabase(server.connection, { max: 1 })
  await pool.query(statements).finally(close)
}

/** The role of the documentation that owns nothing, under another name, because roles belong to the whole server. */
async function statementsOfRole(): Promise<string> {
  const page = await readFile(new URL('../../docs/operating/postgresql.md', import.meta.url), 'utf8')
  const [, statements = ''] = /```sql\n(create role bundle_console_app [^`]+)```/.exec(page) ?? []
  return statements
    .replaceAll('bundle_console_app', role)
    .replaceAll('bundle_console', server.connection.user)
}

const SECRET = 'a-sensitive-value'
const configuration = fillPath(
  '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
  { ...SCOPE },
)
const itemsOf = ({ data }: { data: JsonObject }) => data['items'] as JsonObject[]
let installId = ''
let operationId = ''
let credentialId = ''

async function ended(id: string): Promise<JsonObject> {
  let data: JsonObject = {}
  await until(async () => {
    data = (await http.call(`/operations/${id}`)).data
    return ['SUCCEEDED', 'FAILED', 'TAKEN_OVER'].includes(textOf(data['state']))
  })
  return data
}

async function ok(path: string, method: string, body: JsonObject): Promise<JsonObject> {
  const answer = await http.call(path, { method, body })
  assert.equal(answer.errorCode, '0', JSON.stringify(answer.json))
  return answer.data
}

describe('a bundle', () => {
  it('is installed, with a plugin that resolves its reference after the resources', async () => {
    await ok('/plugins/tenants', 'PUT', {
      title: 'Tenants',
      endpoint: plugin.endpoint('tenants'),
      enabled: true,
    })
    const credential = await ok('/plugins/tenants/credentials', 'POST', {})
    credentialId = textOf(credential['credentialId'])
    const service = {
      title: 'Mail',
      url: 'http://127.0.0.1:9/mail',
      methods: ['send'],
      owner: null,
      consumers: [{ ...SCOPE }],
    }
    await ok('/services/mail', 'PUT', { ...service, enabled: true })
    const resolved: string[] = []
    plugin.script(async ({ stage, request }) => {
      const answer = await http.send(RESOLVE, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${textOf(credential['secret'])}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          contractVersion: '4.0.0',
          installation: request.installation,
          resource: CORE,
          propertyKey: 'publisher',
        }),
      })
      resolved.push(`${request.operation.operationType} ${stage} ${(await readTestAnswer(answer)).errorCode}`)
      const resources = stage === 'AFTER_RESOURCES' ? { [CORE]: { tenantId: wrapData('t-1') } } : {}
      return { outcome: 'APPLIED', resources }
    })

    await ok('/bundles/dev/crm/versions/1.0.0', 'PUT', crm as unknown as JsonObject)
    const started = await ok('/installations', 'POST', {
      scope: { ...SCOPE },
      bundle: { ...crm.bundle },
      targetVersion: '1.0.0',
      properties: {
        [CORE]: {
          name: wrapData('Acme'),
          password: wrapData(SECRET),
          publisher: { '@type': 'ServiceReference', serviceId: 'mail' },
        },
      },
      reason: 'the first customer',
    })
    operationId = textOf((started['operation'] as JsonObject)['operationId'])
    const operation = await ended(operationId)
    assert.equal(operation['state'], 'SUCCEEDED', JSON.stringify(operation['failure']))
    installId = textOf((operation['installation'] as JsonObject)['bundleInstallId'])
    assert.deepEqual(resolved, [
      'INSTALL BEFORE_RESOURCES INSTALLATION_NOT_ACTIVE',
      'INSTALL AFTER_RESOURCES 0',
    ])
  })

  it('is configured by one CONFIGURE of its owner, and saved once per key', async () => {
    const { data: before } = await http.call(configuration)
    const body = {
      snapshotVersion: Number(before['snapshotVersion']),
      changes: { [CORE]: { name: wrapData('Acme & Co') } },
    }
    assert.equal((await http.call(`${configuration}/plan`, { method: 'POST', body })).errorCode, '0')
    const save = { method: 'PATCH', body, key: 'save-once' }
    const [saved, repeat] = await Promise.all([
      http.call(configuration, save),
      http.call(configuration, save),
    ])
    assert.equal(saved.errorCode, '0', JSON.stringify(saved.json))
    assert.deepEqual(repeat.json, saved.json)
    const [operation] = saved.data['operations'] as JsonObject[]
    assert.equal((await ended(textOf(operation?.['operationId'])))['state'], 'SUCCEEDED')
    const stale = await http.call(configuration, { ...save, key: 'another' })
    assert.equal(stale.errorCode, 'CONFIGURATION_SNAPSHOT_STALE')
  })

  it('shows every page, in the shape of the contract and without a secret (G02)', async () => {
    const places = {
      ...SCOPE,
      bundleInstallId: installId,
      operationId,
      bundleId: 'crm',
      version: '1.0.0',
      snapshotVersion: 1,
      serviceName: 'search',
      pluginId: 'tenants',
      credentialId,
      serviceId: 'mail',
    }
    await ok(`${configuration.replace('configuration', 'local-services')}/search`, 'PUT', {
      values: { a: 1 },
      version: 0,
    })
    // its only item is refused, because the operation has not failed
    const { batch } = await ok('/batches', 'POST', {
      action: 'RETRY',
      title: 'Retry all',
      targets: [operationId],
      reason: 'A test',
    })
    for (const name of [
      'PUT /plugins/{pluginId}/reports/{version}',
      'PUT /plugin-policies/{environmentKey}',
    ] as const)
      await ok(fillPath(splitName(name).path, places), 'PUT', SAMPLE_BODIES[name] ?? {})
    await ok('/freezes/year-end', 'PUT', {
      environments: [SCOPE.environmentKey],
      from: '2026-01-01T00:00:00.000Z',
      to: '9999-01-01T00:00:00.000Z',
      timeZone: 'UTC',
      blocks: ['TAKEOVER'],
      message: 'Year end',
    })
    await ok('/change-policies/other', 'PUT', { requiredFor: ['DETACH'], approvals: 1, updatedAt: null })
    const { changeRequest } = await ok('/change-requests', 'POST', {
      kind: 'DETACH',
      title: 'Detach it',
      submit: true,
      input: { bundleInstallId: installId },
    })
    const { webhook } = await ok('/webhooks', 'POST', {
      title: 'On call',
      url: 'http://127.0.0.1:9/hook',
      events: ['operation.failed'],
      scope: null,
      retryingAfterMinutes: 30,
    })
    const webhookId = textOf((webhook as JsonObject)['webhookId'])
    await ok(`/webhooks/${webhookId}/test`, 'POST', {})
    // a failure elsewhere, which the person who started it is notified of
    plugin.script(() => ({ outcome: 'FAILED' }))
    const failing = await ok('/installations', 'POST', {
      scope: { ...SCOPE, workspaceId: 8 },
      bundle: { ...crm.bundle },
      targetVersion: '1.0.0',
      properties: { [CORE]: { name: wrapData('Other'), password: wrapData(SECRET) } },
    })
    const failed = textOf((failing['operation'] as JsonObject)['operationId'])
    assert.equal((await ended(failed))['state'], 'FAILED')
    plugin.script(() => ({ outcome: 'APPLIED' }))
    await ok('/follows', 'PUT', { subject: { kind: 'operation', operationId: failed } })
    await ok(`/scopes/${SCOPE.environmentKey}/${SCOPE.applicationRuntimeId}/8/pause`, 'POST', {
      reason: 'A test',
    })
    const { causes } = (await http.call('/causes')).data
    const [cause] = causes as JsonObject[]
    const params = {
      ...places,
      batchId: textOf((batch as JsonObject)['batchId']),
      webhookId,
      name: 'year-end',
      causeId: textOf(cause?.['causeId']),
      changeRequestId: textOf((changeRequest as JsonObject)['changeRequestId']),
    }
    const queries: Partial<Record<EndpointName, string>> = {
      'GET /calendar': '?from=2026-11-30&days=35&timeZone=UTC',
      'GET /installed-properties': '?q=name',
      'GET /properties': '?bundleId=crm&kind=MODULE&resource=core&property=password',
      'GET /operations/{operationId}/attempts': '?stage=BEFORE_RESOURCES&pluginId=tenants',
    }
    const rows = Object.entries(runtimeApi) as [EndpointName, EndpointRow][]
    for (const [name, row] of rows) {
      const { method, path } = splitName(name)
      if (method !== 'GET' || row.answers === 'events') continue
      // the bundle's environment differs from that of the scope
      const environmentKey = path.startsWith('/bundles') ? 'dev' : SCOPE.environmentKey
      const query = queries[name] ?? ''
      const answer = await http.call(fillPath(path, { ...params, environmentKey }) + query)
      assert.equal(answer.errorCode, '0', `${name}: ${JSON.stringify(answer.json)}`)
      assert.doesNotMatch(JSON.stringify(answer.json), new RegExp(SECRET), name)
      if (Array.isArray(answer.data['items']) && !name.includes('referrers') && name !== 'GET /troubles')
        // nothing refers to the service, and the platform works
        assert(itemsOf(answer).length > 0, `${name} lists something`)
    }
  })

  it('is hidden from a person of another scope (G02)', async () => {
    const grants = [{ permissions: [...PERMISSIONS], scope: { environmentKey: 'test' } }]
    for (const path of ['/installations', '/operations', '/scopes', '/audit', '/services/mail/referrers'])
      // another person: their own batches are in the audit that they see
      assert.deepEqual(itemsOf(await http.call(path, { grants, actor: 'eve' })), [], path)
    const { data } = await http.call('/summary', { grants })
    assert.deepEqual(data['installations'], { NOT_INSTALLED: 0, ACTIVE: 0, DETACHED: 0 })
    for (const path of [`/installations/${installId}`, `/operations/${operationId}`])
      assert.equal((await http.call(path, { grants })).errorCode, 'NOT_FOUND')
  })

  it('is counted where it is visible', async () => {
    const grants = [{ permissions: ['read' as const], scope: { ...SCOPE } }]
    const { data } = await http.call('/summary', { grants })
    assert.deepEqual(data['installations'], { NOT_INSTALLED: 0, ACTIVE: 1, DETACHED: 0 })
    assert.equal((data['operations'] as JsonObject)['SUCCEEDED'], 2)
    assert.deepEqual(data['claims'], [])
    const [scope, ...others] = itemsOf(await http.call('/scopes', { grants }))
    assert.deepEqual(others, [])
    assert.equal(scope?.['installations'], 1)
    assert.equal(scope?.['claimed'], 0)
  })

  it('is refused to a person who may only read, and the audit of its scope records that', async () => {
    const grants = [{ permissions: ['read' as const], scope: { ...SCOPE } }]
    const body = { reason: 'I want to' }
    const denied = await http.call(`/installations/${installId}/detach`, {
      method: 'POST',
      body,
      grants,
      actor: 'eve',
    })
    assert.equal(denied.errorCode, 'PERMISSION_DENIED')
    const auditor = [{ permissions: ['audit:read' as const], scope: { ...SCOPE } }]
    const [entry] = itemsOf(await http.call('/audit?actor=eve', { grants: auditor }))
    assert.equal(entry?.['outcome'], 'REFUSED')
    assert.equal(entry?.['action'], 'installation.detach')
    assert.equal(entry?.['bundleInstallId'], installId)
    assert.deepEqual(entry?.['scope'], SCOPE)
    const entries = itemsOf(await http.call('/audit?limit=200', { grants: auditor }))
    const seen = new Set(entries.map(({ action }) => action))
    assert(
      seen.has('installation.install') && !seen.has('plugin.save'),
      'platform-wide entries are not theirs',
    )
  })

  it('is detached, and its references no longer resolve', async () => {
    const answer = await ok(`/installations/${installId}/detach`, 'POST', { reason: 'they left us' })
    const operation = await ended(textOf((answer['operation'] as JsonObject)['operationId']))
    assert.equal(operation['state'], 'SUCCEEDED', JSON.stringify(operation['failure']))
    assert.equal((await http.call(`/installations/${installId}`)).data['state'], 'DETACHED')
  })
})
