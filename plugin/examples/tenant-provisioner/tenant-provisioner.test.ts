import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { sendRequest } from '#plugin-sdk/testing/send-request.ts'
import { lifecycleRequest, LOCATOR, type RequestOptions } from '#plugin-sdk/testing/lifecycle-request.ts'
import { ISSUER, runtimeTokens } from '#plugin-sdk/testing/runtime-tokens.ts'
import { createTenantProvisioner } from './tenant-provisioner.ts'
import type { Tenant } from './tenants.ts'

const PLATFORM = 'http://platform.invalid'

// The plugin's own responses; the assertions check their shape.
const asTenants = (json: unknown): Tenant[] => (json as { tenants: Tenant[] }).tenants

async function running(t: TestContext, dataDir = mkdtempSync(join(tmpdir(), 'tenants-'))) {
  const options = { dataDir, platformApiBase: PLATFORM, verify: false }
  const { url, close } = await createTenantProvisioner(options).listen()
  t.after(() => close())
  return {
    dataDir,
    close,
    send: (request: RequestOptions) => sendRequest(`${url}/lifecycle`, lifecycleRequest(request)),
    tenants: async () => asTenants(await (await fetch(`${url}/tenants`)).json()),
  }
}

const install: RequestOptions = {}
const configure = (executionSequence: number, values: RequestOptions['values']): RequestOptions => ({
  operationId: `configure-${executionSequence}`,
  operationType: 'CONFIGURE',
  executionSequence,
  ...(values === undefined ? {} : { values }),
})

test('INSTALL creates one tenant, writes its id and its token, and verifies it', async (t) => {
  const { send, tenants } = await running(t)
  const first = await send(install)
  const { tenantId, accessToken } = first.response?.resources[LOCATOR] ?? {}
  assert.equal(first.response?.outcome, 'APPLIED')
  assert.equal(accessToken?.isSensitive, true)
  assert.equal(tenantId?.isSensitive, undefined)
  assert.equal((await send(install)).body, first.body)
  const after = await send({ stage: 'AFTER_RESOURCES' })
  assert.equal(after.response?.outcome, 'VERIFIED')
  const list = await tenants()
  assert.equal(list.length, 1)
  assert.equal(list[0]?.tenantId, tenantId?.value)
  assert.equal(list[0]?.seats, 7)
  assert.ok(!JSON.stringify(list).includes(String(accessToken?.value)))
})

test('each installation has its own token', async (t) => {
  const { send } = await running(t)
  const tokenOf = async (bundleInstallId: string, operationId: string) =>
    (await send({ bundleInstallId, operationId })).response?.resources[LOCATOR]?.['accessToken']?.value
  assert.notEqual(await tokenOf('install-1', 'operation-1'), await tokenOf('install-2', 'operation-2'))
})

test('CONFIGURE changes the terms, and returns NOT_APPLIED if nothing changes', async (t) => {
  const { send, tenants } = await running(t)
  const installed = await send(install)
  const terms = { displayName: 'Northwind', plan: 'team', seats: 7 }
  assert.equal((await send(configure(2, terms))).response?.outcome, 'NOT_APPLIED')
  const changed = await send(configure(3, { ...terms, plan: 'enterprise', seats: 90 }))
  assert.equal(changed.response?.outcome, 'APPLIED')
  assert.deepEqual(changed.response?.resources, installed.response?.resources)
  assert.equal((await tenants())[0]?.plan, 'enterprise')
  assert.equal((await send(configure(2, terms))).response?.outcome, 'NOT_APPLIED')
  assert.equal((await tenants())[0]?.seats, 90)
})

test('tenants and remembered responses survive a restart', async (t) => {
  const before = await running(t)
  const first = await before.send(install)
  await before.close()
  const after = await running(t, before.dataDir)
  assert.equal((await after.send(install)).body, first.body)
  assert.equal((await after.tenants()).length, 1)
})

test('DETACH removes the tenant after the resources, and a delayed call does not bring it back', async (t) => {
  const { send, tenants } = await running(t)
  await send(install)
  const detach: RequestOptions = { operationId: 'detach', operationType: 'DETACH', executionSequence: 3 }
  assert.equal((await send(detach)).response?.outcome, 'NOT_APPLIED')
  assert.equal((await tenants())[0]?.state, 'ACTIVE')
  assert.equal((await send({ ...detach, stage: 'AFTER_RESOURCES' })).response?.outcome, 'APPLIED')
  const late = await send(configure(2, { displayName: 'Late' }))
  assert.equal(late.errorCode, 'EXECUTION_SEQUENCE_STALE')
  assert.deepEqual(
    (await tenants()).map(({ state, displayName }) => ({ state, displayName })),
    [{ state: 'REMOVED', displayName: 'Northwind' }],
  )
})

test('DETACH succeeds for an installation that never existed', async (t) => {
  const { send } = await running(t)
  const detach: RequestOptions = { operationType: 'DETACH', stage: 'AFTER_RESOURCES' }
  assert.equal((await send(detach)).response?.outcome, 'NOT_APPLIED')
})

test('an upgrade that drops the Module removes its tenant', async (t) => {
  const { send, tenants } = await running(t)
  await send(install)
  const upgrade: RequestOptions = { operationId: 'u', operationType: 'UPGRADE', executionSequence: 2 }
  assert.equal((await send({ ...upgrade, action: 'DETACH' })).response?.outcome, 'APPLIED')
  assert.equal((await tenants())[0]?.state, 'REMOVED')
})

test('AFTER_RESOURCES fails permanently if the tenant is not as provisioned', async (t) => {
  const { send } = await running(t)
  await send(install)
  const values = { displayName: 'Somebody else' }
  const after = await send({ stage: 'AFTER_RESOURCES', values })
  assert.equal(after.errorCode, 'TENANT_NOT_AS_PROVISIONED')
  assert.equal(after.failure?.retryable, false)
})

test('nothing happens without a token of the runtime', async (t) => {
  const { keys, sign } = await runtimeTokens()
  const dataDir = mkdtempSync(join(tmpdir(), 'tenants-'))
  const plugin = createTenantProvisioner({ dataDir, platformApiBase: PLATFORM, issuer: ISSUER, verify: keys })
  const request = lifecycleRequest()
  const { url, close } = await plugin.listen()
  t.after(() => close())
  assert.equal((await sendRequest(`${url}/lifecycle`, request)).status, 401)
  assert.equal(
    (await sendRequest(`${url}/lifecycle`, request, await sign(request))).response?.outcome,
    'APPLIED',
  )
})
