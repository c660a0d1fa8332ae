import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkValue } from '#contract/json-schema/json-schema.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'
import { translator } from '../../i18n/testing.ts'
import { describeCron } from './controls/describe-cron.ts'
import { setData } from './property-edit.ts'
import { limitsText } from './property-labels.ts'
import { editError } from './edit-error.ts'
import { translateError } from './translate-error.ts'

const en = await translator('en')
const zh = await translator('zh')

describe('validator messages', () => {
  const cases: [schema: JsonValue, value: JsonValue][] = [
    [{ type: 'integer' }, 'x'],
    [{ type: 'string' }, 1],
    [{ type: 'boolean' }, 1],
    [{ type: 'array' }, 1],
    [{ type: 'object' }, 1],
    [{ minimum: 5 }, 1],
    [{ maximum: 5 }, 9],
    [{ exclusiveMinimum: 5 }, 5],
    [{ exclusiveMaximum: 5 }, 5],
    [{ multipleOf: 0.5 }, 0.3],
    [{ minLength: 1 }, ''],
    [{ minLength: 4 }, 'abc'],
    [{ maxLength: 2 }, 'abc'],
    [{ pattern: '^a.b$' }, 'x'],
    [{ format: 'email' }, 'x'],
    [{ format: 'hostname' }, '-'],
    [{ format: 'date-time' }, 'x'],
    [{ format: 'uri' }, 'x y'],
    [{ format: 'uuid' }, 'x'],
    [{ format: 'cron' }, '61 25 * *'],
    [{ format: 'cron' }, '61 2 * * *'],
    [{ format: 'cron' }, '0 0 L * *'],
    [{ format: 'cron' }, '5/15 * * * *'],
    [{ format: 'cron' }, '0 0 31 2 */1'],
    [{ format: 'cron' }, '0 0 30 2 *'],
    [{ format: 'time-zone' }, 'Europe/Nowhere'],
    [{ enum: ['a', 'b', 'c'] }, 'x'],
    [{ minItems: 1 }, []],
    [{ maxItems: 1 }, [1, 2]],
    [{ uniqueItems: true }, [1, 1]],
    [{ required: ['a'] }, {}],
    [{ additionalProperties: false }, { a: 1 }],
    [{ minProperties: 2 }, {}],
    [{ maxProperties: 1 }, { a: 1, b: 1 }],
    [{ const: 5 }, 1],
    [{ contains: { type: 'string' } }, []],
    [{ contains: { type: 'string' }, maxContains: 1 }, ['a', 'b']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }],
    [{ prefixItems: [true], items: false }, [1, 2]],
    [{ not: { type: 'string' } }, 'x'],
    [{ anyOf: [{ minLength: 3 }, { maxLength: 1 }] }, 'ab'],
    [{ oneOf: [true, true] }, 'ab'],
    [{ format: 'ipv4' }, 'x'],
    [{ format: 'time' }, 'x'],
  ]

  it('is the same sentence in English, and a Chinese one in Chinese', () => {
    for (const [schema, value] of cases) {
      const [problem] = checkValue(schema, value)
      assert.ok(problem, JSON.stringify(schema))
      assert.equal(translateError(problem, en), problem.message)
      assert.match(translateError(problem, zh), /\p{Script=Han}/u, problem.message)
    }
  })

  it('formats numbers like the hint at the field', () => {
    const schema = { type: 'integer', minimum: 1, maximum: 65_535 } as const
    const [problem] = checkValue(schema, 70_000)
    assert.ok(problem)
    assert.equal(translateError(problem, en), 'Must be at most 65,535')
    assert.equal(limitsText({ kind: 'DATA', schema }, en), '1 to 65,535')
    assert.equal(limitsText({ kind: 'DATA', schema: { minimum: 0.0001 } }, en), 'at least 0.0001')
    const open = { minimum: 1, exclusiveMaximum: 10 }
    assert.equal(limitsText({ kind: 'DATA', schema: open }, en), 'at least 1 · less than 10')
    assert.equal(limitsText({ kind: 'DATA', schema: { exclusiveMinimum: 0 } }, en), 'more than 0')
    assert.equal(limitsText({ kind: 'DATA', schema: { minItems: 2 } }, en), 'at least 2 items')
  })

  it('is shown unchanged without a translation', () => {
    assert.equal(translateError({ message: 'Must be prime' }, zh), 'Must be prime')
  })

  it('lists types and values in the words of the language', () => {
    const [types] = checkValue({ type: ['string', 'integer', 'null'] }, true)
    assert.ok(types)
    assert.equal(translateError(types, en), 'Must be text, a whole number or no value (null)')
    assert.equal(translateError(types, zh), '应为以下之一：文本、整数、无值（null）')
    const [values] = checkValue({ enum: ['a', 'b', 3] }, 'x')
    assert.ok(values)
    assert.equal(translateError(values, zh), '必须是以下值之一：a、b、3')
  })
})

describe('a sensitive field', () => {
  const definition = { kind: 'DATA', schema: true, isSensitive: true } as const

  it('rejects a mask at once, in both languages', () => {
    for (const mask of [MASK, '********']) {
      const edit = setData(definition, mask)
      assert.match(editError(definition, edit, en) ?? '', /^Must be the value itself, not a mask such as •+$/)
      assert.match(editError(definition, edit, zh) ?? '', /\p{Script=Han}.*•+/u)
    }
    assert.match(
      editError(definition, setData(definition, { password: MASK }), en) ?? '',
      /^password: Must be/,
    )
    assert.equal(editError(definition, setData(definition, 'a real secret'), en), null)
  })
})

describe('a schedule in words', () => {
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
  const words = (text: string) => describeCron(text, en, (days) => days.map((day) => names[day]).join(', '))

  it('describes plain schedules', () => {
    assert.equal(words('* * * * *'), 'Every minute')
    assert.equal(words('*/15 * * * *'), 'Every 15 minutes')
    assert.equal(words('5 * * * *'), 'Every hour at minute 05')
    assert.equal(words('0 */6 * * *'), 'Every 6 hours at minute 00')
    assert.equal(words('30 2 * * *'), 'Every day at 02:30')
    assert.equal(words('0 4 * * 0'), 'At 04:00 on Sun')
    assert.equal(words('0 9 * * 1-5'), 'At 09:00 on Mon, Tue, Wed, Thu, Fri')
    assert.equal(words('0 9 * * 7,1'), 'At 09:00 on Mon, Sun')
    assert.equal(words('15 6 1 * *'), 'At 06:15 on day 1 of the month')
  })

  it('returns nothing instead of an imprecise description', () => {
    for (const text of [
      '',
      '30 2 * *',
      '*/7 * * * *',
      '0 0 1 1 *',
      '0 0 1 * 1',
      '0 0 * * 5-1',
      '99 2 * * *',
      '0 */5 * * *',
    ])
      assert.equal(words(text), null, text)
  })
})
