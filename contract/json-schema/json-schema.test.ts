import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonValue } from './json.ts'
import { checkSchema, checkValue } from './json-schema.ts'
import { TIME_ZONES } from './time-zone.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

const parsed = (text: string): JsonValue => JSON.parse(text) as JsonValue
const problemsOf = (schema: JsonValue, value: JsonValue) =>
  checkValue(schema, value).map(({ path, message }) => `${path}: ${message}`)

/** For each schema: valid values, invalid values, and the resulting problems. */
const keywords: [JsonValue, JsonValue[], [JsonValue, string][]][] = [
  [true, [1, null, {}], []],
  [{}, [1, null, {}], []],
  [false, [], [[1, ': Is not allowed']]],
  [
    { type: 'string' },
    ['', 'a'],
    [
      [1, ': Must be text'],
      [null, ': Must be text'],
    ],
  ],
  [
    { type: 'integer' },
    [0, 1, -3, 1.0, 1e3],
    [
      [1.5, ': Must be a whole number'],
      ['1', ': Must be a whole number'],
    ],
  ],
  [{ type: 'number' }, [0, 1.5], [['1', ': Must be a number']]],
  [{ type: 'boolean' }, [true, false], [[0, ': Must be true or false']]],
  [
    { type: 'null' },
    [null],
    [
      [0, ': Must be no value (null)'],
      ['', ': Must be no value (null)'],
    ],
  ],
  [
    { type: 'object' },
    [{}],
    [
      [[], ': Must be an object'],
      [null, ': Must be an object'],
    ],
  ],
  [{ type: 'array' }, [[]], [[{}, ': Must be a list']]],
  [{ type: ['string', 'null'] }, ['', null], [[1, ': Must be text or no value (null)']]],
  [
    { const: { a: [1] } },
    [{ a: [1.0] }],
    [
      [{ a: [2] }, ': Must be {"a":[1]}'],
      [1, ': Must be {"a":[1]}'],
    ],
  ],
  [
    { enum: ['a', 1, null] },
    ['a', 1, null],
    [
      ['b', ': Must be one of a, 1 or null'],
      [false, ': Must be one of a, 1 or null'],
    ],
  ],
  [{ enum: ['a'] }, ['a'], [['b', ': Must be a']]],
  [
    { minLength: 2 },
    ['ab', '😀😀', 1],
    [
      ['a', ': Must be at least 2 characters'],
      ['😀', ': Must be at least 2 characters'],
    ],
  ],
  [{ maxLength: 1 }, ['', 'a', '😀'], [['ab', ': Must be at most 1 character']]],
  [{ maxLength: 64 }, ['x'.repeat(64)], [['x'.repeat(65), ': Must be at most 64 characters']]],
  [{ pattern: '^a+$' }, ['a', 'aa', 1], [['b', ': Must match the pattern ^a+$']]],
  [{ pattern: 'b' }, ['abc'], [['a', ': Must match the pattern b']]],
  [{ minimum: 1 }, [1, 2, 'a'], [[0.9, ': Must be at least 1']]],
  [{ maximum: 1 }, [1, 0], [[1.1, ': Must be at most 1']]],
  [{ exclusiveMinimum: 1 }, [1.1], [[1, ': Must be more than 1']]],
  [{ exclusiveMaximum: 1 }, [0.9], [[1, ': Must be less than 1']]],
  [{ multipleOf: 0.01 }, [0.29, 1.1, 4.35], [[0.005, ': Must be a multiple of 0.01']]],
  [{ minItems: 1 }, [[1], {}], [[[], ': Must have at least 1 item']]],
  [{ maxItems: 1 }, [[], [1]], [[[1, 2], ': Must have at most 1 item']]],
  [
    { uniqueItems: true },
    [
      [1, 2],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        ': Must not have the same item twice',
      ],
    ],
  ],
  [{ uniqueItems: false }, [[1, 1]], []],
  [
    { contains: { type: 'null' } },
    [[1, null]],
    [
      [[1], ': Must have at least 1 item of the required form'],
      [[], ': Must have at least 1 item of the required form'],
    ],
  ],
  [
    { contains: { const: 1 }, minContains: 2 },
    [[1, 1]],
    [[[1, 2], ': Must have at least 2 items of the required form']],
  ],
  [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
  [
    { contains: { const: 1 }, maxContains: 1 },
    [[1, 2]],
    [[[1, 1], ': Must have at most 1 item of the required form']],
  ],
  [
    { items: { type: 'integer' } },
    [[], [1]],
    [
      [[1, 'a', 2, 'b'], '/1: Must be a whole number'],
      [[null], '/0: Must be a whole number'],
    ],
  ],
  [
    { prefixItems: [{ type: 'string' }], items: false },
    [[], ['a']],
    [
      [['a', 1], '/1: Is not allowed: the list is too long'],
      [[1], '/0: Must be text'],
    ],
  ],
  [
    { prefixItems: [true], unevaluatedItems: false },
    [[1]],
    [[[1, 2], '/1: Is not allowed: the list is too long']],
  ],
  [
    { required: ['a', 'constructor'] },
    [{ a: 1, constructor: 2 }, 1],
    [
      [{ a: 1 }, '/constructor: Is required'],
      [{ constructor: 1 }, '/a: Is required'],
    ],
  ],
  [{ minProperties: 1 }, [{ a: 1 }], [[{}, ': Must have at least 1 property']]],
  [{ maxProperties: 1 }, [{ a: 1 }], [[{ a: 1, b: 2 }, ': Must have at most 1 property']]],
  [{ properties: { a: { type: 'string' } } }, [{ a: '' }, { b: 1 }, {}], [[{ a: 1 }, '/a: Must be text']]],
  [{ properties: { a: false } }, [{}], [[{ a: 1 }, '/a: Is not allowed']]],
  [
    { properties: { a: true }, additionalProperties: false },
    [{ a: 1 }],
    [[{ b: 1 }, '/b: Is not a known property']],
  ],
  [{ additionalProperties: { type: 'string' } }, [{ a: '' }], [[{ a: 1 }, '/a: Must be text']]],
  [
    { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    [{ 'x-a': '' }],
    [
      [{ 'x-a': 1 }, '/x-a: Must be text'],
      [{ y: 1 }, '/y: Is not a known property'],
    ],
  ],
  [
    { propertyNames: { maxLength: 2 } },
    [{ ab: 1 }],
    [[{ abc: 1 }, '/abc: The name must be at most 2 characters']],
  ],
  [
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    [{ a: 1 }],
    [[{ b: 1 }, '/b: Is not a known property']],
  ],
  [
    { dependentRequired: { a: ['b'] } },
    [{}, { b: 1 }, { a: 1, b: 1 }],
    [[{ a: 1 }, '/b: Is required together with a']],
  ],
  [{ dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [[{ a: 1 }, '/b: Is required']]],
  [
    { allOf: [{ minimum: 1 }, { maximum: 2 }] },
    [1, 2],
    [
      [0, ': Must be at least 1'],
      [3, ': Must be at most 2'],
    ],
  ],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['', null], [[1, ': Must be text or no value (null)']]],
  [
    { anyOf: [{ type: 'string', maxLength: 1 }, { type: 'null' }] },
    ['', null],
    [['ab', ': Must be at most 1 character']],
  ],
  [{ anyOf: [{ minimum: 5 }, { maximum: 2 }] }, [1, 5], [[3, ': Must match one of the 2 allowed forms']]],
  [
    { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    [1.5],
    [
      [1, ': Must match only one of the 2 allowed forms'],
      ['', ': Must be a whole number or a number'],
    ],
  ],
  [
    {
      oneOf: ['a', 'b'].map((kind) => ({
        properties: { kind: { const: kind }, n: { type: kind === 'a' ? 'integer' : 'string' } },
      })),
    },
    [
      { kind: 'a', n: 1 },
      { kind: 'b', n: '' },
    ],
    [[{ kind: 'b', n: 1 }, '/n: Must be text']],
  ],
  [{ not: { type: 'string' } }, [1], [['', ': Must not have the excluded form']]],
  [
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } },
    [{ a: 1, b: 1 }, { c: 1 }],
    [
      [{ a: 1 }, '/b: Is required'],
      [{}, '/c: Is required'],
    ],
  ],
  [{ $ref: '#/$defs/n', $defs: { n: { minimum: 1 } } }, [1], [[0, ': Must be at least 1']]],
  [{ $ref: '#n', definitions: { x: { $anchor: 'n', minimum: 1 } } }, [1], [[0, ': Must be at least 1']]],
  [{ $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'string' } } }, ['a'], [[0, ': Must be text']]],
  [
    { properties: { next: { $ref: '#' }, n: { type: 'integer' } } },
    [{ next: { next: { n: 1 } } }],
    [[{ next: { next: { n: 'a' } } }, '/next/next/n: Must be a whole number']],
  ],
  [
    { properties: { 'a/b~c d#é"%': { type: 'string' } } },
    [{ 'a/b~c d#é"%': '' }],
    [[{ 'a/b~c d#é"%': 1 }, '/a~1b~0c d#é"%: Must be text']],
  ],
  [
    {
      properties: {
        not: { type: 'string' },
        anyOf: { type: 'string' },
        contains: { type: 'string' },
        allOf: { properties: { 0: { type: 'string' } } },
      },
    },
    [{ not: '' }, { allOf: [1] }],
    [
      [{ not: 1 }, '/not: Must be text'],
      [{ contains: 1 }, '/contains: Must be text'],
      [{ anyOf: 1 }, '/anyOf: Must be text'],
      [{ allOf: { 0: 1 } }, '/allOf/0: Must be text'],
    ],
  ],
  [
    {
      title: 'A',
      description: 'B',
      default: 1,
      examples: [1],
      deprecated: true,
      readOnly: true,
      writeOnly: true,
      $comment: 'c',
      'x-hint': { type: 5 },
    },
    [1, 'a'],
    [],
  ],
]

