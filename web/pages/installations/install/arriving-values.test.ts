import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import { fieldId } from '../../../forms/property/property-place.ts'
import type { Edit } from '../../../forms/property/property-edit.ts'
import { installForm } from '../../../subjects/operation-form/property-form.ts'
import type { ArrivingValue } from '../../../subjects/scopes/place-bound.ts'
import { takeValues } from './arriving-values.ts'

const text = { kind: 'DATA', schema: { type: 'string' } } as const
const LOCATOR = 'test/crm/MODULE/core'
const at = (property: string) => fieldId(LOCATOR, property)
const data = (value: string) => ({ '@type': 'Data', value }) as const
const set = (value: string): Edit => ({ kind: 'set', value: data(value) })
const arriving = (property: string, value: string, bound: ArrivingValue['bound'] = null): ArrivingValue => ({
  locator: LOCATOR,
  property,
  value: data(value),
  bound,
})

const manifest: Manifest = {
  bundle: { environmentKey: 'test', bundleId: 'crm' },
  version: '2',
  title: 'CRM',
  resources: [
    {
      kind: 'MODULE',
      name: 'core',
      title: 'Core',
      moduleId: 'core',
      properties: {
        name: text,
        theme: { ...text, default: 'plain' },
        domain: text,
        password: { ...text, isSensitive: true },
      },
    },
  ],
  plugins: [],
}

test('values become edits; what belongs elsewhere waits, and what cannot come along is named with its reason', () => {
  const own = new Map([[at('name'), set('Mine')]])
  const { edits, held, left, differing } = takeValues(
    [
      arriving('name', 'Acme'),
      arriving('theme', 'plain'),
      arriving('domain', 'crm.staging.example', 'domain'),
      arriving('password', 'hunter2'),
      arriving('tenant', '7'),
      arriving('older', 'x'),
    ],
    installForm(manifest, null),
    { isWritten: ({ property }) => property === 'tenant', entered: own },
  )
  assert.deepEqual([...edits], [])
  assert.deepEqual(
    held.map(({ id, bound, resource }) => [id, bound, resource]),
    [[at('domain'), 'domain', 'Core']],
  )
  assert.deepEqual(
    left.map(({ property, why }) => [property, why]),
    [
      ['password', 'sensitive'],
      ['tenant', 'plugin'],
      ['older', 'gone'],
    ],
  )
  // what the person has typed stays until they choose
  assert.deepEqual(
    differing.map(({ id, value, own: typed }) => [id, value, typed]),
    [[at('name'), data('Acme'), set('Mine')]],
  )
})

test('a value that holds without an edit does not end the edit that the person had', () => {
  const { edits, differing } = takeValues([arriving('theme', 'plain')], installForm(manifest, null), {
    isWritten: () => false,
    entered: new Map([[at('theme'), set('dark')]]),
  })
  assert.deepEqual([...edits], [])
  assert.deepEqual(
    differing.map(({ id }) => id),
    [at('theme')],
  )
})
