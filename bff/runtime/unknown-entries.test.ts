import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import * as z from 'zod'
import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { createRuntimeClient } from './runtime-client.ts'
import { LISTS } from './unknown-entries.ts'

// A runtime that is newer than the console, over a real socket. What it answers is made from the rows.

let answer: unknown
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ errorCode: '0', data: answer }))
})
const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
after(async () => {
  await outbound.close()
  server.close()
})

async function read(name: keyof RuntimeApi): Promise<Record<string, unknown>> {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle-runtime/api`
  const path = /\{(\w+)\}/g
  const params = Object.fromEntries([...name.matchAll(path)].map(([, key = '']) => [key, 'x']))
  return (await createRuntimeClient({ outbound, baseUrl, credential: 'credential' })({
    name,
    params,
    query: new URLSearchParams(),
    body: null,
    assertion: 'assertion',
    requestId: 'request',
    idempotencyKey: null,
  })) as Record<string, unknown>
}

/** What a JSON Schema file of zod contains, as far as it is used here. */
interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  propertyNames?: Schema
  pattern?: string
  minimum?: number
  minItems?: number
}
const TEXTS = [
  'a',
  '01920000-0000-7000-8000-000000000001',
  '2026-11-22T08:00:00.000Z',
  '1.0.0',
  'PT1H',
  'AB',
  'https://x.example',
  'a/b/MODULE/c',
  '00:00',
  'a'.repeat(32),
  'a'.repeat(64),
  'P1D',
  'Europe/Vienna',
  '2026-11-22',
]
const NEW = 'A_NEW_NAME'

/** A value of the schema; with `isNew`, its first enum value is replaced by an unknown one. */
function valueOf(schema: Schema, isNew: { left: number }): unknown {
  if (schema.enum !== undefined) return isNew.left-- > 0 ? NEW : schema.enum.at(-1)
  if ('const' in schema) return schema.const
  const [one] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []
  if (one !== undefined) return valueOf(one, isNew)
  const [type] = [schema.type].flat()
  if (type === 'array') return (schema.minItems ?? 0) > 0 ? [valueOf(schema.items ?? {}, isNew)] : []
  if (type === 'object') {
    const names = schema.propertyNames?.enum ?? []
    const { properties = {}, required = names } = schema
    return Object.fromEntries(
      required.map((name) => [name, valueOf(properties[name] ?? { type: 'integer' }, isNew)]),
    )
  }
  if (type === 'string') {
    const pattern = new RegExp(schema.pattern ?? '', 'u')
    return TEXTS.find((text) => pattern.test(text)) ?? assert.fail(`no text for ${schema.pattern}`)
  }
  if (type === 'boolean') return false
  return type === 'null' ? null : Math.max(1, schema.minimum ?? 1)
}

const schemaOf = (row: EndpointRow) =>
  z.toJSONSchema(row.answer, { unrepresentable: 'any', reused: 'inline' }) as Schema

const reads = (Object.entries(runtimeApi) as [keyof RuntimeApi, EndpointRow][])
  .filter(([name, { answers }]) => name.startsWith('GET ') && answers === undefined)
  .map(([name, row]) => ({ name, row, schema: schemaOf(row) }))
let lists = 0
for (const { name, row, schema } of reads)
  for (const list of [...LISTS].map(String)) {
    const { items } = schema.properties?.[list] ?? {}
    if (items === undefined) continue
    const isNew = { left: 1 }
    const unknown = valueOf(items, isNew)
    // a list without states or kinds
    if (isNew.left > 0) continue
    lists += 1
    test(`${name} has all of its ${list} but one whose name is not known`, async () => {
      const known = valueOf(items, { left: 0 })
      const whole = valueOf(schema, { left: 0 }) as object
      answer = { ...whole, [list]: [known, unknown, known] }
      assert.ok(!row.answer.safeParse(answer).success)
      const expected = row.answer.parse({ ...whole, [list]: [known, known] }) as object
      assert.deepEqual(await read(name), { ...expected, unknownEntries: 1 })
      // a broken runtime is not a newer one
      answer = { ...whole, [list]: [known, null] }
      await assert.rejects(read(name), { code: 'UPSTREAM_INVALID', ownMessage: undefined })
    })
  }

test('the lists of the runtime are among them', () => assert.ok(lists >= 25, `${lists}`))

test('a plan with a target in a state that is not known is refused, because its token confirms this target too', async () => {
  const schema = schemaOf(runtimeApi['POST /batches/plan'])
  const isNew = { left: 1 }
  const unknown = valueOf(schema.properties?.['items']?.items ?? {}, isNew)
  assert.ok(isNew.left <= 0)
  answer = { ...(valueOf(schema, { left: 0 }) as object), items: [unknown] }
  await assert.rejects(read('POST /batches/plan'), {
    code: 'UPSTREAM_INVALID',
    ownMessage: /^The runtime is newer than this console/,
  })
})

const sampleOf = (name: keyof RuntimeApi) =>
  valueOf(reads.find((read) => read.name === name)?.schema ?? assert.fail(name), { left: 0 }) as object

test('all counts are shown but those of a state that is not known', async () => {
  const summary = sampleOf('GET /summary') as { operations: object }
  answer = { ...summary, operations: { ...summary.operations, [NEW]: 3 } }
  assert.deepEqual(await read('GET /summary'), { ...summary, unknownEntries: 1 })

  const hour = (counts: object) => ({ since: '2026-11-22T08:00:00.000Z', counts })
  const known = [hour({ SUCCEEDED: 2 }), hour({}), hour({ FAILED: 1 })]
  answer = { bucket: 'hour', buckets: [hour({ SUCCEEDED: 2, [NEW]: 4 }), hour({ [NEW]: 1 }), known[2]] }
  assert.deepEqual(await read('GET /operations/counts'), {
    bucket: 'hour',
    buckets: known,
    unknownEntries: 2,
  })

  const calendar = sampleOf('GET /calendar')
  const day = (counts: object) => ({ day: '2026-11-22', counts })
  answer = { ...calendar, operations: [day({ SUCCEEDED: 2, [NEW]: 4 })] }
  assert.deepEqual(await read('GET /calendar'), {
    ...calendar,
    operations: [day({ SUCCEEDED: 2 })],
    unknownEntries: 1,
  })
})

test('one thing in a state that is not known is refused, because a part of it would mislead', async () => {
  answer = { ...sampleOf('GET /operations/{operationId}'), state: NEW }
  await assert.rejects(read('GET /operations/{operationId}'), {
    code: 'UPSTREAM_INVALID',
    ownMessage: /^The runtime is newer than this console/,
  })
})