for (const [schema, satisfied, failed] of keywords)
  test(`values of ${JSON.stringify(schema)}`, () => {
    assert.deepEqual(checkSchema(schema), [])
    for (const value of satisfied) assert.deepEqual(problemsOf(schema, value), [], JSON.stringify(value))
    for (const [value, message] of failed)
      assert.ok(
        problemsOf(schema, value).includes(message),
        `${JSON.stringify(value)}: ${problemsOf(schema, value).join('; ')}`,
      )
  })

const formats: Record<string, [JsonValue[], JsonValue[]]> = {
  cron: [
    [
      '0 6 1 * *',
      '*/15 * * * *',
      '0 8-18/2 * * MON-FRI',
      '5-59/20 0,12 * jan,7 7',
      '0 0 29 2 *',
      '0 0 31 2 1',
      ' 0\t6  1 * * ',
      '0 0 * * */2',
      '0 0 */2 * *',
      '0 0 1-31/2 * MON',
    ],
    [
      '0 0\n1 1 *',
      '0 0 1 1 *\n',
      '0\u00a00 1 1 *',
      '0 0 1\r1 *',
      '0 0\u20281 1 *',
      '0 0 31 2 */1',
      '0 0 */2 * MON',
      '0 0 L * *',
      '0 0 15W * *',
      '0 0 * * MON#2',
      '0 0 ? * MON',
      '0 0 * * 5L',
      '61 25 * *',
      '61 * * * *',
      '0 24 * * *',
      '0 0 0 * *',
      '0 0 * 13 *',
      '0 0 * * 8',
      '0 0 30 2 *',
      '0 0 31 4,6 *',
      '5/20 * * * *',
      '*/60 * * * *',
      '*/0 * * * *',
      '* * * *',
    ],
  ],
  'time-zone': [
    'Europe/Berlin UTC Asia/Tokyo Japan America/Argentina/Buenos_Aires Etc/GMT+5 Asia/Kolkata Asia/Calcutta Europe/Kyiv Europe/Kiev US/Eastern GB EST5EDT'.split(
      ' ',
    ),
    'Europe/Nowhere europe/berlin +01:00 Mars/Olympus asia/kolkata us/eastern gmt etc/utc EUROPE/KYIV BST PST IST SystemV/EST5 Factory constructor'
      .split(' ')
      .concat('', 'UTC '),
  ],
  date: [['2024-02-29'], ['2023-02-29', '2024-2-29', '']],
  'date-time': [
    ['2026-01-31T08:00:00Z', '2026-01-31T08:00:00.5+01:00'],
    ['2026-01-31T08:00:00', '2026-01-31', 'now'],
  ],
  time: [['08:00:00Z'], ['08:00', '25:00:00Z']],
  duration: [
    ['PT15M', 'P1W'],
    ['15m', 'P'],
  ],
  email: [
    ['a@example.com', 'a.b+c@example.co'],
    ['a', 'a@', '@b', 'a b@example.com', 'a@b c'],
  ],
  hostname: [
    ['example.com', 'localhost'],
    ['-a.com', 'a_b.com', 'a..b', ''],
  ],
  ipv4: [['127.0.0.1'], ['256.0.0.1', '1.2.3', '::1']],
  ipv6: [
    ['::1', 'fe80::1', '::ffff:1.2.3.4'],
    ['1.2.3.4', ':::', 'g::'],
  ],
  uri: [
    ['https://example.com/a?b#c', 'urn:a:b', 'mailto:a@b.c'],
    ['/a', 'example', ''],
  ],
  'uri-reference': [
    ['/a', '?b', 'https://a'],
    ['a b', '\\a'],
  ],
  'uri-template': [['/a/{b}'], ['/a/{b']],
  uuid: [['0198c0de-0000-7000-8000-000000000001'], ['0198c0de', '']],
  'json-pointer': [
    ['', '/a/0'],
    ['a', '/~2'],
  ],
  'relative-json-pointer': [['0', '1/a'], ['/a']],
  regex: [['^a+$'], ['(', '[']],
}
for (const [format, [satisfied, failed]] of Object.entries(formats))
  test(`format ${format}`, () => {
    for (const value of [...satisfied, 1, null])
      assert.deepEqual(problemsOf({ format }, value), [], JSON.stringify(value))
    for (const value of failed) {
      const [problem, ...more] = checkValue({ format }, value)
      assert.deepEqual([problem?.keyword, more], ['format', []], JSON.stringify(value))
      assert.match(problem?.message ?? '', /^Must be an? /)
    }
  })

