import { test } from 'node:test'
import { accepts, refuses } from './testing.ts'
import { PropertyDefinition } from './property-definition.ts'
import { isReferenceKind, PROPERTY_KINDS } from './property-kinds.ts'

const data = { kind: 'DATA', schema: { type: 'string' } }

test('DATA requires a schema and allows all other fields', () => {
  accepts(PropertyDefinition, data, { kind: 'DATA', schema: true }, { kind: 'DATA', schema: {} })
  accepts(PropertyDefinition, { ...data, isSensitive: true, required: true, group: 'Mail', order: -1 })
  accepts(PropertyDefinition, { ...data, default: null }, { ...data, default: { '@type': 'Data', value: 1 } })
  refuses(PropertyDefinition, 'schema', /required for DATA/, { kind: 'DATA' })
  refuses(
    PropertyDefinition,
    'schema',
    /JSON Schema/,
    { kind: 'DATA', schema: 'string' },
    { kind: 'DATA', schema: [] },
  )
})

test('a reference has no schema, default or sensitive mark', () => {
  for (const kind of PROPERTY_KINDS.filter(isReferenceKind)) {
    accepts(
      PropertyDefinition,
      { kind },
      { kind, required: true, isSensitive: false, group: 'Mail', order: 2 },
    )
    refuses(PropertyDefinition, 'schema', /only for DATA/, { kind, schema: {} })
    refuses(PropertyDefinition, 'default', /only for DATA/, { kind, default: null })
    refuses(PropertyDefinition, 'isSensitive', /only for DATA/, { kind, isSensitive: true })
  }
})

test('fields have the right type, and unknown fields are rejected', () => {
  refuses(PropertyDefinition, 'kind', /one of DATA, .*SERVICE_REFERENCE/, { kind: 'data' }, {})
  refuses(PropertyDefinition, 'isSensitive', /./, { ...data, isSensitive: 'yes' })
  refuses(PropertyDefinition, 'required', /./, { ...data, required: 1 })
  refuses(PropertyDefinition, 'order', /whole/, { ...data, order: 0.5 })
  accepts(PropertyDefinition, { ...data, group: 'x'.repeat(128) })
  refuses(PropertyDefinition, 'group', /at most 128/, { ...data, group: 'x'.repeat(129) })
  refuses(PropertyDefinition, 'group', /empty/, { ...data, group: '' })
  refuses(PropertyDefinition, '', /title/, { ...data, title: 'Size' })
})
