import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { translator } from '../../i18n/testing.ts'
import { editError } from './edit-error.ts'
import { editWith, setData } from './property-edit.ts'
import { propertyTitle, titledPath, titledSteps } from './property-labels.ts'

test('a property has the title of its schema, a reference the words of its name', () => {
  assert.equal(propertyTitle({ kind: 'DATA', schema: { type: 'string', title: 'Plan' } }, 'plan'), 'Plan')
  assert.equal(propertyTitle({ kind: 'DATA', schema: { type: 'string' } }, 'seatPlan'), 'seatPlan')
  assert.equal(propertyTitle(undefined, 'mailGateway'), 'mailGateway')
  const words: Record<string, string> = {
    archive: 'Archive',
    mailGateway: 'Mail gateway',
    'mail-gateway_2': 'Mail gateway 2',
    ordersAPI: 'Orders API',
    归档: '归档',
    __: '__',
  }
  for (const [name, title] of Object.entries(words))
    assert.equal(propertyTitle({ kind: 'SERVICE_REFERENCE' }, name), title)
})

const en = await translator('en')

const variant = (by: string, host: string): JsonObject => ({
  type: 'object',
  properties: {
    by: { const: by },
    host: { type: 'string', title: host },
    ports: { type: 'array', title: `${host} ports`, items: { type: 'integer' } },
  },
  required: ['by', 'host'],
})
const schema: JsonObject = { oneOf: [variant('mail', 'Mail host'), variant('web', 'Web host')] }

const pathIn = (value: JsonValue, pointer: string, whole = schema) =>
  titledPath({ schema: whole, value }, pointer, en)

test('an error in a variant is named by the title in that variant', () => {
  const definition = { kind: 'DATA', schema } as const
  assert.equal(editError(definition, setData(definition, { by: 'web' }), en), 'Web host: Is required')
  assert.equal(
    editError(definition, setData(definition, { by: 'mail', host: 'a', ports: ['x'] }), en),
    'Mail host ports › Item 1: Must be a whole number',
  )
})

test('a variant that is not known is the first one with the name', () => {
  assert.equal(pathIn({ by: 'other' }, '/host'), 'Mail host')
  const apart: JsonObject = {
    anyOf: [
      { type: 'object', properties: { url: { type: 'string', title: 'Address' } } },
      { type: 'object', properties: { path: { type: 'string', title: 'File' } } },
    ],
  }
  assert.equal(pathIn({}, '/path', apart), 'File')
  assert.equal(pathIn({}, '/other', apart), 'other')
})

test('variants are found inside lists, objects, and beside null', () => {
  const whole: JsonObject = {
    type: 'object',
    properties: {
      targets: {
        type: 'array',
        title: 'Targets',
        items: { oneOf: [...(schema['oneOf'] as JsonObject[]), { type: 'null' }] },
      },
    },
  }
  assert.equal(
    pathIn({ targets: [{ by: 'mail' }, { by: 'web' }] }, '/targets/1/host', whole),
    'Targets › Item 2 › Web host',
  )
})

test('a step to an item is named by its key, or else by its position', () => {
  const rules: JsonObject = {
    type: 'array',
    items: { type: 'object', properties: { rate: { type: 'number', title: 'Rate' } } },
  }
  const named = (key: string | null) =>
    titledSteps({ schema: rules, value: [] }, [{ name: 'x', position: 2, key }, 'rate'], en)
  assert.equal(named('DE'), 'DE › Rate')
  assert.equal(named(null), 'Item 2 › Rate')
  assert.equal(
    titledSteps({ schema: {}, value: null }, [{ name: '0', position: 1, key: null }], en),
    'Item 1',
  )
})

test('a name of the prototype is not a member', () => {
  assert.equal(pathIn({}, '/constructor', { type: 'object', properties: {} }), 'constructor')
})

test('a key that cannot be used is named by its map, not by the key that the entry has until then', () => {
  const map: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }
  const refused = (whole: JsonObject, value: JsonValue, path: string, key: string) => {
    const definition = { kind: 'DATA', schema: whole } as const
    return editError(definition, editWith(definition, value, { [path]: { key } }), en)
  }
  assert.equal(refused(map, { app: '', ap: '' }, '/ap', 'app'), 'The key app is already used')
  assert.equal(refused(map, { ap: '' }, '/ap', ''), 'Enter a key')
  const inside: JsonObject = { type: 'object', properties: { labels: { ...map, title: 'Labels' } } }
  assert.equal(
    refused(inside, { labels: { app: '', 'a/p': '' } }, '/labels/a~1p', 'app'),
    'Labels: The key app is already used',
  )
})
