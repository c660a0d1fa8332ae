import type * as z from 'zod'
import type { ProblemParameters } from '#contract/json-schema/problem.ts'
import { PLATFORM_MESSAGES, type MessageReason } from '#contract/protocol/platform-messages.ts'

/** What a client needs to say the message of a problem in another language. */
export type IssueParameters = ProblemParameters | { reason: MessageReason } | UnknownKeys
type UnknownKeys = { reason: 'requestUnknownKeys'; keys: string }

/** The reasons of complete sentences, which schemas use as they are. */
const REASONS: ReadonlyMap<string, MessageReason> = new Map(
  Object.entries(PLATFORM_MESSAGES).flatMap(([reason, text]) =>
    // an entry of the object has its key
    text.includes('{') ? [] : [[text, reason as MessageReason]],
  ),
)

export const reasonOfSentence = (sentence: string): MessageReason | undefined => REASONS.get(sentence)

/** zod's names of types, where JSON Schema has others. */
const TYPES: Readonly<Record<string, string>> = { int: 'integer', record: 'object', tuple: 'array' }

/** zod's names of formats, where JSON Schema has others. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'date-time',
  email: 'email',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  url: 'uri',
  uuid: 'uuid',
}

/** Longer lists of allowed values are not repeated. */
const VALUES_MAX = 1_000

/**
 * The reason of an issue that a schema has found in a value, and what its sentence names; undefined for a sentence that
 * exists only in English.
 *
 * @param value What the schema was applied to.
 */
export function issueParameters(issue: z.core.$ZodIssue, value: unknown): IssueParameters | undefined {
  const reason = REASONS.get(issue.message)
  if (reason !== undefined) return { reason }
  switch (issue.code) {
    case 'invalid_type': {
      if (valueAt(value, issue.path) === undefined) return { reason: 'valueRequired' }
      const { expected } = issue
      return { reason: 'valueType', types: TYPES[expected] ?? expected }
    }
    case 'too_small':
      return limitParameters(issue.origin, Number(issue.minimum), {
        text: 'valueMinLength',
        list: 'valueMinItems',
        number: issue.inclusive === false ? 'valueAbove' : 'valueMinimum',
      })
    case 'too_big':
      return limitParameters(issue.origin, Number(issue.maximum), {
        text: 'valueMaxLength',
        list: 'valueMaxItems',
        number: issue.inclusive === false ? 'valueBelow' : 'valueMaximum',
      })
    case 'invalid_value': {
      const values = JSON.stringify(issue.values.map(String))
      return values.length > VALUES_MAX ? { reason: 'valueEnumLong' } : { reason: 'valueEnum', values }
    }
    case 'invalid_format': {
      const format = FORMATS[issue.format]
      return format === undefined ? undefined : { reason: 'valueFormat', format }
    }
    case 'unrecognized_keys':
      return { reason: 'requestUnknownKeys', keys: issue.keys.join(', ') }
    default:
      return undefined
  }
}

type LimitReasons = {
  text: 'valueMinLength' | 'valueMaxLength'
  list: 'valueMinItems' | 'valueMaxItems'
  number: 'valueMinimum' | 'valueMaximum' | 'valueAbove' | 'valueBelow'
}

function limitParameters(
  origin: string,
  limit: number,
  { text, list, number }: LimitReasons,
): IssueParameters | undefined {
  switch (origin) {
    case 'string':
      return { reason: text, n: limit }
    case 'array':
      return { reason: list, n: limit }
    case 'number':
    case 'int':
      return { reason: number, limit }
    default:
      return undefined
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Record<PropertyKey, unknown>)[key]
        : undefined,
    value,
  )
}
