import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { maskRequest } from '../calls/sensitive-values.ts'
import { authorization, data, LOCATOR, planWith, plannedResource, SECRET } from '../../testing/plan.ts'
import { buildRequest, requestBytes } from './prepare-call.ts'

const operation = {
  operationId: '0190a000-0000-7000-8000-000000000001',
  operationType: 'INSTALL' as const,
  currentVersion: null,
  targetVersion: '1.0.0',
  executionSequence: 1,
  installation: {
    environmentKey: 'prod',
    applicationRuntimeId: 'shop',
    workspaceId: 7,
    bundleInstallId: '0190a000-0000-7000-8000-000000000002',
    bundle: { environmentKey: 'source', bundleId: 'crm' },
  },
}

const build = (
  properties: Record<string, TypedValue>,
  given: { read?: string[]; credential?: string[]; writes?: Record<string, TypedValue> } = {},
) => {
  const granted = authorization({
    resources: [
      {
        resource: LOCATOR,
        readProperties: given.read ?? [],
        writeProperties: ['hidden'],
        credentialProperties: given.credential ?? [],
      },
      {
        resource: 'source/crm/MODULE/gone',
        readProperties: ['x'],
        writeProperties: [],
        credentialProperties: [],
      },
    ],
  })
  const plan = planWith([granted])
  plan.resources = [
    plannedResource({ properties }),
    plannedResource({ locator: 'source/crm/TIMER/nightly', properties }),
  ]
  const writes = given.writes === undefined ? {} : { [LOCATOR]: given.writes }
  return buildRequest(operation, { stage: 'AFTER_RESOURCES', authorization: granted, plan, writes })
}

suite('the lifecycle request', () => {
  const reference: TypedValue = { '@type': 'ServiceReference', serviceId: 'events' }

  test('has the fields of the protocol and no others', () => {
    const request = build({ region: data('eu') }, { read: ['region'] })
    assert.deepEqual(LifecycleRequest.parse(request), request)
    assert.deepEqual(Object.keys(request), [
      'contractVersion',
      'pluginId',
      'executionSequence',
      'installation',
      'operation',
      'stage',
      'configuration',
      'resources',
    ])
  })
  test('has the keys of a value in the order of its schema', () => {
    const schema = {
      properties: { volumes: true, enabled: true, a: { properties: { zone: true, id: true } } },
    }
    const plan = planWith([])
    plan.resources = [
      {
        ...plannedResource({
          properties: { region: data({ a: { id: 1, zone: 2 }, other: 3, enabled: 4, volumes: 5 }) },
        }),
        definitions: { region: { kind: 'DATA', schema } },
      },
    ]
    const granted = authorization({
      resources: [
        { resource: LOCATOR, readProperties: ['region'], writeProperties: [], credentialProperties: [] },
      ],
    })
    const request = buildRequest(operation, {
      stage: 'AFTER_RESOURCES',
      authorization: granted,
      plan,
      writes: {},
    })
    assert.equal(
      JSON.stringify(request.resources[LOCATOR]?.properties['region']),
      '{"@type":"Data","value":{"volumes":5,"enabled":4,"a":{"zone":2,"id":1},"other":3}}',
    )
  })
  test('contains only authorized resources, with only those authorized properties that are set', () => {
    const request = build({ region: data('eu'), hidden: data('no') }, { read: ['region', 'tenantId'] })
    assert.deepEqual(request.resources, {
      [LOCATOR]: {
        action: 'INSTALL',
        currentVersion: null,
        targetVersion: '1.0.0',
        properties: { region: data('eu') },
        references: {},
      },
    })
  })
  test('marks the properties that the definition declares sensitive, and no others', () => {
    const request = build(
      { password: data(SECRET), region: data('eu', true) },
      { read: ['password', 'region'] },
    )
    assert.deepEqual(request.resources[LOCATOR]?.properties, {
      password: data(SECRET, true),
      region: data('eu'),
    })
  })
  test('lists the references that may be read or resolved, each once', () => {
    const entry = (read: string[], credential: string[]) =>
      build({ publisher: reference }, { read, credential }).resources[LOCATOR]
    assert.deepEqual(entry(['publisher'], ['publisher'])?.references, { publisher: reference })
    assert.deepEqual(entry([], ['publisher'])?.references, { publisher: reference })
    assert.deepEqual(entry([], [])?.references, {})
    assert.deepEqual(entry(['publisher'], [])?.properties, {})
  })
  test('wraps a business value once, whatever its shape', () => {
    const business = { '@type': 'Data' as const, value: { '@type': 'Data', value: 1 } }
    const request = build({ region: business }, { read: ['region'] })
    assert.deepEqual(request.resources[LOCATOR]?.properties, { region: business })
  })
  test('contains the earlier writes of plugins', () => {
    const request = build(
      { tenantId: data('old') },
      { read: ['tenantId'], writes: { tenantId: data('new') } },
    )
    assert.deepEqual(request.resources[LOCATOR]?.properties, { tenantId: data('new') })
  })
  test('is redacted for display', () => {
    const request = build(
      { password: data(SECRET), region: data(`near ${SECRET}`) },
      { read: ['password', 'region'] },
    )
    const shown = JSON.stringify(maskRequest(requestBytes(request), [SECRET, 1, '1.0.0'], () => false))
    assert.ok(!shown.includes(SECRET))
    assert.ok(shown.includes('"executionSequence":1'))
    assert.ok(shown.includes('"isSensitive":true'))
  })
})