test('a format of somebody else is a remark', () => {
  assert.deepEqual(checkSchema({ format: 'color' }), [])
  assert.deepEqual(problemsOf({ format: 'color' }, 'x'), [])
})

const unusable: [JsonValue, string, RegExp][] = [
  [null, '', /object, true or false/],
  ['string', '', /object, true or false/],
  [[], '', /object, true or false/],
  [{ type: 'text' }, '/type', /array, boolean, integer/],
  [{ type: [] }, '/type', /different/],
  [{ type: ['string', 'string'] }, '/type', /different/],
  [{ enum: [] }, '/enum', /at least one value/],
  [{ enum: 'a' }, '/enum', /list/],
  [{ required: 'a' }, '/required', /list/],
  [{ required: ['a', 'a'] }, '/required', /different/],
  [{ required: [1] }, '/required', /names/],
  [{ dependentRequired: { a: 'b' } }, '/dependentRequired', /lists/],
  [{ minLength: -1 }, '/minLength', /0 or more/],
  [{ maxLength: 1.5 }, '/maxLength', /whole number/],
  [{ maxItems: '1' }, '/maxItems', /whole number/],
  [{ minimum: '1' }, '/minimum', /number/],
  [{ exclusiveMinimum: true }, '/exclusiveMinimum', /number/],
  [{ multipleOf: 0 }, '/multipleOf', /above 0/],
  [{ uniqueItems: 1 }, '/uniqueItems', /true or false/],
  [{ title: 1 }, '/title', /text/],
  [{ format: [] }, '/format', /text/],
  [{ pattern: 1 }, '/pattern', /text/],
  [{ pattern: '(' }, '/pattern', /regular expression/],
  [{ pattern: '^(a+)+$' }, '/pattern', /endlessly/],
  [{ patternProperties: { '(a*)*': true } }, '/patternProperties', /endlessly/],
  [{ patternProperties: { '.*a': true } }, '/patternProperties', /begin it with \^/],
  [{ patternProperties: [] }, '/patternProperties', /object of schemas/],
  [{ properties: [] }, '/properties', /object of schemas/],
  [{ properties: { a: { b: { type: 1 } }, c: 1 } }, '/properties/c', /object, true or false/],
  [{ properties: { 'a/b': { type: 1 } } }, '/properties/a~1b/type', /one/],
  [{ items: [{}] }, '/items', /object, true or false/],
  [{ items: { items: 1 } }, '/items/items', /object, true or false/],
  [{ allOf: [] }, '/allOf', /at least one schema/],
  [{ anyOf: {} }, '/anyOf', /at least one schema/],
  [{ oneOf: [1] }, '/oneOf/0', /object, true or false/],
  [{ $schema: 'http://json-schema.org/draft-07/schema#' }, '/$schema', /2020-12/],
  [{ $dynamicRef: '#a' }, '/$dynamicRef', /not supported/],
  [{ dependencies: {} }, '/dependencies', /dependentRequired/],
  [{ additionalItems: false }, '/additionalItems', /prefixItems/],
  [{ properties: { a: { $id: 'https://a' } } }, '/properties/a/$id', /at the top/],
  [{ $anchor: 'a', items: { $anchor: 'a' } }, '/items/$anchor', /one schema only/],
  [{ $anchor: '/a' }, '/$anchor', /letters/],
  [{ $ref: 1 }, '/$ref', /text/],
  [{ $ref: 'https://example.com/a' }, '/$ref', /of this document/],
  [{ $ref: 'other.json#/a' }, '/$ref', /of this document/],
  [{ $ref: '#/$defs/missing' }, '/$ref', /of this document/],
  [{ $ref: '#missing' }, '/$ref', /of this document/],
  [{ $ref: '#/default', default: {} }, '/$ref', /of this document/],
  [{ $ref: '#/%' }, '/$ref', /of this document/],
  [{ $ref: '#' }, '', /refer to itself/],
  [{ properties: { a: { $ref: '#/properties/a' } } }, '/properties/a', /refer to itself/],
]
for (const [schema, path, words] of unusable)
  test(`${JSON.stringify(schema)} cannot be used`, () => {
    const [problem, ...more] = checkSchema(schema)
    assert.equal(problem?.path, path)
    assert.match(problem?.message ?? '', words)
    assert.deepEqual(more, [])
    assert.deepEqual(problemsOf(schema, 1), [': Cannot be checked, because its schema is not valid'])
  })

