import fc from 'fast-check'
import { RESERVED_NAMES } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'

// Values that get lost where texts, files and forms meet.

/** Parts of texts that a control, a file or a reader may take for something else. */
const PARTS = [
  '\n',
  '\r\n',
  '\r',
  '\n\n',
  '\t',
  ' ',
  '  ',
  '\u{a0}',
  '\u{2028}',
  '\u{2029}',
  '\u{85}',
  '\u{3000}',
  '\u{200b}',
  '\u{feff}',
  '\u{202e}',
  '\u{2066}',
  '\u{200d}',
  '\u{301}',
  '\u{1}',
  '\u{1b}',
  '\u{7f}',
  '\u{1f600}',
  '\u{10ffff}',
  '\u{e000}',
  '"',
  "'",
  '\\',
  '\\n',
  '`',
  '#',
  ' #',
  ': ',
  '- ',
  '? ',
  '%',
  '&',
  '*',
  '!',
  '|',
  '>',
  '{',
  '}',
  '[',
  ']',
  ',',
  '---',
  '...',
  '<<',
  'null',
  'true',
  'No',
  '~',
  '0',
  '-0',
  '1.0',
  '0x1F',
  '0o7',
  '1_000',
  '1e3',
  '.inf',
  '.nan',
  '12:30',
  '2024-01-01',
  '=',
  'one',
  'two words',
  'café',
  '中文',
  '\u{5e9}\u{5dc}\u{5d5}\u{5dd}',
  '-----BEGIN CERTIFICATE-----',
  'MIIBszCC',
  '</script>',
  '${x}',
  '{{x}}',
]

const anyPart = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PARTS) },
  // no value has NUL: a database cannot store it
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 6 }).map((text) => text.replaceAll('\0', '')),
  },
)

export const anyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 1, arbitrary: fc.constant('') },
  { weight: 12, arbitrary: fc.array(anyPart, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')) },
  // a text of many lines
  {
    weight: 1,
    arbitrary: fc.array(anyPart, { minLength: 20, maxLength: 40 }).map((parts) => parts.join('\n')),
  },
)

export const anyNumber: fc.Arbitrary<number> = fc
  .oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -100, max: 100 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(
      2 ** 53 - 1,
      1 - 2 ** 53,
      2 ** 53,
      2 ** 60,
      2 ** 63,
      2 ** 64,
      1e20,
      1e21,
      1e-7,
      0.1,
      1.5,
      1e300,
      5e-324,
    ),
  )
  // JSON has one zero
  .map((number) => (number === 0 ? 0 : number))

const anyKey = fc
  .oneof(
    anyText,
    fc.constantFrom('', '0', '10', 'toString', 'a.b', 'a/b', 'a~b', '~1', 'hasOwnProperty', '@type', 'value'),
  )
  .filter((key) => !RESERVED_NAMES.includes(key) && key.length <= 100)

export const anyTextMap: fc.Arbitrary<JsonObject> = fc
  .dictionary(anyKey, anyText, { maxKeys: 5 })
  .map((entries) => ({ ...entries }))

export const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, '', [], {}),
    anyText,
    anyNumber,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 4 }).map((entries) => ({ ...entries })),
  ),
})).value

export const anyObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(anyKey, anyJson, { maxKeys: 4 })
  .map((entries) => ({ ...entries }))
