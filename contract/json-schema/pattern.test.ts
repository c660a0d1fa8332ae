import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KEY_PATTERN, LOCATOR_PATTERN, PROPERTY_NAME_PATTERN } from '../protocol/locator.ts'
import { patternCost } from './pattern.ts'
import { boundWork } from '../../lab/verification/bound-work.ts'

const degree = (pattern: string): number | string => {
  const cost = patternCost(pattern)
  return cost.usable ? cost.degree : cost.problem
}

const linear = [
  '',
  '^$',
  '^[a-z]+$',
  '^(?:a|b|c)*$',
  '^(a|ab)*$',
  '^[a-z]+(?:-[a-z]+)*$',
  '^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$',
  '^#(?:[0-9a-fA-F]{3}){1,2}$',
  '^[a-z]{2}(-[A-Z]{2})?$',
  '^(?:[0-9a-f]{4}:){7}[0-9a-f]{4}$',
  '^(?:(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)\\.){3}(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)$',
  '^https?://[^\\s/]+(/[^\\s]*)?$',
  '^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[-0-9a-z]{0,61}[0-9a-z])?)*$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  '^(?<year>\\d{4})-(?<month>\\d\\d)$',
  '^(\\p{L}|\\d)+$',
  '^[\\]\\\\(+]*$',
  '^\\u{1F600}+\\x41\\u0042\\cA$',
  // without ^, but a search never returns
  '.*',
  '[a-z]+',
  'x-[a-z]*',
  '^a|b.*',
  KEY_PATTERN.source,
  LOCATOR_PATTERN.source,
  PROPERTY_NAME_PATTERN.source,
]
for (const pattern of linear)
  test(`${pattern} takes time in proportion to the text`, () => assert.equal(degree(pattern), 1))

const slower: [string, number][] = [
  ['[a-z]+$', 2],
  ['[a-z]+=', 2],
  ['^.*=.*$', 2],
  ['^([^,]*,)*[^,]*$', 2],
  ['^\\S+@\\S+\\.\\S+$', 3],
  ['^\\p{L}+(\\p{L}|\\d)*$', 2],
  ['.+@.+\\..+$', 4],
  ['.+@.+\\..+', 3],
]
for (const [pattern, expected] of slower)
  test(`${pattern} grows with a power of ${expected}`, () => assert.equal(degree(pattern), expected))

const exponential = [
  '(a+)+',
  '^(a+)+$',
  '^(a*)*$',
  '^(a|a)*$',
  '^(\\w+\\s?)*$',
  '^(\\d|[0-9a-f])+$',
  '^([a-z0-9]+-?)*[a-z0-9]+$',
  '^(a{1,20}){1,20}$',
  '^(a?){50}$',
  '^((ab)*|(ba)*)*$',
  '^(.*,)*$',
  '^(a|b|ab)*$',
  '^(\\p{L}|\\p{N}+)+$',
  '^(?=(a+)+$)a',
  '^(?:α|[α-ω])*$',
  `^${'a?'.repeat(30)}$`,
  `^${'(a|a)'.repeat(30)}`,
  `^${'(abc)?'.repeat(25)}$`,
  `^${'a{0,9}'.repeat(12)}$`,
]
for (const pattern of exponential)
  test(`${pattern} can hang`, () => assert.match(String(degree(pattern)), /endlessly/))

const refused: [string, string, RegExp][] = [
  ['does not compile', '[', /regular expression/],
  ['uses another dialect', '\\Z', /regular expression/],
  ['uses a back reference', '^(a)\\1$', /back references/],
  ['refers back by name', '^(?<x>a)\\k<x>$', /back references/],
  ['has too many consecutive loops', '.*.*.*.*$', /^Takes too long/],
  ['is too long', 'a'.repeat(1025), /at most 1024/],
  ['has too many states', `^${'a'.repeat(260)}$`, /too complex/],
]
for (const [what, pattern, words] of refused)
  test(`rejects a pattern that ${what}`, () => assert.match(String(degree(pattern)), words))

/** CPU time rather than time, so that the load of the machine does not count. */
function assertFast(pattern: string, unit: string, end: string): void {
  const cost = patternCost(pattern)
  assert.ok(cost.usable)
  const length = Math.min(cost.longest, 2000) - end.length
  const text = unit.repeat(length / unit.length) + end
  const endWork = boundWork(5)
  new RegExp(pattern, 'u').test(text)
  endWork(`${pattern} with ${length} characters`)
}

for (const pattern of [
  '^(?:(?:[ab]?){2,}){0,3}$',
  '^(?:(?:b[ab]){0,3}[ab]*){0,3}$',
  '^(?:(?:[ab]){2,}){0,3}$',
  '^(?:.|aa*)(?:(?:b|a){2,}){0,3}$',
])
  test(`${pattern} is tried only on short text`, () => assertFast(pattern, 'b', '!'))

test('no accepted pattern takes long on any text (C07)', () => {
  const atom = fc.constantFrom('a', 'b', '[ab]', '.', 'ab', '\\w')
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      atom,
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,3}', '{2,}'))
        .map(([body, times]) => `(?:${body})${times}`),
    ),
  }))
  const text = fc.tuple(fc.constantFrom('a', 'b', 'ab', 'aab'), fc.constantFrom('', '!', 'b'))
  fc.assert(
    fc.property(pattern, text, (body, [unit, end]) => {
      const whole = `^${body}$`
      fc.pre(patternCost(whole).usable)
      assertFast(whole, unit, end)
    }),
    { numRuns: 500 },
  )
})

test('every pattern is analyzed quickly (C07)', () => {
  const worst = [
    '(?:[a-z]|[a-y]x)'.repeat(60),
    '(?:'.repeat(300) + 'a' + ')'.repeat(300),
    'a|'.repeat(250),
    '(a|b|c|d|e|f|g|h)*'.repeat(30),
    'a{0,9}'.repeat(25),
  ]
  for (const pattern of worst) {
    const endWork = boundWork(2)
    patternCost(`^${pattern}$`)
    endWork(pattern.slice(0, 30))
  }
})