test('references may come back through a property or an item, not on the spot', () => {
  const by = (link: JsonValue): JsonValue => ({ $ref: '#/$defs/a', $defs: { a: link } })
  for (const keyword of ['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems'])
    assert.deepEqual(checkSchema(by({ [keyword]: { $ref: '#/$defs/a' } })), [], keyword)
  for (const keyword of ['not', 'if', 'then', 'else'])
    assert.equal(checkSchema(by({ [keyword]: { $ref: '#/$defs/a' } })).length, 1, keyword)
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    assert.equal(checkSchema(by({ [keyword]: [true, { $ref: '#/$defs/a' }] })).length, 1, keyword)
  assert.equal(checkSchema(by({ dependentSchemas: { x: { $ref: '#' } } })).length, 1)
})

test('schemas may nest 32 levels deep, not 33', () => {
  const nested = (depth: number): JsonValue => (depth === 1 ? {} : { items: nested(depth - 1) })
  assert.deepEqual(checkSchema(nested(32)), [])
  assert.match(checkSchema(nested(33))[0]?.message ?? '', /deeper than 32/)
  assert.match(checkSchema(nested(3000))[0]?.message ?? '', /deeper than 32/)
})

test('values may nest 128 levels deep, not 129', () => {
  const nested = (depth: number): JsonValue => (depth === 0 ? 1 : [nested(depth - 1)])
  assert.deepEqual(problemsOf({ items: { $ref: '#' } }, nested(128)), [])
  assert.match(problemsOf({ items: { $ref: '#' } }, nested(129)).join(), /deeper than 128/)
})

