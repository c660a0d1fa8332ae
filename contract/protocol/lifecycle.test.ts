import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepts, but, data, installation, locator, operation, reference, refuses } from './testing.ts'
import { AuthorAuthorization, CompiledAuthorization } from './authorization.ts'
import { LifecycleRequest, LifecycleResponse, ResourceEntry } from './lifecycle.ts'

const entry = {
  action: 'CONFIGURE',
  currentVersion: '1.2.0',
  targetVersion: '1.2.0',
  properties: { size: data(3) },
  references: { mail: reference() },
}
const echo = {
  contractVersion: '6.0.0',
  pluginId: 'billing-plugin',
  executionSequence: 1,
  installation,
  operation,
  stage: 'BEFORE_RESOURCES',
}
const request = {
  ...echo,
  configuration: { schemaVersion: '3', values: {} },
  resources: { [locator]: entry },
}
const response = { ...echo, outcome: 'APPLIED', resources: { [locator]: { tenant: data('t-1') } } }

test('a request has all of its fields and no others', () => {
  accepts(
    LifecycleRequest,
    request,
    but(request, { resources: {} }),
    but(request, { stage: 'AFTER_RESOURCES' }),
  )
  for (const field of Object.keys(request))
    refuses(LifecycleRequest, field, /./, but(request, { [field]: undefined }))
  refuses(LifecycleRequest, '', /token/, but(request, { token: 'x' }))
})

test('the contract version is 6.0.0, independent of the configuration version', () => {
  accepts(LifecycleRequest, but(request, { configuration: { schemaVersion: '1.0.0', values: { any: [1] } } }))
  refuses(
    LifecycleRequest,
    'contractVersion',
    /6\.0\.0/,
    but(request, { contractVersion: '1.0.0' }),
    but(request, { contractVersion: 6 }),
  )
})

test('executionSequence is a positive integer', () => {
  accepts(LifecycleRequest, but(request, { executionSequence: 2 ** 53 - 1 }))
  refuses(LifecycleRequest, 'executionSequence', /at least 1/, but(request, { executionSequence: 0 }))
  refuses(LifecycleRequest, 'executionSequence', /whole/, but(request, { executionSequence: 1.5 }))
})

test('resources are keyed by locator', () => {
  refuses(
    LifecycleRequest,
    'resources.invoices',
    /joined by/,
    but(request, { resources: { invoices: entry } }),
  )
})

test('a resource entry', () => {
  accepts(
    ResourceEntry,
    entry,
    but(entry, { action: 'INSTALL', currentVersion: null }),
    but(entry, { properties: {}, references: {} }),
  )
  for (const field of Object.keys(entry))
    refuses(ResourceEntry, field, /./, but(entry, { [field]: undefined }))
  refuses(ResourceEntry, 'action', /one of INSTALL/, but(entry, { action: 'REMOVE' }))
  refuses(ResourceEntry, 'properties.size', /./, but(entry, { properties: { size: 3 } }))
  refuses(ResourceEntry, 'properties.mail.@type', /Data/, but(entry, { properties: { mail: reference() } }))
  refuses(
    ResourceEntry,
    'references.size.@type',
    /ServiceReference/,
    but(entry, { references: { size: data(3) } }),
  )
  refuses(ResourceEntry, 'properties.9', /begin with a letter/, but(entry, { properties: { 9: data(3) } }))
})

test('a response has the echo, an outcome and the writes', () => {
  accepts(LifecycleResponse, response)
  for (const outcome of ['NOT_APPLIED', 'APPLIED', 'VERIFIED', 'FAILED', 'UNKNOWN'])
    accepts(LifecycleResponse, but(response, { outcome, resources: {} }))
  for (const field of Object.keys(response))
    refuses(LifecycleResponse, field, /./, but(response, { [field]: undefined }))
  refuses(LifecycleResponse, 'outcome', /one of/, but(response, { outcome: 'DONE' }))
})

