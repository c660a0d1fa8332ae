import assert from 'node:assert/strict'
import { test } from 'node:test'
import { savedViewApi } from '#contract/console-api/saved-views.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { EndpointRow } from './endpoint.ts'
import { parseRequest } from './parse-request.ts'

const problemsOf = (row: EndpointRow, body: unknown, params: Record<string, string> = {}) => {
  const parsed = parseRequest(row, { params, query: [], body })
  return parsed.ok ? [] : parsed.problems
}

const plugin = {
  title: 'Hooks',
  endpoint: 'https://plugins.example.com',
  timeoutMs: 1000,
  maxAttempts: 3,
  maxBackoffMs: 1000,
  enabled: true,
}
const PLUGIN = runtimeApi['PUT /plugins/{pluginId}']

test('a problem has a reason, so that it can be said in another language', () => {
  const found = problemsOf(
    PLUGIN,
    {
      ...plugin,
      title: '',
      endpoint: 'ftp://a',
      timeoutMs: 'soon',
      maxAttempts: 0,
      enabled: undefined,
      extra: 1,
    },
    { pluginId: 'a b' },
  )
  const reasons = Object.fromEntries(found.map(({ path, parameters }) => [path, parameters]))
  assert.deepEqual(reasons, {
    'path.pluginId': { reason: 'requestKey' },
    'body.title': { reason: 'valueMinLength', n: 1 },
    'body.endpoint': { reason: 'requestHttpAddress' },
    'body.timeoutMs': { reason: 'valueType', types: 'number' },
    'body.maxAttempts': { reason: 'valueMinimum', limit: 1 },
    'body.enabled': { reason: 'valueRequired' },
    body: { reason: 'requestUnknownKeys', keys: 'extra' },
  })
})

test('what people type in the console has a reason: notes, reasons, contacts, names of views', () => {
  const { PUT, NOTE, RETRY, VIEW } = {
    PUT: problemsOf(
      PLUGIN,
      { ...plugin, owner: { team: ' ', contact: 'javascript:alert(1)' } },
      { pluginId: 'a' },
    ),
    NOTE: problemsOf(
      runtimeApi['POST /operations/{operationId}/notes'],
      { text: 'a\u202eb' },
      { operationId: '01920000-0000-7000-8000-000000000001' },
    ),
    RETRY: problemsOf(
      runtimeApi['POST /operations/{operationId}/retry'],
      { run: 1, reason: 'x'.repeat(1001) },
      { operationId: '01920000-0000-7000-8000-000000000001' },
    ),
    VIEW: problemsOf(savedViewApi['POST /saved-views'], {
      name: 'a\u0007',
      page: 'operations',
      search: '',
      shared: false,
    }),
  }
  for (const found of [PUT, NOTE, RETRY, VIEW]) {
    assert.ok(found.length > 0)
    for (const problem of found) assert.ok(problem.parameters, `${problem.path}: ${problem.message}`)
  }
})

test('a missing member is required, and not of the wrong type', () => {
  assert.deepEqual(problemsOf(runtimeApi['POST /batches'], { action: 'RETRY' }), [
    {
      path: 'body.targets',
      errorCode: 'REQUEST_INVALID',
      message: 'Invalid input: expected array, received undefined',
      parameters: { reason: 'valueRequired' },
    },
  ])
})
