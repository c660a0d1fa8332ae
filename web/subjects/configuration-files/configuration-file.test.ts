import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { EMPTY } from '../../pages/configuration/draft/draft.ts'
import {
  configuration,
  CORE,
  data,
  define,
  hidden,
  MAIL,
  resource,
} from '../../pages/configuration/testing.ts'
import { restore } from '../../pages/configuration/draft/restore.ts'
import { configurationFile, parseFile, writeJson } from './configuration-file.ts'
import { leftOutOf, originOf, valuesInFile } from './values-in-file.ts'
import { fileErrorText } from './file-error.ts'
import { readYaml, writeYaml } from './yaml.ts'

const readConfigurationFile = async (text: string) =>
  valuesInFile((await parseFile('configuration.json', text)).value)
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

test('a file says where it comes from, and what it does not contain', () => {
  const content: unknown = JSON.parse(writeConfigurationFile(source))
  assert.deepEqual(originOf(content), source.scope)
  assert.deepEqual(leftOutOf(content), {
    sensitive: [{ locator: CORE, property: 'secret' }],
    plugin: [{ locator: CORE, property: 'tenant' }],
  })
  for (const scope of [undefined, null, 'production/eu/1', { environmentKey: 'production' }]) {
    const edited = { ...(content as object), scope, leftOut: [] }
    assert.equal(originOf(edited), null)
    assert.deepEqual(leftOutOf(edited), { sensitive: [], plugin: [] })
    assert.equal(valuesInFile(edited)?.length, 3)
  }
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

test('a text that is not a configuration file is refused', async () => {
  for (const text of [
    '',
    '{',
    '[]',
    '{"resources":{}}',
    writeConfigurationFile(source).replace('"Data"', '"Odd"'),
  ])
    assert.equal(await readConfigurationFile(text), null, text.slice(0, 40))
})

test('a YAML file has the same values as a JSON file', async () => {
  const content = configurationFile(source)
  const text = writeYaml(content)
  assert.deepEqual(readYaml(text).value, JSON.parse(writeJson(content)))
  const { value } = await parseFile('configuration.YML', text)
  assert.deepEqual(valuesInFile(value), valuesInFile(content))
  assert.ok(!text.includes('isSensitive'))
})

test('a JSON file is refused where its values would change', async () => {
  const t = await translator('en')
  const refusal = async (value: string) => {
    const text = writeConfigurationFile(source).replace('"Acme"', value)
    const { error } = await parseFile('configuration.json', text)
    return error === null ? 'accepted' : fileErrorText(error, t)
  }
  assert.equal(await refusal('"Umbrella"'), 'accepted')
  assert.match(await refusal('9007199254740993'), /^Line 22, column 18: This number cannot be kept exactly/)
  assert.match(await refusal('{"a": 1, "a": 2}'), /^Line 22, column 27: The same key/)
  assert.match(await refusal('"\\ud800"'), /^Line 22, column 18: A text contains half of a character/)
  assert.match(await refusal('"\\u0000"'), /^Line 22, column 18: A text cannot contain the character NUL/)
  assert.match(await refusal('{"__proto__": 1}'), /^Line 22, column 19: The key __proto__ is not allowed/)
})
