import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type * as z from 'zod'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { readEnvelope } from '#contract/protocol/envelope.ts'
import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { checkSchema, checkValue } from '#contract/json-schema/json-schema.ts'
import { Key, PropertyName, ResourceLocator, Timestamp, Uuid } from '#contract/protocol/keys.ts'
import { LifecycleRequest, LifecycleResponse } from '#contract/protocol/lifecycle.ts'
import { formatLocator, isKey, isPropertyName, parseLocator } from '#contract/protocol/locator.ts'
import { AuthorManifest, checkManifest } from '#contract/protocol/manifest.ts'
import { patternCost } from '#contract/json-schema/pattern.ts'
import { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { typeOfKind, valueSchema } from '#contract/protocol/property-kinds.ts'
import { TypedValue } from '#contract/protocol/typed-value.ts'
import { ANSWERS, expected, MANIFESTS, SCHEMAS, VALUES } from './documents.ts'
import { edited, editedText } from './edits.ts'
import { bytes, structured } from './target.ts'
import type { Target } from './target.ts'

const reprint = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue

/** A schema must accept its own result, printed and parsed again, and return the same. */
function unstable(schema: z.ZodType, value: JsonValue): string | null {
  const first = schema.safeParse(value)
  if (!first.success) {
    return first.error.issues.some(({ message }) => message === '') ? 'an issue has no message' : null
  }
  const second = schema.safeParse(reprint(first.data))
  if (!second.success) return 'what was accepted is refused once it is printed and read again'
  return isDeepStrictEqual(reprint(second.data), reprint(first.data))
    ? null
    : 'different once it is printed and read again'
}

function wrongOfEnvelope(json: JsonValue): string | null {
  const reading = readEnvelope(json)
  if (reading.kind === 'invalid') return reading.problem === '' ? 'a problem has no message' : null
  if (!isJsonObject(json) || !Object.hasOwn(json, 'data')) return 'accepted without data'
  const { errorCode, contractVersion } = json
  if (contractVersion !== undefined && contractVersion !== '1.0.0') return 'accepted with a different version'
  if (reading.kind === 'success') {
    if (errorCode !== '0') return 'read as a success'
    return isDeepStrictEqual(reading.data, json['data']) ? null : 'the data changed'
  }
  if (errorCode === '0' || errorCode !== reading.errorCode) return 'read as a different failure'
  const data = json['data']
  if (reading.failure === null) return data === null ? null : 'data was lost'
  return isJsonObject(data) && data['retryable'] === reading.failure.retryable ? null : 'retryable changed'
}

function wrongOfManifest(json: JsonValue): string | null {
  const parsed = AuthorManifest.safeParse(json)
  if (!parsed.success) return null
  const problems = checkManifest(parsed.data)
  if (problems.some(({ message }) => message === '' || [...message].length > 512)) return 'a bad message'
  if (problems.length > 0) return null
  const { bundle, resources } = parsed.data
  const locators = resources.map(({ kind, name }) => formatLocator({ ...bundle, kind, name }))
  if (new Set(locators).size < locators.length) return 'two resources share a locator'
  if (locators.some((locator) => parseLocator(locator) === null)) return 'a resource has no locator'
  return unstable(AuthorManifest, json)
}

/** An accepted schema never throws, whatever value is checked. */
function wrongOfSchema([schema, value]: [JsonValue, JsonValue]): string | null {
  const problems = checkSchema(schema)
  if (problems.length > 0)
    return problems.some(({ message }) => message === '') ? 'a problem has no message' : null
  const found = checkValue(schema, value)
  if (found.some(({ message }) => message === '')) return 'a problem has no message'
  if (schema === true && found.length > 0 && isSmallAndSound(value)) return 'true refuses a small value'
  return null
}

/** JSON.stringify writes half a surrogate pair, and nothing else, as this escape. */
function isSmallAndSound(value: JsonValue): boolean {
  const text = JSON.stringify(value)
  return text.length < 100 && !/\\ud[89a-f]/.test(text)
}

function wrongOfTypedValue([definition, value]: [JsonValue, JsonValue]): string | null {
  const defined = PropertyDefinition.safeParse(definition)
  const typed = TypedValue.safeParse(value)
  if (!defined.success || !typed.success) return null
  if (checkSchema(valueSchema(defined.data)).length > 0) return null
  const problems = checkTypedValue(defined.data, typed.data)
  const isOfKind = typeOfKind(defined.data.kind) === typed.data['@type']
  return problems.length === 0 && !isOfKind ? 'a value of another kind is accepted' : null
}

function wrongOfEquality([left, right]: [JsonValue, JsonValue]): string | null {
  if (!deepEqual(left, left)) return 'not equal to itself'
  const isEqual = deepEqual(left, right)
  if (isEqual !== deepEqual(right, left)) return 'the order matters'
  // printed, because JSON does not distinguish -0 and 0
  return isEqual === isDeepStrictEqual(reprint(left), reprint(right)) ? null : 'disagrees with Node'
}

const SEGMENT = (text: string): boolean =>
  text.length >= 1 && text.length <= 128 && text !== '.' && text !== '..' && [...text].every(isUnreserved)
const isUnreserved = (letter: string): boolean =>
  (letter >= 'a' && letter <= 'z') ||
  (letter >= 'A' && letter <= 'Z') ||
  (letter >= '0' && letter <= '9') ||
  (letter.length === 1 && '._~-'.includes(letter))

/** An independent implementation, from the text of docs/protocol.md. */
function isLocator(text: string): boolean {
  const parts = text.split('/')
  const [environment = '', bundle = '', kind = '', name = ''] = parts
  const isKind = ['MODULE', 'GATEWAY', 'AGENT', 'TIMER'].includes(kind)
  return parts.length === 4 && isKind && [environment, bundle, name].every(SEGMENT)
}

function wrongOfLocator(text: string): string | null {
  const parts = parseLocator(text)
  if ((parts !== null) !== isLocator(text)) return parts === null ? 'a locator is refused' : 'accepted'
  if (ResourceLocator.safeParse(text).success !== (parts !== null)) return 'schema and parser disagree'
  if (parts !== null && formatLocator(parts) !== text) return 'different once it is formatted'
  return null
}

function wrongOfName(text: string): string | null {
  const first = text.charAt(0)
  const isLetter = first === '_' || (isUnreserved(first) && !'0123456789.~-'.includes(first))
  const isName =
    isLetter &&
    text.length <= 128 &&
    [...text].every((letter) => letter === '_' || (isUnreserved(letter) && letter !== '~')) &&
    !['__proto__', 'constructor', 'prototype'].includes(text)
  if (isPropertyName(text) !== isName) return `property name: ${isName ? 'refused' : 'accepted'}`
  if (PropertyName.safeParse(text).success !== isName) return 'schema and pattern of property names disagree'
  const isText = SEGMENT(text)
  if (isKey(text) !== isText && !text.includes('_')) return `key: ${isText ? 'refused' : 'accepted'}`
  return Key.safeParse(text).success === isKey(text) ? null : 'schema and pattern of keys disagree'
}

function wrongOfIds(text: string): string | null {
  if (Uuid.safeParse(text).success && !(text.length === 36 && text === text.toLowerCase()))
    return 'an invalid UUID'
  const time = Timestamp.safeParse(text)
  if (!time.success) return null
  const instant = new Date(text)
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text ? null : 'an invalid time'
}

/** An accepted pattern is fast even for adversarial texts. */
function wrongOfPattern([pattern, text]: [string, string]): string | null {
  const cost = patternCost(pattern)
  if (!cost.usable) return cost.problem === '' ? 'a problem has no message' : null
  checkValue({ type: 'string', pattern }, `${text}${text.slice(0, 2).repeat(60)}!`)
  return null
}

const shape = (name: string, schema: z.ZodType, documents: readonly JsonValue[]): Target =>
  structured(name, edited(documents), (json) => unstable(schema, json))

const definitions = MANIFESTS.flatMap((manifest) => {
  const { resources } = AuthorManifest.parse(manifest)
  return resources.flatMap(({ properties }) => Object.values(properties).map(reprint))
})
// a request is JSON
const REQUEST = expected as unknown as JsonValue

export const PROTOCOL_TARGETS: readonly Target[] = [
  structured('envelope', edited(ANSWERS), wrongOfEnvelope),
  structured('author manifest', edited(MANIFESTS), wrongOfManifest),
  structured(
    'JSON Schema',
    fc.tuple(edited(SCHEMAS), edited([...VALUES, { a: 'b' }, [1, 2, 'c'], 'abc', 7])),
    wrongOfSchema,
    { share: 2 },
  ),
  structured('typed value', fc.tuple(edited(definitions), edited(VALUES)), wrongOfTypedValue),
  structured('equality', fc.tuple(edited(VALUES), edited(VALUES)), wrongOfEquality),
  shape('lifecycle request', LifecycleRequest, [REQUEST]),
  shape('lifecycle response', LifecycleResponse, ANSWERS.flatMap(dataOf)),
  shape('property definition', PropertyDefinition, definitions),
  shape('compiled authorization', CompiledAuthorization, [
    {
      pluginId: 'tenants',
      protocolVersion: '6.0.0',
      order: 1,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: { size: 'small' } },
      resources: [
        {
          resource: 'dev/crm/MODULE/core',
          readProperties: ['a'],
          writeProperties: [],
          credentialProperties: [],
        },
      ],
    },
  ]),
  bytes(
    'locator',
    editedText(['dev/crm/MODULE/core', 'a/b/TIMER/c.d~e-f_g', 'A/B/AGENT/..c']),
    wrongOfLocator,
    { share: 2 },
  ),
  bytes(
    'property name and key',
    editedText(['name', '_a.b-c', 'instanceRefProperty', '1.0.0~rc-1']),
    wrongOfName,
    { share: 2 },
  ),
  bytes(
    'id and time',
    editedText([
      '0190a000-0000-7000-8000-000000000001',
      '2026-01-31T08:00:00.000Z',
      '2024-02-29T23:59:59.999Z',
    ]),
    wrongOfIds,
  ),
  bytes(
    'pattern',
    fc.tuple(
      editedText([
        '^(?:[a-z]+-)*[a-z]+$',
        '(a|b)*c',
        '^\\d{1,3}(\\.\\d{1,3}){3}$',
        '[^\\s@]+@[^\\s@]+',
        '\\p{L}+',
      ]),
      editedText(['aaaaaaaaaaaaaaaaaaaaaaaa', '1.1.1.1', 'a@b.c']),
    ),
    wrongOfPattern,
    { share: 0.1 },
  ),
]

function dataOf(answer: JsonValue): JsonValue[] {
  return isJsonObject(answer) && isJsonObject(answer['data'] ?? null) ? [answer['data'] ?? null] : []
}