test('neither the schema nor the value is modified', () => {
  const schema = parsed(
    '{"$id": "https://a/b", "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": false}}',
  )
  const freeze = (value: unknown): void => {
    if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze)
  }
  freeze(schema)
  assert.deepEqual(problemsOf(schema, Object.freeze({ a: 1 })), ['/a: Is not allowed'])
})

test('names from the prototype and from other drafts have no special meaning', () => {
  const schema = parsed(
    '{"properties": {"__proto__": {"type": "string"}}, "required": ["toString"], "id": "#", "__absolute_ref__": "x"}',
  )
  assert.deepEqual(problemsOf(schema, parsed('{"__proto__": 1}')), [
    '/toString: Is required',
    '/__proto__: Must be text',
  ])
  assert.deepEqual(problemsOf({ additionalProperties: false }, parsed('{"__proto__": 1}')), [
    '/__proto__: Is not a known property',
  ])
  assert.deepEqual(problemsOf({ properties: { constructor: { type: 'string' } } }, {}), [])
})

test('a name that is not well-formed Unicode is reported, not thrown', () => {
  assert.match(problemsOf({ additionalProperties: false }, { '\ud800': 1 }).join(), /well-formed/)
  assert.match(checkSchema({ properties: { '\ud800': true } })[0]?.message ?? '', /well-formed/)
})

