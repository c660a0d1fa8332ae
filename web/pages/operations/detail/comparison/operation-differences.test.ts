import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { PluginCall } from '#contract/console-api/shapes.ts'
import { translator } from '../../../../i18n/testing.ts'
import { attempt, call, operation, refusal } from '../calls/testing.ts'
import { operationDifferences } from './operation-differences.ts'

const t = await translator('en')
const NOTHING = { values: [], registrations: [] }
const requestOf = (operationId: string, resources: JsonObject): PluginCall['request'] => ({
  executionSequence: operationId.length,
  operation: { operationId, operationType: 'INSTALL' },
  resources,
})
const good = operation(
  { state: 'SUCCEEDED', targetVersion: '1.0.0' },
  { before: [{ ...call('hooks', 1, [attempt()]), request: requestOf('a', { port: 25 }) }] },
)

test('what differs between any two operations is not shown', () => {
  const same = operation(
    { state: 'SUCCEEDED', targetVersion: '1.0.0', executionSequence: 9 },
    { before: [{ ...call('hooks', 1, [attempt()]), request: requestOf('bc', { port: 25 }) }] },
  )
  const found = operationDifferences(good, same, NOTHING, t)
  for (const changes of Object.values(found)) assert.deepEqual(changes, [])
})

test('results, requests, registrations and versions are compared, also of a call that only one made', () => {
  const failed = operation(
    { targetVersion: '1.1.0' },
    {
      before: [{ ...call('hooks', 1, [refusal()]), request: requestOf('b', { port: 26 }) }],
      after: [call('later', 1, [attempt()])],
    },
  )
  const registration = { endpoint: 'http://a', version: null, timeoutMs: 1, maxAttempts: 1, maxBackoffMs: 1 }
  const found = operationDifferences(
    good,
    failed,
    {
      values: [],
      registrations: [
        { pluginId: 'hooks', before: registration, after: { ...registration, endpoint: 'http://b' } },
      ],
    },
    t,
  )
  const names = (changes: (typeof found)['calls']) => changes.map(({ name }) => name)
  assert.deepEqual(names(found.operation), ['Version'])
  assert.deepEqual(names(found.registrations), ['hooks, Endpoint'])
  assert.ok(names(found.calls).includes('hooks, Before resources, Error code'))
  assert.deepEqual(
    found.calls.filter(({ id }) => id.includes('later')).map(({ name, before }) => [name, before]),
    [['later, After resources, Result', { '@type': 'Data', value: 'Not called' }]],
  )
  assert.deepEqual(names(found.requests), ['hooks, Before resources'])
})
