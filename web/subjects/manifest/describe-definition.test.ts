import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { translator } from '../../i18n/testing.ts'
import { describeDefinition } from './describe-definition.ts'

const en = await translator('en')
const zh = await translator('zh')

const daily = { type: 'object', title: 'Every day', properties: { at: { type: 'string' } } }
const weekly = { type: 'object', properties: { kind: { const: 'weekly' }, on: { type: 'integer' } } }

const cases: [schema: JsonObject | boolean, inEnglish: string, inChinese: string][] = [
  [{ type: 'integer', minimum: 1, maximum: 9 }, 'whole number, 1 to 9', '整数，1 到 9'],
  [{ type: ['string', 'null'] }, 'text or no value', '文本、无值'],
  [{ type: ['string', 'integer', 'boolean'] }, 'text, whole number or on or off', '文本、整数、开或关'],
  [{ oneOf: [daily, weekly] }, 'one of Every day, weekly', '可选值：Every day、weekly'],
  [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'one of text, whole number', '可选值：文本、整数'],
  [
    { oneOf: [daily, weekly, { type: 'null' }] },
    'one of Every day, weekly or no value',
    '可选值：Every day、weekly、无值',
  ],
  [{ oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] }, 'one of First, b', '可选值：First、b'],
  [true, 'any JSON', '任意 JSON'],
]

for (const [schema, inEnglish, inChinese] of cases) {
  test(`describes ${JSON.stringify(schema)}`, () => {
    assert.equal(describeDefinition({ kind: 'DATA', schema }, en), inEnglish)
    assert.equal(describeDefinition({ kind: 'DATA', schema }, zh), inChinese)
  })
}