test('no message repeats the value', () => {
  const secret = 'hunter2hunter2'
  const schemas: JsonValue[] = [
    ...keywords.map(([schema]) => schema),
    ...Object.keys(formats).map((format) => ({ format })),
  ]
  for (const schema of schemas)
    for (const value of [secret, [secret, secret], { a: secret, b: [secret] }])
      for (const { message } of checkValue(schema, value)) assert.ok(!message.includes(secret), message)
})

test('every problem of a value has a reason, however much it would have to repeat', () => {
  const long = 'x'.repeat(300)
  const problems = [
    ...keywords.flatMap(([schema, , invalid]) => invalid.flatMap(([value]) => checkValue(schema, value))),
    ...[{ pattern: `^${long}$` }, { const: long }, { enum: [long, 'b'] }].flatMap((schema) =>
      checkValue(schema, 'a'),
    ),
    ...checkValue({ propertyNames: { pattern: `^${long}$` } }, { a: 1 }),
    ...checkValue({ propertyNames: { enum: [long, 'b'] } }, { a: 1 }),
    ...checkValue({ dependentRequired: { [long]: ['a'] } }, { [long]: 1 }),
  ]
  assert.ok(problems.length > 60)
  assert.deepEqual(
    problems.filter(({ parameters }) => parameters === undefined),
    [],
  )
})

test('a message stays short, however long the texts of the schema are', () => {
  const long = 'x'.repeat(1000)
  const schemas: JsonValue[] = [
    { pattern: `^${long}$` },
    { const: long },
    { enum: [long, 'a'] },
    { dependentRequired: { [long]: ['b'] } },
    { format: 'email' },
  ]
  for (const schema of schemas)
    for (const value of ['a b', { [long]: 1 }])
      for (const { message } of checkValue(schema, value)) assert.ok(message.length <= 256, message)
})

test('the caller owns the returned problems', () => {
  const schema = { type: 'text' }
  checkSchema(schema).pop()
  assert.equal(checkSchema(schema).length, 1)
})

