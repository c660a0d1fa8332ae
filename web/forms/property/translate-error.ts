import { pointerSegments } from '#contract/json-schema/json.ts'
import type { ProblemParameters } from '#contract/json-schema/value-problem.ts'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import { messageText } from '../../i18n/message-text.ts'
import { joinOr, labelled } from '../../i18n/punctuation.ts'
import type { PlainTextKey, Translate } from '../../i18n/use-text.ts'

type Reason = ProblemParameters['reason']

type Translation = (value: (name: string) => string, t: Translate) => string

const counted =
  (key: CountedKey): Translation =>
  (value, t) =>
    t(key, { n: Number(value('n')) })

type CountedKey =
  | 'forms.error.minLength'
  | 'forms.error.maxLength'
  | 'forms.error.minItems'
  | 'forms.error.maxItems'
  | 'forms.error.minContains'
  | 'forms.error.maxContains'
  | 'forms.error.minProperties'
  | 'forms.error.maxProperties'
  | 'forms.error.forms'
  | 'forms.error.oneForm'

/** The text of each reason for which the validator refuses a value. */
const TEXTS: Readonly<Record<Reason, Translation>> = {
  valueRequired: (_, t) => t('forms.error.required'),
  valueRequiredWith: (value, t) => t('forms.error.requiredWith', { name: value('name') }),
  valueUnknown: (_, t) => t('forms.error.unknownProperty'),
  valueNotAllowed: (_, t) => t('forms.error.notAllowed'),
  valueListTooLong: (_, t) => t('forms.error.listTooLong'),
  valueRepeated: (_, t) => t('forms.error.twice'),
  valuePatternLong: (_, t) => t('forms.error.patternLong'),
  valueConstLong: (_, t) => t('forms.error.constLong'),
  valueEnumLong: (_, t) => t('forms.error.enumLong'),
  valueRuledOut: (_, t) => t('forms.error.ruledOut'),
  valueSchemaInvalid: (_, t) => t('forms.error.schemaInvalid'),
  valueTooLarge: (_, t) => t('forms.error.tooLarge'),
  valuesTooCostly: (_, t) => t('forms.error.tooCostly'),
  valueType: (value, t) => {
    const names = value('types').split(' ').map(nameIn(TYPES, t))
    return names.length === 1
      ? t('forms.error.be', { expected: names.join('') })
      : t('forms.error.beOneOf', { expected: joinOr(t, names) })
  },
  valueFormat: (value, t) => t('forms.error.be', { expected: nameIn(FORMATS, t)(value('format')) }),
  valueKind: (value, t) => t('forms.error.kind', { type: value('type') }),
  valueConst: (value, t) => t('forms.error.be', { expected: value('value') }),
  valueEnum: (value, t) => t('forms.error.oneOf', { values: joinOr(t, textsIn(value('values'))) }),
  valuePattern: (value, t) => t('forms.error.pattern', { pattern: value('pattern') }),
  valueMask: (value, t) => t('forms.error.mask', { mask: value('mask') }),
  valueMinimum: (value, t) => t('forms.error.minimum', { limit: Number(value('limit')) }),
  valueMaximum: (value, t) => t('forms.error.maximum', { limit: Number(value('limit')) }),
  valueAbove: (value, t) => t('forms.error.above', { limit: Number(value('limit')) }),
  valueBelow: (value, t) => t('forms.error.below', { limit: Number(value('limit')) }),
  valueMultipleOf: (value, t) => t('forms.error.multipleOf', { step: Number(value('step')) }),
  valueMinLength: counted('forms.error.minLength'),
  valueMaxLength: counted('forms.error.maxLength'),
  valueMinItems: counted('forms.error.minItems'),
  valueMaxItems: counted('forms.error.maxItems'),
  valueMinContains: counted('forms.error.minContains'),
  valueMaxContains: counted('forms.error.maxContains'),
  valueMinProperties: counted('forms.error.minProperties'),
  valueMaxProperties: counted('forms.error.maxProperties'),
  valueForms: counted('forms.error.forms'),
  valueOneForm: counted('forms.error.oneForm'),
}

const TYPES: Readonly<Record<string, PlainTextKey>> = {
  array: 'forms.expected.list',
  boolean: 'forms.expected.boolean',
  integer: 'forms.expected.integer',
  null: 'forms.expected.null',
  number: 'forms.expected.number',
  object: 'forms.expected.object',
  string: 'forms.expected.text',
}

const FORMATS: Readonly<Record<string, PlainTextKey>> = {
  cron: 'forms.expected.cron',
  'cron-fields': 'forms.expected.cronFields',
  'cron-signs': 'forms.expected.cronSigns',
  'cron-step': 'forms.expected.cronStep',
  'cron-days': 'forms.expected.cronDays',
  'cron-never': 'forms.expected.cronNever',
  date: 'forms.expected.date',
  'date-time': 'forms.expected.dateTime',
  duration: 'forms.expected.duration',
  email: 'forms.expected.email',
  hostname: 'forms.expected.hostname',
  ipv4: 'forms.expected.ipv4',
  ipv6: 'forms.expected.ipv6',
  'json-pointer': 'forms.expected.jsonPointer',
  regex: 'forms.expected.regex',
  'relative-json-pointer': 'forms.expected.relativeJsonPointer',
  time: 'forms.expected.time',
  'time-zone': 'forms.expected.timeZone',
  uri: 'forms.expected.uri',
  'uri-reference': 'forms.expected.uriReference',
  'uri-template': 'forms.expected.uriTemplate',
  uuid: 'forms.expected.uuid',
}

const nameIn =
  (names: Readonly<Record<string, PlainTextKey>>, t: Translate) =>
  (name: string): string => {
    const key = Object.hasOwn(names, name) ? names[name] : undefined
    return key === undefined ? name : t(key)
  }

/** A JSON array of texts, from a server that may be newer than this page. */
function textsIn(json: string): string[] {
  try {
    const values: unknown = JSON.parse(json)
    return Array.isArray(values) ? values.map(String) : [json]
  } catch {
    return [json]
  }
}

interface Described {
  message: string
  parameters?: MessageParameters | undefined
}

/** A refusal of a value in the current language. A sentence without a known reason is returned unchanged. */
export function translateError(described: Described, t: Translate): string {
  const { parameters = {} } = described
  const { reason, about } = parameters
  const translate =
    typeof reason === 'string' && Object.hasOwn(TEXTS, reason) ? TEXTS[reason as Reason] : null
  if (translate === null) return messageText(described)
  const problem = translate((name) => String(parameters[name] ?? ''), t)
  return about === 'name' ? t('forms.error.ofName', { problem }) : problem
}

/** A server message with its path inside the value, unless it is about the whole: `lines › 1: Must be text`. */
export function placedError({ path, ...message }: Described & { path?: string | undefined }, t: Translate) {
  const text = translateError(message, t)
  return path === undefined || path === '' ? text : labelled(t, readablePath(path), text)
}

/** `/address/lines/0` as `address › lines › 1`. */
function readablePath(pointer: string): string {
  if (!pointer.startsWith('/')) return pointer
  return pointerSegments(pointer)
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step))
    .join(' › ')
}
