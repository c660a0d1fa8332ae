import type { PlainTextKey, Translate } from '../i18n/use-text.ts'

type Told = (found: readonly string[], t: Translate) => string

/**
 * What the validator says, in the language that is shown. It speaks English, because it speaks for the runtime too; each
 * of its sentences stands here by its shape. One that does not is shown as it is.
 */
const SENTENCES: readonly (readonly [RegExp, Told])[] = [
  [/^Is required$/, (_, t) => t('forms.error.required')],
  [/^Is not a known property$/, (_, t) => t('forms.error.unknownProperty')],
  [/^Is not allowed$/, (_, t) => t('forms.error.notAllowed')],
  [/^Must not have the same item twice$/, (_, t) => t('forms.error.twice')],
  [/^Must be at least (\d+) characters?$/, ([n], t) => t('forms.error.minLength', { n: Number(n) })],
  [/^Must be at most (\d+) characters?$/, ([n], t) => t('forms.error.maxLength', { n: Number(n) })],
  [/^Must have at least (\d+) items?$/, ([n], t) => t('forms.error.minItems', { n: Number(n) })],
  [/^Must have at most (\d+) items?$/, ([n], t) => t('forms.error.maxItems', { n: Number(n) })],
  [
    /^Must have at least (\d+) propert(?:y|ies)$/,
    ([n], t) => t('forms.error.minProperties', { n: Number(n) }),
  ],
  [
    /^Must have at most (\d+) propert(?:y|ies)$/,
    ([n], t) => t('forms.error.maxProperties', { n: Number(n) }),
  ],
  [/^Must be at least (\S+)$/, ([limit = ''], t) => t('forms.error.minimum', { limit: numberIn(limit) })],
  [/^Must be at most (\S+)$/, ([limit = ''], t) => t('forms.error.maximum', { limit: numberIn(limit) })],
  [/^Must be more than (\S+)$/, ([limit = ''], t) => t('forms.error.above', { limit: numberIn(limit) })],
  [/^Must be less than (\S+)$/, ([limit = ''], t) => t('forms.error.below', { limit: numberIn(limit) })],
  [
    /^Must be a multiple of (\S+)$/,
    ([step = ''], t) => t('forms.error.multipleOf', { step: numberIn(step) }),
  ],
  [/^Must match the pattern (.+)$/s, ([pattern = ''], t) => t('forms.error.pattern', { pattern })],
  [/^Must be one of (.+)$/s, ([values = ''], t) => t('forms.error.oneOf', { values })],
  [
    /^Must be the value itself, not a mask such as (\S+)$/,
    ([mask = ''], t) => t('forms.error.mask', { mask }),
  ],
  [/^Must match one of the (\d+) allowed forms$/, ([n], t) => t('forms.error.forms', { n: Number(n) })],
]

const EXPECTED: Readonly<Record<string, PlainTextKey>> = {
  'a list': 'forms.expected.list',
  'true or false': 'forms.expected.boolean',
  'a whole number': 'forms.expected.integer',
  'empty (null)': 'forms.expected.null',
  'a number': 'forms.expected.number',
  'an object': 'forms.expected.object',
  text: 'forms.expected.text',
  'a date such as 2026-01-31': 'forms.expected.date',
  'a date and time with time zone such as 2026-01-31T08:00:00Z': 'forms.expected.dateTime',
  'an ISO 8601 duration such as PT15M': 'forms.expected.duration',
  'an e-mail address': 'forms.expected.email',
  'a host name': 'forms.expected.hostname',
  'a URI such as https://example.com/path': 'forms.expected.uri',
  'a UUID': 'forms.expected.uuid',
}

/** A number is written as the language writes numbers, as it is in the hint beside the field. */
const numberIn = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text)

export function problemWords(message: string, t: Translate): string {
  for (const [shape, tell] of SENTENCES) {
    const found = shape.exec(message)
    if (found !== null) return tell(found.slice(1), t)
  }
  const expected = EXPECTED[message.replace(/^Must be /, '')]
  return expected === undefined ? message : t('forms.error.be', { expected: t(expected) })
}
