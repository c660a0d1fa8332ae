import assert from 'node:assert/strict'
import { test } from 'node:test'
import type * as z from 'zod'
import { consoleApi } from '#contract/console-api/rows.ts'
import { savedViewApi } from '#contract/console-api/saved-views.ts'
import { pluginManagerApi } from '#contract/runtime-api/plugin-manager.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { EndpointRow } from './endpoint.ts'
import { issueParameters, parseRequest } from './parse-request.ts'

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

/** What zod keeps of a schema or a check, as far as the search below reads it. */
interface Definition {
  type?: string
  check?: string
  format?: string
  discriminator?: string
  checks?: { _zod: { def: Definition } }[]
  shape?: Record<string, z.ZodType>
  options?: z.ZodType[]
  items?: z.ZodType[]
  fn?: unknown
  error?: (issue: object) => string | { message?: string } | undefined
}

/** The issues of a schema that no reason of zod's own codes covers: the sentence of each decides. */
function sentencesOf(
  schema: z.ZodType,
  seen: Set<z.ZodType>,
): { code: string; format?: string; message: string }[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const def = schema._zod.def as unknown as Definition
  const said = (code: string, { error, format }: Definition) => {
    const text = error?.({ code, input: '', path: [], issues: [] })
    const message = (typeof text === 'string' ? text : text?.message) ?? `the default of zod for ${code}`
    return { code, message, ...(format !== undefined && { format }) }
  }
  const found = (def.checks ?? []).flatMap(({ _zod: { def: check } }) => {
    // a `superRefine` has no function here, and gives its sentences when it runs
    if (check.check === 'custom') return check.fn === undefined ? [] : [said('custom', check)]
    if (check.check === 'string_format') return [said('invalid_format', check)]
    return check.check === 'multiple_of' ? [said('not_multiple_of', check)] : []
  })
  if (def.type === 'union') found.push(said('invalid_union', def))
  if (def.type === 'string' && def.format !== undefined) found.push(said('invalid_format', def))
  if (def.type === 'custom' || def.type === 'template_literal') found.push(said('custom', def))
  const inner = [
    'element',
    'innerType',
    'keyType',
    'valueType',
    'in',
    'out',
    'rest',
    'left',
    'right',
    'catchall',
  ]
  const parts = inner.flatMap((name) => (def as Record<string, z.ZodType | undefined>)[name] ?? [])
  // the issues within a union are reported as one, unless a member names the option that is meant
  const options = def.type === 'union' && def.discriminator === undefined ? [] : (def.options ?? [])
  const within = [...parts, ...options, ...(def.items ?? []), ...Object.values(def.shape ?? {})]
  return [...found, ...within.flatMap((part) => sentencesOf(part, seen))]
}

test('every sentence that a schema of a request can give has a reason', () => {
  const seen = new Set<z.ZodType>()
  const rows: [string, EndpointRow][] = [runtimeApi, consoleApi, pluginManagerApi].flatMap((api) =>
    Object.entries(api),
  )
  const all = rows.flatMap(([name, { params, query, body }]) =>
    [params, query, body].flatMap((schema) =>
      schema === undefined ? [] : sentencesOf(schema, seen).map((issue) => ({ name, issue })),
    ),
  )
  assert.ok(all.length > 40)
  const untold = all.filter(
    ({ issue }) =>
      issueParameters({ path: [], input: '', ...issue } as unknown as z.core.$ZodIssue, '') === undefined,
  )
  assert.deepEqual(untold, [])
})

test('the sentences of rules between fields, of the body and of the query have a reason', () => {
  const publish = runtimeApi['PUT /bundles/{environmentKey}/{bundleId}/versions/{version}']
  const params = { environmentKey: 'source', bundleId: 'crm', version: '1.0.0' }
  const properties = {
    a: { kind: 'DATA' },
    b: { kind: 'SERVICE_REFERENCE', schema: {}, default: 1, isSensitive: true },
  }
  const resources = [{ kind: 'TIMER', name: 'x', title: 'X', properties }]
  const sentences = problemsOf(publish, { resources }, params).filter(({ path }) =>
    path.includes('/properties/'),
  )
  assert.deepEqual(
    sentences.map(({ parameters }) => parameters?.reason),
    ['requestDataSchema', 'requestDataOnly', 'requestDataOnly', 'requestDataSecret'],
  )
  const list = runtimeApi['GET /operations']
  const query: [string, string][] = [
    ['limit', '1'],
    ['limit', '2'],
    ['sort', 'a\0'],
    ['none', '1'],
  ]
  const parsed = parseRequest(list, { params: {}, query, body: undefined })
  const reasons = parsed.ok ? [] : parsed.problems.map(({ parameters }) => parameters?.reason)
  assert.deepEqual(reasons.slice(0, 2), ['requestOnce', 'requestNotNul'])
  assert.ok(reasons.every((reason) => reason !== undefined))
  assert.deepEqual(problemsOf(PLUGIN, undefined, { pluginId: 'a' })[0]?.parameters, { reason: 'requestBody' })
})
