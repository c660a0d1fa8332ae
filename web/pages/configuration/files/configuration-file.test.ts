import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY } from '../editor/draft.ts'
import { configuration, CORE, data, define, hidden, MAIL, resource } from '../testing.ts'
import { restore } from '../history/restore.ts'
import { configurationFile, valuesToCopy, writeJson } from './configuration-file.ts'
import { valuesInFile } from './values-in-file.ts'
import { findFileError, parseFile } from './parse-file.ts'
import { readYaml, writeYaml } from './yaml.ts'

const readConfigurationFile = async (text: string) =>
  valuesInFile(await parseFile('configuration.json', text))
const writeConfigurationFile = (from: typeof source) => writeJson(configurationFile(from))

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

test('a file has every value that a person may set, and lists what is left out', async () => {
  const text = writeConfigurationFile(source)
  const { leftOut } = JSON.parse(text) as { leftOut: unknown }
  assert.deepEqual(leftOut, { sensitive: [`${CORE} secret`], writtenByPlugins: [`${CORE} tenant`] })
  assert.deepEqual(await readConfigurationFile(text), [
    { locator: CORE, property: 'name', value: data('Acme') },
    { locator: CORE, property: 'mail', value: service },
    { locator: MAIL, property: 'port', value: data(25) },
  ])
})

test('a file becomes edits of what differs, and names what the scope does not have', async () => {
  const { step, left } = restore(
    (await readConfigurationFile(writeConfigurationFile(source))) ?? [],
    target,
    EMPTY,
  )
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

test('a text that is no configuration file is refused', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"resources":{}}',
    writeConfigurationFile(source).replace('"Data"', '"Odd"'),
  ])
    assert.equal(await readConfigurationFile(text), null, text.slice(0, 40))
})

test('from another scope come the values of the resources that both have', () => {
  assert.deepEqual(
    valuesToCopy(source, target).map(({ property }) => property),
    ['name', 'mail'],
  )
})

test('a domain of a gateway is not copied within its environment', () => {
  const gateway = (value: string) =>
    resource({
      kind: 'GATEWAY',
      properties: { domain: data(value) },
      definitions: { domain: define({ schema: { type: 'string', format: 'hostname' } }) },
    })
  const [from, to] = [
    configuration(1, { [MAIL]: gateway('a.example') }),
    configuration(1, { [MAIL]: gateway('b.example') }),
  ]
  assert.deepEqual(valuesToCopy(from, to), [])
  const elsewhere = { ...to, scope: { ...to.scope, environmentKey: 'elsewhere' } }
  assert.equal(valuesToCopy(from, elsewhere).length, 1)
})

test('a YAML file has the same values as a JSON file', async () => {
  const content = configurationFile(source)
  const text = writeYaml(content)
  assert.deepEqual(readYaml(text), JSON.parse(writeJson(content)))
  assert.deepEqual(valuesInFile(await parseFile('configuration.YML', text)), valuesInFile(content))
  assert.ok(!text.includes('isSensitive'))
})

test('texts that look like other types stay texts in YAML', () => {
  const odd = { a: 'yes', b: '1e3', c: 'null', d: '2026-11-22', e: ' x\ny ', f: '', g: '~', h: '0x10' }
  assert.deepEqual(readYaml(writeYaml(odd)), odd)
})

test('a number that JSON would change is not valid in YAML', () => {
  for (const number of ['.inf', '-.inf', '.nan', '1e400', '9007199254740993', '12345678901234567890123'])
    assert.equal(readYaml(`a: ${number}`), undefined, number)
  const numbers = { a: 9007199254740991, b: -7, c: 0x10, d: 1.5, e: 1e20 }
  assert.deepEqual(readYaml('a: 9007199254740991\nb: -7\nc: 0x10\nd: 1.5\ne: 1e20'), numbers)
})

test('a YAML document that is not valid, or that grows by aliases, has no data', () => {
  for (const text of ['a: [', 'a: 1\na: 2', 'a: &x [1]\nb: [*x, *x]', '%nonsense'])
    assert.equal(readYaml(text), undefined, text)
})

test('the place where a file stops being JSON or YAML is found', async () => {
  const yaml = 'format: x\nresources: [1, 2\nport: 1\n'
  assert.deepEqual(await findFileError('configuration.yaml', yaml), { line: 3, column: 1 })
  assert.deepEqual(await findFileError('configuration.json', '{\n  "format": }'), { line: 2, column: 13 })
  assert.equal(await findFileError('configuration.yaml', 'a: 1'), null)
  assert.equal(await findFileError('configuration.json', '{}'), null)
})
