import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY } from '../editor/draft.ts'
import { configuration, CORE, data, define, hidden, MAIL, resource } from '../testing.ts'
import { restore } from '../history/restore.ts'
import { readConfigurationFile, valuesToCopy, writeConfigurationFile } from './configuration-file.ts'

const definitions = {
  name: define(),
  secret: define({ isSensitive: true }),
  tenant: define(),
  mail: define(),
}
const service = { '@type': 'ServiceReference' as const, serviceId: 'smtp' }
const source = configuration(4, {
  [CORE]: resource({
    properties: { name: data('Acme'), secret: hidden(true), tenant: data('t-1'), mail: service },
    definitions,
    writtenBy: { tenant: 'provisioner' },
  }),
  [MAIL]: resource({ properties: { port: data(25) }, definitions: { port: define() } }),
})
const target = configuration(9, {
  [CORE]: resource({ properties: { name: data('Acme'), tenant: data('t-2') }, definitions }),
})

test('a file has every value that a person may set, and lists what is left out', () => {
  const text = writeConfigurationFile(source)
  const { leftOut } = JSON.parse(text) as { leftOut: unknown }
  assert.deepEqual(leftOut, { sensitive: [`${CORE} secret`], writtenByPlugins: [`${CORE} tenant`] })
  assert.deepEqual(readConfigurationFile(text), [
    { locator: CORE, property: 'name', value: data('Acme') },
    { locator: CORE, property: 'mail', value: service },
    { locator: MAIL, property: 'port', value: data(25) },
  ])
})

test('a file becomes edits of what differs, and names what the scope does not have', () => {
  const { step, left } = restore(readConfigurationFile(writeConfigurationFile(source)) ?? [], target, EMPTY)
  assert.deepEqual(
    step.map(({ property }) => property),
    ['mail'],
  )
  assert.deepEqual(
    left.map(({ property, why }) => [property, why]),
    [
      ['name', 'same'],
      ['port', 'gone'],
    ],
  )
})

test('a text that is no configuration file is refused', () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"resources":{}}',
    writeConfigurationFile(source).replace('"Data"', '"Odd"'),
  ])
    assert.equal(readConfigurationFile(text), null, text.slice(0, 40))
})

test('from another scope come the values of the resources that both have', () => {
  assert.deepEqual(
    valuesToCopy(source, target).map(({ property }) => property),
    ['name', 'mail'],
  )
})