test('resources are optional and ignored with FAILED and UNKNOWN', () => {
  const strange = [undefined, null, 5, 'x', [], { 'no locator': 1 }, { [locator]: { tenant: 'bare' } }]
  for (const outcome of ['FAILED', 'UNKNOWN'])
    for (const resources of [...strange, response.resources])
      assert.deepEqual(
        LifecycleResponse.parse(but(response, { outcome, resources })),
        but(response, { outcome, resources: {} }),
      )
})

test('resources are optional but validated with NOT_APPLIED', () => {
  const answer = but(response, { outcome: 'NOT_APPLIED', resources: undefined })
  assert.deepEqual(LifecycleResponse.parse(answer), but(answer, { resources: {} }))
  refuses(LifecycleResponse, 'resources', /object/, but(answer, { resources: [] }))
})

test('unknown fields of a response are dropped', () => {
  assert.deepEqual(LifecycleResponse.parse(but(response, { accessToken: 'x' })), response)
})

test('a response may write only Data', () => {
  const writes = (value: unknown) => but(response, { resources: { [locator]: { tenant: value } } })
  accepts(LifecycleResponse, writes({ ...data('s'), isSensitive: true }), writes(data(reference())))
  const written = `resources.${locator}.tenant`
  refuses(LifecycleResponse, written, /bare value/, writes('t-1'), writes(null))
  refuses(LifecycleResponse, `${written}.@type`, /bare value/, writes({ value: 1 }))
  refuses(LifecycleResponse, `${written}.@type`, /not a reference/, writes(reference()))
})

test('an echo with extra fields is rejected', () => {
  refuses(
    LifecycleResponse,
    'installation',
    /region/,
    but(response, { installation: { ...installation, region: 'x' } }),
  )
  refuses(LifecycleResponse, 'operation', /run/, but(response, { operation: { ...operation, run: 1 } }))
})

const lists = { readProperties: ['size'], writeProperties: ['tenant'], credentialProperties: ['mail'] }
const compiled = {
  pluginId: 'billing-plugin',
  protocolVersion: '6.0.0',
  order: 1,
  failurePolicy: 'FAIL_FAST',
  configuration: { schemaVersion: '3', values: {} },
  resources: [{ resource: locator, ...lists }],
}
const authored = { object: { type: 'MODULE', moduleId: 'mod-1' }, ...lists }

test('a compiled authorization', () => {
  accepts(CompiledAuthorization, compiled, but(compiled, { resources: [] }), but(compiled, { order: -1 }))
  for (const field of Object.keys(compiled))
    refuses(CompiledAuthorization, field, /./, but(compiled, { [field]: undefined }))
  refuses(CompiledAuthorization, 'protocolVersion', /6\.0\.0/, but(compiled, { protocolVersion: '5.0.0' }))
  refuses(CompiledAuthorization, 'failurePolicy', /FAIL_FAST/, but(compiled, { failurePolicy: 'CONTINUE' }))
  refuses(CompiledAuthorization, 'order', /whole/, but(compiled, { order: 1.5 }))
  refuses(CompiledAuthorization, 'resources.0.resource', /./, but(compiled, { resources: [authored] }))
})

test('an author entry is not a compiled authorization', () => {
  accepts(AuthorAuthorization, authored)
  for (const field of Object.keys(authored))
    refuses(AuthorAuthorization, field, /./, but(authored, { [field]: undefined }))
  refuses(AuthorAuthorization, '', /resource/, { ...authored, resource: locator })
  refuses(AuthorAuthorization, 'object', /./, { resource: locator, ...lists })
  refuses(
    AuthorAuthorization,
    'object.type',
    /MODULE/,
    but(authored, { object: { type: 'TIMER', moduleId: 'mod-1' } }),
  )
  refuses(
    AuthorAuthorization,
    'object.moduleId',
    /empty/,
    but(authored, { object: { type: 'MODULE', moduleId: '' } }),
  )
})