test('no value takes long or causes an exception, whatever the schema (C07, J01)', () => {
  const many = (item: JsonValue): JsonValue => Array.from({ length: 100_000 }, () => item)
  const list = <Item>(length: number, item: (index: number) => Item): Item[] =>
    Array.from({ length }, (_, index) => item(index))
  const named = (length: number, name: string, held: JsonValue): JsonValue =>
    Object.fromEntries(list(length, (index) => [`${name}${index}`, held]))
  const branch = (name: string): JsonValue => ({ required: [name], properties: { x: { $ref: '#/$defs/a' } } })
  const doubling: JsonValue = { $ref: '#/$defs/a', $defs: { a: { anyOf: [branch('k'), branch('l')] } } }
  let deep: JsonValue = {}
  for (let depth = 0; depth < 100; depth += 1) deep = { x: deep }
  const chain = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: index === 4999 ? '#/$defs/end' : `#/$defs/d${index + 1}` }] },
    ]),
  )
  const wrongItems = { items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }
  // each is long, and they are few
  const longNames = Object.fromEntries(list(99, (index) => [`${'a'.repeat(1900)}${index}`, 1]))
  // an item shows only at its end that it is another one
  const alikeLists = list(2000, (index) => [...list(200, () => 0), index])
  let nestedLists: JsonValue = list(50_000, (index) => index)
  for (let depth = 0; depth < 100; depth += 1) nestedLists = [nestedLists]
  const slow: [JsonValue, JsonValue, RegExp][] = [
    [doubling, deep, /allowed forms|too large/],
    [{ items: { type: 'string' } }, many(1), /text|too large/],
    [{ items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, many(1), /text|too large/],
    [{ uniqueItems: true }, [...list(100_000, (index) => index), 0], /same item twice/],
    [{ pattern: '=.*=$' }, '='.repeat(1_000_000), /at most \d+ characters/],
    [{ pattern: '^[a-z]+$' }, `${'a'.repeat(1_000_000)}!`, /pattern/],
    [{ $ref: '#/$defs/d0', $defs: { ...chain, end: false } }, many(1), /not allowed|too large/],
    [
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      many(1),
      /text|too large/,
    ],
    [{ items: { pattern: '^.*=.*=.*=.*;$' } }, list(100, () => '='.repeat(249)), /too large/],
    [
      { items: { allOf: list(400, () => ({ pattern: '^a+b$' })) } },
      list(100, () => 'a'.repeat(10_000)),
      /too large/,
    ],
    [{ anyOf: list(2000, (index) => ({ maxLength: index })) }, 'a'.repeat(1_000_000), /too large/],
    [{ patternProperties: named(400, '^[a-z]*[0-9]*N', true) }, longNames, /too large/],
    [{ pattern: '^a', patternProperties: named(400, '^[a-z]*[0-9]*N', true) }, longNames, /too large/],
    [
      { propertyNames: { allOf: list(400, () => ({ pattern: '^[a-z]*N' })) } },
      longNames,
      /The name must match/,
    ],
    [{ allOf: list(5000, () => ({ additionalProperties: true })) }, longNames, /too large/],
    [
      { items: { anyOf: list(2000, (index) => ({ const: -index })) } },
      list(5000, (index) => index + 1),
      /too large/,
    ],
    [{ items: { enum: list(20_000, (index) => -index) } }, list(50_000, (index) => index + 1), /too large/],
    [{ items: { required: list(5000, (index) => `a${index}`) } }, list(5000, () => ({})), /too large/],
    [{ uniqueItems: true, items: { $ref: '#' } }, nestedLists, /too large/],
    [{ patternProperties: named(500, '^x', true) }, named(20_000, 'k', 1), /too large/],
    [{ anyOf: list(2000, () => ({ type: 'string' })) }, named(20_000, 'k', 1), /too large/],
    [{ uniqueItems: true }, [...alikeLists, alikeLists[0] ?? null], /same item twice/],
    [{ additionalProperties: wrongItems }, { ['é'.repeat(60_000)]: list(10_000, () => 1) }, /too large/],
    [{ additionalProperties: wrongItems }, { ['é'.repeat(2000)]: list(10_000, () => 1) }, /too large/],
    [{ additionalProperties: wrongItems }, { ['é'.repeat(330)]: list(10_000, () => 1) }, /text/],
    [
      { items: { allOf: list(400, () => ({ properties: { ['é'.repeat(300)]: true } })) } },
      list(1000, () => ({ ['é'.repeat(300)]: 1 })),
      /too large/,
    ],
    [
      { items: { allOf: list(50, () => ({ multipleOf: 5e-324 })) } },
      list(10_000, (index) => 1e308 + index * 1e292),
      /too large/,
    ],
    [{ allOf: list(500, () => ({ format: 'regex' })) }, 'a.'.repeat(100_000), /too large/],
  ]
  for (const [schema, value, words] of slow) {
    const endWork = boundWork(5)
    assert.match(problemsOf(schema, value).join('; '), words)
    endWork(words.source)
  }
})

test('a large value with an ordinary schema is checked', () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `word-${index}`)
  const word = { type: 'string', pattern: '^[a-z]+-[0-9]+$', maxLength: 63 }
  const tags = { type: 'array', uniqueItems: true, items: word }
  const user = {
    properties: { name: { maxLength: 64 }, mail: { format: 'email' }, role: { maxLength: 32 } },
  }
  const rule = { cidr: ['10.0.0.0/8', '192.168.0.0/16'], ports: [80, 443], owner: { name: 'a', mail: 'b' } }
  const host = { pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', maxLength: 63 }
  const ordinary: [JsonValue, JsonValue][] = [
    [{ items: { type: 'integer' } }, Array.from({ length: 500_000 }, () => 1)],
    [{ items: { $ref: '#/$defs/word' }, $defs: { word } }, words],
    [
      { additionalProperties: word, propertyNames: word },
      Object.fromEntries(words.map((name) => [name, name])),
    ],
    [{ uniqueItems: true }, words],
    [{ uniqueItems: true }, words.slice(0, 2000).map((name) => ({ source: rule, target: rule, name }))],
    [{ items: { uniqueItems: true } }, words.slice(0, 25).map(() => words.slice(0, 2000))],
    [{ items: tags }, Array.from({ length: 100 }, (_, index) => words.slice(100 * index, 100 * index + 200))],
    [{ items: { anyOf: [word, { type: 'null' }] } }, [...words, null]],
    [
      { properties: { script: { maxLength: 262_144 } }, additionalProperties: tags },
      { script: 'x'.repeat(200_000), words: words.slice(0, 500) },
    ],
    [{ additionalProperties: word }, { ['名'.repeat(400)]: 'word-1' }],
    [{ additionalProperties: { items: word } }, { ['名'.repeat(250)]: words }],
    // a long text costs nothing where others are checked
    [
      { properties: { users: { items: user } } },
      {
        logo: 'x'.repeat(100_000),
        users: words.slice(0, 5000).map((name) => ({ name, mail: `${name}@a.b`, role: 'user' })),
      },
    ],
    [{ properties: { hosts: { items: host } } }, { script: 'x'.repeat(100_000), hosts: words }],
    [
      { items: { pattern: '^a+$' } },
      [...Array.from({ length: 5000 }, () => 'a'.repeat(200)), 'a'.repeat(250_000)],
    ],
  ]
  for (const [schema, value] of ordinary) assert.deepEqual(problemsOf(schema, value), [])
})

