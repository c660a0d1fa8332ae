import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configuration, CORE, define, MAIL, resource } from '../testing.ts'
import { propertyOptions, resourceOptions } from './filter-options.ts'

const titled = (title: string) => define({ schema: { type: 'string', title } })
const scope = configuration(1, {
  [CORE]: resource({ title: 'Core', definitions: { label: titled('Name'), region: titled('Region') } }),
  [MAIL]: resource({
    title: 'Mail',
    definitions: { sender: titled('Name'), region: titled('Area'), port: titled('Port') },
  }),
})
const labels = (options: readonly { label: string }[]) => options.map(({ label }) => label)

test('without a resource, the properties of all resources are options, with names after equal titles', () => {
  assert.deepEqual(propertyOptions(scope, undefined, undefined), [
    { value: 'label', label: 'Name · label' },
    { value: 'sender', label: 'Name · sender' },
    { value: 'port', label: 'Port' },
    { value: 'region', label: 'Region · region' },
  ])
})

test('with a resource, only its properties are options', () => {
  assert.deepEqual(labels(propertyOptions(scope, MAIL, undefined)), ['Area', 'Name', 'Port'])
})

test('what the address names stays an option after it was removed from the scope', () => {
  const gone = 'production/crm/MODULE/gone'
  assert.deepEqual(resourceOptions(scope, gone), [
    { value: CORE, label: 'Core' },
    { value: gone, label: 'gone' },
    { value: MAIL, label: 'Mail' },
  ])
  assert.deepEqual(labels(propertyOptions(scope, gone, 'oldName')), ['oldName'])
})
