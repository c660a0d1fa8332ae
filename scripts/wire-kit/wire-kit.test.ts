import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { AccessResolutionRequest, AccessResolutionResponse } from '#contract/protocol/access-resolution.ts'
import { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { readEnvelope } from '#contract/protocol/envelope.ts'
import { LifecycleRequest, LifecycleResponse } from '#contract/protocol/lifecycle.ts'
import {
  AuthorizationReadRequest,
  EventDeclarationsRequest,
  EventDeclarationsResponse,
} from '#contract/protocol/plugin-reads.ts'
import { CREDENTIAL, goldenExchanges, ISSUER, type Exchange } from './exchanges.ts'
import { wireKitFiles } from './files.ts'

const files = wireKitFiles()
const schemas = Object.entries(files)
  .filter(([path]) => path.startsWith('schemas/'))
  .map(([, text]) => JSON.parse(text) as { $id: string })
const { jwks } = JSON.parse(files['keys.json'] ?? '')
const bodyOf = ({ body }: { body: string }): unknown => (body === '' ? null : JSON.parse(body))

/** The errors of the published schema, as a reader in another language would see them. */
function violations(name: string, value: unknown): unknown[] {
  const schema = schemas.find(({ $id }) => $id === `${name}.json`)
  assert.ok(schema, `there is no schema ${name}`)
  const validator = new Validator(schema, '2020-12')
  for (const other of schemas) if (other !== schema) validator.addSchema(other)
  return validator.validate(value).errors
}

const MANAGER_CALLS = [
  {
    path: '/service-reference/resolve',
    request: AccessResolutionRequest,
    requestName: 'access-resolution-request',
    response: AccessResolutionResponse,
    responseName: 'access-resolution-response',
  },
  {
    path: '/authorization/read',
    request: AuthorizationReadRequest,
    requestName: 'authorization-read-request',
    response: CompiledAuthorization,
    responseName: 'compiled-authorization',
  },
  {
    path: '/event-declarations/read',
    request: EventDeclarationsRequest,
    requestName: 'event-declarations-request',
    response: EventDeclarationsResponse,
    responseName: 'event-declarations-response',
  },
]

const lifecycle = goldenExchanges().filter(({ to }) => to === 'plugin')
const isGranted = ({ response }: Exchange): boolean => response.status === 200

test('the OpenAPI document has no problem that a standard linter finds', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: files['openapi.json'] ?? '', config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    [],
  )
})

test('no schema has several types in one keyword, which strict validators refuse', () => {
  for (const [path, text] of Object.entries(files)) assert.doesNotMatch(text, /"type": \[/, path)
})

test('every token of the exchanges is signed with the test key and is for its call', async () => {
  for (const { name, at, request } of lifecycle) {
    const token = request.headers['authorization']?.split(' ')[1] ?? ''
    const sent = LifecycleRequest.parse(bodyOf(request))
    const { payload } = await jwtVerify(token, createLocalJWKSet(jwks), {
      issuer: ISSUER,
      audience: sent.pluginId,
      currentDate: new Date(at),
    })
    const isForThisCall =
      payload.sub === sent.operation.operationId &&
      payload['stage'] === sent.stage &&
      payload['executionSequence'] === sent.executionSequence
    assert.equal(isForThisCall, name !== 'wrong-token', name)
  }
})

test('the lifecycle exchanges satisfy the contract and the published schemas', () => {
  for (const exchange of lifecycle) {
    const { name, request, response } = exchange
    assert.deepEqual(violations('lifecycle-request', bodyOf(request)), [], name)
    if (!isGranted(exchange)) continue
    assert.deepEqual(violations('envelope', bodyOf(response)), [], name)
    const reading = readEnvelope(bodyOf(response))
    assert.notEqual(reading.kind, 'invalid', name)
    if (reading.kind !== 'success') continue
    LifecycleResponse.parse(reading.data)
    assert.deepEqual(violations('lifecycle-response', reading.data), [], name)
  }
})

test('the exchanges with the platform satisfy the contract and the published schemas', () => {
  for (const { name, request, response } of goldenExchanges().filter(({ to }) => to === 'plugin-manager')) {
    assert.equal(request.headers['authorization'], `Bearer ${CREDENTIAL}`)
    const reading = readEnvelope(bodyOf(response))
    const call = MANAGER_CALLS.find(({ path }) => request.path.endsWith(path))
    assert.ok(call, name)
    call.request.parse(bodyOf(request))
    assert.deepEqual(violations(call.requestName, bodyOf(request)), [], name)
    assert.notEqual(reading.kind, 'invalid', name)
    if (reading.kind !== 'success') continue
    call.response.parse(reading.data)
    assert.deepEqual(violations(call.responseName, reading.data), [], name)
  }
})

test('the published schemas refuse what the contract refuses', () => {
  const valid = bodyOf(lifecycle[0]?.request ?? { body: '' }) as Record<string, object>
  const refused: Record<string, unknown> = {
    'an unknown field': { ...valid, extra: 1 },
    'a missing field': { ...valid, stage: undefined },
    'a number as text': { ...valid, executionSequence: '1' },
    'a number above 2^53 - 1': { ...valid, executionSequence: 2 ** 53 },
    'an INSTALL with a current version': {
      ...valid,
      operation: { ...valid['operation'], currentVersion: '1.0.0' },
    },
    'an unknown stage': { ...valid, stage: 'DURING_RESOURCES' },
    'a locator with three segments': { ...valid, resources: { 'a/b/MODULE': {} } },
  }
  for (const [what, value] of Object.entries(refused)) {
    const json: unknown = JSON.parse(JSON.stringify(value))
    assert.equal(LifecycleRequest.safeParse(json).success, false, what)
    assert.notDeepEqual(violations('lifecycle-request', json), [], what)
  }
})