test('items are compared only where they must be unique, and with all that is in them', () => {
  const schema = {
    allOf: [{ uniqueItems: true }],
    items: { uniqueItems: true, properties: { tags: { uniqueItems: true } } },
    contains: { const: 'x' },
    additionalProperties: { uniqueItems: true },
  }
  for (const [value, problems] of [
    [['x', {}, { tags: [1, '1', true, [1], ['1']] }, [{}, [], null]], []],
    [['x', { tags: [0, 1, -0] }], ['/1/tags']],
    [['x', [[], []], { other: [1, 1] }], ['/1']],
    [['x', { a: 1, b: [2] }, 'y', { b: [2.0], a: 1 }], ['']],
    [{ a: [1, 2], b: [null, 2, null], c: 'aa' }, ['/b']],
    [[{}, []], ['']],
  ] as const)
    assert.deepEqual(
      checkValue(schema, parsed(JSON.stringify(value))).map(({ path }) => path),
      problems,
      JSON.stringify(value),
    )
})

test('at most 100 problems are reported', () => {
  assert.equal(
    checkValue(
      { items: { type: 'string' } },
      Array.from({ length: 500 }, () => 1),
    ).length,
    100,
  )
})

test('any JSON value is either rejected as a schema or works (C07)', () => {
  const words = [
    'type',
    'items',
    'anyOf',
    'properties',
    '$ref',
    'not',
    'const',
    'enum',
    'required',
    'pattern',
    'minLength',
    'if',
    'then',
    '$defs',
    'contains',
  ]
  const leaf = fc.constantFrom<JsonValue>('string', 'integer', '#', '#/items', 'a', 1, true, false, null)
  const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('schema'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...words), tie('schema'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(schema, fc.jsonValue() as fc.Arbitrary<JsonValue>, (tried, value) => {
      for (const { path, message } of [...checkSchema(tried), ...checkValue(tried, value)])
        assert.ok(/^(\/|$)/.test(path) && message !== '')
    }),
    { numRuns: 2000 },
  )
})

test('every time zone that the engine offers has a name here, and none of ours is unknown to it', () => {
  const ours = new Set(TIME_ZONES)
  assert.deepEqual(
    Intl.supportedValuesOf('timeZone').filter((zone) => !ours.has(zone)),
    [],
    'the time zone database has new names: add them',
  )
  for (const timeZone of TIME_ZONES)
    assert.doesNotThrow(() => new Intl.DateTimeFormat('en', { timeZone }), timeZone)
})

test('a schedule is refused with its reason', () => {
  for (const [text, reason] of [
    ['61 * * * *', 'a schedule of five fields such as 30 2 * * 1-5'],
    ['0 0\n1 1 *', 'in one line with spaces between them'],
    ['0 0 L * *', 'without L, W, # and ?'],
    ['0 0 * * 5L', 'without L, W, # and ?'],
    ['5/15 * * * *', 'such as 5-59/15'],
    ['0 0 31 2 */1', 'limits the day of the month or the day of the week'],
    ['0 0 30 2 *', 'these months do not have such a day'],
  ] as const)
    assert.ok(problemsOf({ format: 'cron' }, text).join().includes(reason), text)
})
