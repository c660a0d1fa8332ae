import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { accepts, refuses } from './testing.ts'
import * as keys from './keys.ts'

const parsed = (text: string): unknown => JSON.parse(text)

test('Key, ServiceId and PropertyName', () => {
  accepts(keys.Key, 'a', 'x'.repeat(128), '1.0.0', '~', '__proto__')
  refuses(keys.Key, '', /1 to 128 characters of A-Z a-z 0-9/, '', 'x'.repeat(129), '.', '..', 'a b', 'a\n')
  refuses(keys.ServiceId, '', /Must not be __proto__/, '__proto__', 'constructor', 'prototype')
  accepts(keys.PropertyName, 'a', 'x'.repeat(128))
  refuses(
    keys.PropertyName,
    '',
    /begin with a letter/,
    '',
    '1',
    'x'.repeat(129),
    '__proto__',
    'constructor',
    'prototype',
  )
})

test('MapKey is a business key', () => {
  accepts(keys.MapKey, 'a', 'Primary address', 'é/ü', 'x'.repeat(128))
  refuses(keys.MapKey, '', /without control characters/, '', 'x'.repeat(129), 'a\tb', 'a\u0085')
  refuses(keys.MapKey, '', /Must not be/, '__proto__', 'constructor', 'prototype')
})

test('foreign identifiers are any text of 1 to 128 characters', () => {
  for (const schema of [keys.InstallId, keys.OperationId, keys.ModuleId, keys.SchemaVersion]) {
    accepts(schema, 'x', 'op/1 of 2', 'x'.repeat(128))
    refuses(schema, '', /Must not be empty/, '')
    refuses(schema, '', /at most 128/, 'x'.repeat(129))
  }
})

test('Uuid accepts any version, in lower case', () => {
  accepts(keys.Uuid, '0198c0de-0000-7000-8000-000000000001', '00000000-0000-0000-0000-000000000000')
  refuses(
    keys.Uuid,
    '',
    /UUID in lower case/,
    '0198C0DE-0000-7000-8000-000000000001',
    '0198c0de00007000800000000000000a',
    '{0198c0de-0000-7000-8000-000000000001}',
    '0198c0de-0000-7000-8000-000000000001\n',
    '',
  )
})

test('whole numbers', () => {
  accepts(keys.WorkspaceId, 0, 1, 2 ** 53 - 1, -0)
  refuses(keys.WorkspaceId, '', /0 or more/, -1)
  refuses(keys.WorkspaceId, '', /whole number/, 0.5, 2 ** 53)
  refuses(keys.WorkspaceId, '', /Must be a number/, '1', null, Number.NaN)
  accepts(keys.PositiveInteger, 1, 2 ** 53 - 1)
  refuses(keys.PositiveInteger, '', /at least 1/, 0, -1)
  refuses(keys.PositiveInteger, '', /whole number/, 1.5, 2 ** 53)
})

test('Timestamp is UTC with milliseconds', () => {
  accepts(keys.Timestamp, '2026-01-31T08:00:00.000Z', new Date(0).toISOString())
  refuses(
    keys.Timestamp,
    '',
    /UTC with milliseconds/,
    '2026-01-31T08:00:00Z',
    '2026-01-31T08:00:00.000+01:00',
    '2026-01-31T08:00:00.000000Z',
    '2026-02-30T08:00:00.000Z',
    '2026-01-31 08:00:00.000Z',
    1,
  )
})

test('Json must be present, and Values keeps every key', () => {
  accepts(z.object({ value: keys.Json }), { value: null }, { value: [] }, { value: 0 })
  refuses(
    z.object({ value: keys.Json }),
    'value',
    /JSON value/,
    {},
    { value: undefined },
    { value: Number.NaN },
  )
  const values = parsed('{"__proto__": {"a": 1}, "constructor": 2}')
  assert.deepEqual(keys.Values.parse(values), values)
  refuses(keys.Values, '', /JSON object/, [], null, 'a', { a: undefined })
})

test('a map names the keys that it rejects and drops none', () => {
  const map = keys.mapOf(keys.PropertyName, z.number())
  accepts(map, {}, { a: 1 })
  refuses(map, '1a', /begin with a letter/, { '1a': 1 })
  refuses(map, 'constructor', /constructor/, { constructor: 1 })
  refuses(map, '__proto__', /Must not be __proto__/, parsed('{"__proto__": 1}'))
  refuses(map, '', /Must be an object/, [], null, 1)
})
