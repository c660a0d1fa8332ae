import type { PlainTextKey, Translate } from '../i18n/use-text.ts'

type Told = (found: readonly string[], t: Translate) => string

/**
 * What the validator says, in the language that is shown. It speaks English, because it speaks for the runtime too; each
 * of its sentences stands here by its shape. One that does not is shown as it is.
 */
const SENTENCES: readonly (readonly [RegExp, Told])[] = [
  [/^Is required$/, (_, t) => t('forms.says.required')],
  [/^Is not a known property$/, (_, t) => t('forms.says.unknownProperty')],
  [/^Is not allowed$/, (_, t) => t('forms.says.notAllowed')],
  [/^Must not have the same item twice$/, (_, t) => t('forms.says.twice')],
  [/^Must be at least (\d+) characters?$/, ([n], t) => t('forms.says.minLength', { n: Number(n) })],
  [/^Must be at most (\d+) characters?$/, ([n], t) => t('forms.says.maxLength', { n: Number(n) })],
  [/^Must have at least (\d+) items?$/, ([n], t) => t('forms.says.minItems', { n: Number(n) })],
  [/^Must have at most (\d+) items?$/, ([n], t) => t('forms.says.maxItems', { n: Number(n) })],
  [
    /^Must have at least (\d+) propert(?:y|ies)$/,
    ([n], t) => t('forms.says.minProperties', { n: Number(n) }),
  ],
  [/^Must have at most (\d+) propert(?:y|ies)$/, ([n], t) => t('forms.says.maxProperties', { n: Number(n) })],
  [/^Must be at least (\S+)$/, ([limit = ''], t) => t('forms.says.minimum', { limit: numberIn(limit) })],
  [/^Must be at most (\S+)$/, ([limit = ''], t) => t('forms.says.maximum', { limit: numberIn(limit) })],
  [/^Must be more than (\S+)$/, ([limit = ''], t) => t('forms.says.above', { limit: numberIn(limit) })],
  [/^Must be less than (\S+)$/, ([limit = ''], t) => t('forms.says.below', { limit: numberIn(limit) })],
  [/^Must be a multiple of (\S+)$/, ([step = ''], t) => t('forms.says.multipleOf', { step: numberIn(step) })],
  [/^Must match the pattern (.+)$/s, ([pattern = ''], t) => t('forms.says.pattern', { pattern })],
  [/^Must be one of (.+)$/s, ([values = ''], t) => t('forms.says.oneOf', { values })],
  [
    /^Must be the value itself, not a mask such as (\S+)$/,
    ([mask = ''], t) => t('forms.says.mask', { mask }),
  ],
  [/^Must match one of the (\d+) allowed forms$/, ([n], t) => t('forms.says.forms', { n: Number(n) })],
]

const THINGS: Readonly<Record<string, PlainTextKey>> = {
  'a list': 'forms.thing.list',
  'true or false': 'forms.thing.boolean',
  'a whole number': 'forms.thing.integer',
  'empty (null)': 'forms.thing.null',
  'a number': 'forms.thing.number',
  'an object': 'forms.thing.object',
  text: 'forms.thing.text',
  'a date such as 2026-01-31': 'forms.thing.date',
  'a date and time with time zone such as 2026-01-31T08:00:00Z': 'forms.thing.dateTime',
  'an ISO 8601 duration such as PT15M': 'forms.thing.duration',
  'an e-mail address': 'forms.thing.email',
  'a host name': 'forms.thing.hostname',
  'a URI such as https://example.com/path': 'forms.thing.uri',
  'a UUID': 'forms.thing.uuid',
}

/** A number is written as the language writes numbers, as it is in the hint beside the field. */
const numberIn = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text)

export function problemWords(message: string, t: Translate): string {
  for (const [shape, tell] of SENTENCES) {
    const found = shape.exec(message)
    if (found !== null) return tell(found.slice(1), t)
  }
  const thing = THINGS[message.replace(/^Must be /, '')]
  return thing === undefined ? message : t('forms.says.be', { thing: t(thing) })
}
