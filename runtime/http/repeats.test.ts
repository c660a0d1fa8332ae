import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { billing, SCOPE } from '../testing/bundles.ts'
import { testHttp, textOf } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

it('a repeated write to an object is answered only to a person who may still make it', async () => {
  const { bundle, version } = billing
  await http.call(`/bundles/${bundle.environmentKey}/${bundle.bundleId}/versions/${version}`, {
    method: 'PUT',
    body: billing as unknown as JsonObject,
  })
  const made = await http.call('/installations', {
    method: 'POST',
    body: { scope: { ...SCOPE }, bundle: { ...bundle }, targetVersion: version },
  })
  const { installation } = made.data['installation'] as { installation: JsonObject }
  const path = `/installations/${textOf(installation['bundleInstallId'])}/detach`
  const detach = (grants: Grant[]) =>
    http.call(path, { method: 'POST', body: { reason: 'old' }, key: 'one', grants })
  const operator: Grant[] = [{ permissions: ['read', 'installation:detach'], scope: SCOPE }]

  const first = await detach(operator)
  assert.equal(first.errorCode, 'OPERATION_IN_PROGRESS')
  assert.deepEqual((await detach(operator)).json, first.json)
  assert.equal((await detach([{ permissions: ['read'], scope: SCOPE }])).errorCode, 'PERMISSION_DENIED')
  const elsewhere = { ...SCOPE, workspaceId: 8 }
  assert.equal((await detach([{ ...operator[0]!, scope: elsewhere }])).errorCode, 'NOT_FOUND')
})
