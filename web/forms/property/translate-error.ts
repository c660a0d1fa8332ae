import type { MessageParameters } from '#contract/protocol/envelope.ts'
import { labelled } from '../../i18n/punctuation.ts'
import type { PlainTextKey, Translate } from '../../i18n/use-text.ts'
import { messageText } from '../../i18n/message-text.ts'
import { pointerSegments } from '#contract/json-schema/pointer.ts'

type Translation = (found: readonly string[], t: Translate) => string

/** The validator's English messages by pattern, each with its catalog text. */
const MESSAGES: readonly (readonly [RegExp, Translation])[] = [
  [/^Is required$/, (_, t) => t('forms.error.required')],
  [/^Is not a known property$/, (_, t) => t('forms.error.unknownProperty')],
  [/^Is not allowed$/, (_, t) => t('forms.error.notAllowed')],
  [/^Must not have the same item twice$/, (_, t) => t('forms.error.twice')],
  [/^Must be at least (\d+) characters?$/, ([n], t) => t('forms.error.minLength', { n: Number(n) })],
  [/^Must be at most (\d+) characters?$/, ([n], t) => t('forms.error.maxLength', { n: Number(n) })],
  [/^Must have at least (\d+) items?$/, ([n], t) => t('forms.error.minItems', { n: Number(n) })],
  [/^Must have at most (\d+) items?$/, ([n], t) => t('forms.error.maxItems', { n: Number(n) })],
  [
    /^Must have at least (\d+) (?:property|properties)$/,
    ([n], t) => t('forms.error.minProperties', { n: Number(n) }),
  ],
  [
    /^Must have at most (\d+) (?:property|properties)$/,
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
  'a schedule of five fields such as 30 2 * * 1-5': 'forms.expected.cron',
  'a time zone such as Europe/Berlin': 'forms.expected.timeZone',
  'a URI such as https://example.com/path': 'forms.expected.uri',
  'a UUID': 'forms.expected.uuid',
}

/** Formats a number for the language, like the hint beside the field. */
const numberIn = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text)

/**
 * Translates a validator message to the current language. The validator writes English, because its messages are also
 * part of the runtime's responses. An unknown message is returned unchanged.
 */
export function translateError(message: string, t: Translate): string {
  for (const [shape, translate] of MESSAGES) {
    const found = shape.exec(message)
    if (found !== null) return translate(found.slice(1), t)
  }
  const expected = EXPECTED[message.replace(/^Must be /, '')]
  return expected === undefined ? message : t('forms.error.be', { expected: t(expected) })
}

/** A server message with its path inside the value, unless it is about the whole: `lines › 1: Must be text`. */
export function placedError(
  {
    path,
    ...message
  }: { path?: string | undefined; message: string; parameters?: MessageParameters | undefined },
  t: Translate,
): string {
  const text = translateError(messageText(message), t)
  return path === undefined || path === '' ? text : labelled(t, readablePath(path), text)
}

/** `/address/lines/0` as `address › lines › 1`. */
function readablePath(pointer: string): string {
  if (!pointer.startsWith('/')) return pointer
  return pointerSegments(pointer)
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step))
    .join(' › ')
}
