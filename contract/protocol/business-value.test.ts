import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTypedValue } from './business-value.ts'
import type { JsonValue } from '../json-schema/json.ts'
import { MASK } from './data.ts'
import type { PropertyDefinition } from './property-definition.ts'
import type { TypedValue } from './typed-value.ts'

const service = { '@type': 'ServiceReference' as const, serviceId: 'mailer' }
const values: Record<string, TypedValue> = {
  DATA: { '@type': 'Data', value: 'text' },
  SERVICE_REFERENCE: service,
  SERVICE_REFERENCE_MAP: { '@type': 'ServiceReferenceMap', valueMap: { a: service } },
  SERVICE_REFERENCE_LIST: { '@type': 'ServiceReferenceList', valueList: [service] },
}

test('a value must have the kind in its definition', () => {
  for (const [kind, expected] of Object.entries(values))
    for (const value of Object.values(values)) {
      const definition = { kind, ...(kind === 'DATA' ? { schema: true } : {}) } as PropertyDefinition
      const problems = checkTypedValue(definition, value)
      if (value === expected) assert.deepEqual(problems, [])
      else
        assert.deepEqual(problems, [
          {
            path: '',
            keyword: '@type',
            message: `Must be a ${expected['@type']}`,
            parameters: { reason: 'valueKind', type: expected['@type'] },
          },
        ])
    }
})

test('the business value inside Data must satisfy the schema', () => {
  const definition: PropertyDefinition = { kind: 'DATA', schema: { type: 'string', maxLength: 3 } }
  assert.deepEqual(checkTypedValue(definition, { '@type': 'Data', value: 'abc' }), [])
  assert.deepEqual(checkTypedValue(definition, { '@type': 'Data', value: 'abcd' }), [
    {
      path: '',
      keyword: 'maxLength',
      message: 'Must be at most 3 characters',
      parameters: { reason: 'valueMaxLength', n: 3 },
    },
  ])
  assert.equal(
    checkTypedValue(definition, { '@type': 'Data', value: { '@type': 'Data', value: 'abc' } }).length,
    1,
  )
})

test('an @type inside a business value has no special meaning', () => {
  const definition: PropertyDefinition = { kind: 'DATA', schema: { type: 'object', required: ['@type'] } }
  assert.deepEqual(checkTypedValue(definition, { '@type': 'Data', value: service }), [])
  assert.deepEqual(checkTypedValue(definition, { '@type': 'Data', value: { '@type': 'Data', value: 1 } }), [])
})

test('a mask is rejected anywhere inside a sensitive value (H03)', () => {
  const sensitive: PropertyDefinition = { kind: 'DATA', schema: true, isSensitive: true }
  const check = (definition: PropertyDefinition, value: JsonValue) =>
    checkTypedValue(definition, { '@type': 'Data', value }).map(({ path, keyword }) => [path, keyword])
  assert.deepEqual(check(sensitive, MASK), [['', 'mask']])
  assert.deepEqual(check(sensitive, { user: 'me', keys: ['real', '****'], 'a/b': MASK }), [
    ['/keys/1', 'mask'],
    ['/a~1b', 'mask'],
  ])
  assert.deepEqual(check(sensitive, { user: 'me', password: 'p*ss•word' }), [])
  assert.deepEqual(
    check({ kind: 'DATA', schema: true }, MASK),
    [],
    'a mask is accepted in a value that is not sensitive',
  )
})
