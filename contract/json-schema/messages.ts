import type { OutputUnit, Schema } from '@cfworker/json-schema'
import { cronFault } from './cron.ts'
import { getOwn, pointerSegments, pointerTo, unescapeSegment } from './json.ts'
import type { JsonValue } from './json.ts'
import { SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './subschemas.ts'
import type { Problem } from './value-problem.ts'

/** The schema as the interpreter reads it, and the value, so that a message can say what is allowed at its location. */
export type Checked = {
  root: Schema
  targets: ReadonlyMap<string, Schema>
  value: JsonValue
  /** True for the schema that replaces `false`. */
  isFalseSchema: (schema: Schema) => boolean
}

const PROBLEMS_MAX = 100

/** Turns the interpreter's output into messages for people: each problem once, and never with the value. */
export function explain(checked: Checked, units: readonly OutputUnit[]): Problem[] {
  const distinct = new Map<string, Problem>()
  for (const problem of describeAll(checked, units)) {
    if (distinct.size === PROBLEMS_MAX) break
    const key = JSON.stringify(problem)
    if (!distinct.has(key)) distinct.set(key, problem)
  }
  return [...distinct.values()]
}

/** Reported only because of the problems inside, which follow. */
const AROUND: ReadonlySet<string> = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'dependentSchemas',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
])

function describeAll(checked: Checked, units: readonly OutputUnit[]): Problem[] {
  const problems: Problem[] = []
  // A large value can have one per part; more are never shown.
  for (let index = 0; index < units.length && problems.length < 10 * PROBLEMS_MAX; index += 1) {
    const unit = units[index]
    if (unit === undefined || AROUND.has(unit.keyword)) continue
    const place = placeOf(checked, unit)
    if (place.within.includes('contains')) continue
    if (unit.keyword === 'anyOf' || unit.keyword === 'oneOf') {
      const inside = unitsInside(units, index)
      problems.push(...describeChoice(checked, { unit, place, inside }))
      index += inside.length
    } else problems.push(...describe(checked, unit, place))
  }
  return problems
}

// --- Where in the schema -------------------------------------------------------------------------------------------

/** The schema that a problem comes from, and the keywords that lead to it. */
type Place = { schema: Schema; within: string[] }

/** Keywords followed by a name or an index, which is not a keyword itself. */
const KEYED: ReadonlySet<string> = new Set([...SCHEMA_LIST_KEYWORDS, ...SCHEMA_MAP_KEYWORDS])

function placeOf({ root, targets }: Checked, unit: OutputUnit): Place {
  const steps = unit.keywordLocation.split('/').slice(1, -1).map(decodeStep)
  let schema = root
  const within: string[] = []
  for (let index = 0; index < steps.length; index += 1) {
    const keyword = steps[index] ?? ''
    within.push(keyword)
    const member: unknown = schema[keyword]
    if (keyword === '$ref') schema = targets.get(String(member).slice(1)) ?? {}
    else if (KEYED.has(keyword)) {
      index += 1
      schema = (member as Record<string, Schema> | undefined)?.[steps[index] ?? ''] ?? {}
    } else schema = (member as Schema | undefined) ?? {}
  }
  return { schema, within }
}

const decodeStep = (step: string): string => unescapeSegment(decodeURIComponent(step))

/** The interpreter writes pointers as URI fragments. */
const pointerOf = (unit: OutputUnit): string => decodeURIComponent(unit.instanceLocation.slice(1))

function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let current: JsonValue | undefined = value
  for (const key of pointerSegments(pointer)) {
    if (typeof current !== 'object' || current === null) return undefined
    current = Array.isArray(current) ? current[Number(key)] : getOwn(current, key)
  }
  return current
}

// --- Choices -------------------------------------------------------------------------------------------------------

function unitsInside(units: readonly OutputUnit[], index: number): OutputUnit[] {
  const prefix = `${units[index]?.keywordLocation ?? ''}/`
  let end = index + 1
  for (; end < units.length; end += 1) if (!units[end]?.keywordLocation.startsWith(prefix)) break
  return units.slice(index + 1, end)
}

/** If one option is clearly meant, its problems; otherwise the list of options. */
function describeChoice(
  checked: Checked,
  { unit, place, inside }: { unit: OutputUnit; place: Place; inside: OutputUnit[] },
): Problem[] {
  const path = pointerOf(unit)
  const problem = (description: Description): Problem[] => [{ path, keyword: unit.keyword, ...description }]
  const options = byOption(inside, unit)
  const count = ((unit.keyword === 'anyOf' ? place.schema.anyOf : place.schema.oneOf) ?? []).length
  if (options.length < count)
    return problem({
      message: `Must match only one of the ${count} allowed forms`,
      parameters: { reason: 'valueOneForm', n: count },
    })
  const meant = options.filter((option) => !option.some((inner) => rulesOut(inner, unit)))
  if (meant.length === 1 && meant[0] !== undefined) return describeAll(checked, meant[0])
  const types = options.map((option) =>
    option.find((inner) => inner.keyword === 'type' && inner.instanceLocation === unit.instanceLocation),
  )
  if (types.every((type) => type !== undefined))
    return problem(describeTypes(types.flatMap((type) => typesOf(placeOf(checked, type).schema))))
  return problem({
    message: `Must match one of the ${count} allowed forms`,
    parameters: { reason: 'valueForms', n: count },
  })
}

/** The problems of each option. Without Object.groupBy, because the SDK of plugins contains this and runs on Node 20. */
function byOption(inside: readonly OutputUnit[], { keywordLocation }: OutputUnit): OutputUnit[][] {
  const options = new Map<string, OutputUnit[]>()
  for (const unit of inside) {
    const option = unit.keywordLocation.slice(keywordLocation.length + 1).split('/')[0] ?? ''
    const found = options.get(option)
    if (found === undefined) options.set(option, [unit])
    else found.push(unit)
  }
  return [...options.values()]
}

/**
 * An option is ruled out if the type differs, or a constant does, in the value or directly inside it. Locations are compared as they
 * are: to decode each of many would take long.
 */
function rulesOut(
  { keyword, instanceLocation: at }: OutputUnit,
  { instanceLocation: here }: OutputUnit,
): boolean {
  if (keyword === 'type') return at === here
  if (keyword !== 'const' && keyword !== 'enum') return false
  return at === here || (at.startsWith(`${here}/`) && !at.includes('/', here.length + 1))
}

// --- Messages ------------------------------------------------------------------------------------------------------

type Description = Required<Pick<Problem, 'message' | 'parameters'>>

const REQUIRED: Description = { message: 'Is required', parameters: { reason: 'valueRequired' } }
const NOT_ALLOWED: Description = { message: 'Is not allowed', parameters: { reason: 'valueNotAllowed' } }

function describe(checked: Checked, unit: OutputUnit, place: Place): Problem[] {
  const path = pointerOf(unit)
  const { schema, within } = place
  const { keyword } = unit
  if (keyword === 'required') {
    const holder = valueAt(checked.value, path)
    return missing(holder, schema.required ?? []).map((name) => ({
      path: path + pointerTo(name),
      keyword,
      ...REQUIRED,
    }))
  }
  if (keyword === 'dependentRequired') return describeDependent(checked, path, schema)
  if (keyword === 'not' && checked.isFalseSchema(schema)) return [describeForbidden(path, within)]
  const description =
    keyword === 'format'
      ? describeFormat(schema, valueAt(checked.value, path))
      : describeKeyword(keyword, schema)
  const isName = within.includes('propertyNames')
  return [{ path, keyword, ...(isName ? aboutName(description) : description) }]
}

const aboutName = ({ message, parameters }: Description): Description => ({
  message: `The name ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
  parameters: { ...parameters, about: 'name' },
})

const missing = (holder: JsonValue | undefined, names: readonly string[]): string[] =>
  typeof holder === 'object' && holder !== null ? names.filter((name) => !Object.hasOwn(holder, name)) : []

function describeDependent(checked: Checked, path: string, schema: Schema): Problem[] {
  const holder = valueAt(checked.value, path)
  if (typeof holder !== 'object' || holder === null) return []
  return Object.entries(schema.dependentRequired ?? {})
    .filter(([name]) => Object.hasOwn(holder, name))
    .flatMap(([name, names]) =>
      missing(holder, names).map((absent) => ({
        path: path + pointerTo(absent),
        keyword: 'dependentRequired',
        ...(isShort(name)
          ? {
              message: `Is required together with ${name}`,
              parameters: { reason: 'valueRequiredWith', name } as const,
            }
          : REQUIRED),
      })),
    )
}

function describeForbidden(path: string, within: string[]): Problem {
  const keyword = within.at(-1) ?? 'not'
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        path,
        keyword,
        message: 'Is not a known property',
        parameters: { reason: 'valueUnknown' },
      }
    case 'items':
    case 'prefixItems':
    case 'unevaluatedItems':
      return {
        path,
        keyword,
        message: 'Is not allowed: the list is too long',
        parameters: { reason: 'valueListTooLong' },
      }
    default:
      return { path, keyword, ...NOT_ALLOWED }
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'no value (null)',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

/** A schedule is refused with what is wrong with it. */
function describeFormat({ format = '' }: Schema, value: JsonValue | undefined): Description {
  const fault = format === 'cron' && typeof value === 'string' ? cronFault(value) : null
  const name = fault === null || fault === 'value' ? format : `${format}-${fault}`
  return {
    message: `Must be ${FORMAT_NAMES[name] ?? name}`,
    parameters: { reason: 'valueFormat', format: name },
  }
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  cron: 'a schedule of five fields such as 30 2 * * 1-5',
  'cron-fields': 'a schedule of five fields in one line with spaces between them, such as 30 2 * * 1-5',
  'cron-signs': 'a schedule without L, W, # and ?, which programs read differently',
  'cron-step': 'a schedule whose steps follow * or a range, such as 5-59/15',
  'cron-days':
    'a schedule that limits the day of the month or the day of the week, or both without *: programs read it differently',
  'cron-never': 'a schedule that runs: these months do not have such a day',
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time with time zone such as 2026-01-31T08:00:00Z',
  duration: 'an ISO 8601 duration such as PT15M',
  email: 'an email address',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  'json-pointer': 'a JSON pointer',
  regex: 'a regular expression',
  'relative-json-pointer': 'a relative JSON pointer',
  time: 'a time with time zone such as 08:00:00Z',
  'time-zone': 'a name of the IANA time zone database such as Europe/Berlin',
  uri: 'a URI such as https://example.com/path',
  'uri-reference': 'a URI or a relative reference',
  'uri-template': 'a URI template',
  uuid: 'a UUID',
}

/** Limits how much schema text a message repeats, so that messages stay within the maximum length of a failure. */
const SHOWN_MAX = 200

const isShort = (text: string): boolean => text.length <= SHOWN_MAX

const typesOf = ({ type }: Schema): string[] =>
  Array.isArray(type) ? type : type === undefined ? [] : [type]

const joinOr = (names: readonly string[]): string => {
  const distinct = [...new Set(names)]
  return distinct.length < 2
    ? distinct.join('')
    : `${distinct.slice(0, -1).join(', ')} or ${distinct.at(-1) ?? ''}`
}

const describeTypes = (types: readonly string[]): Description => ({
  message: `Must be ${joinOr(types.map((type) => TYPE_NAMES[type] ?? type))}`,
  parameters: { reason: 'valueType', types: [...new Set(types)].join(' ') },
})

const characters = (n: number): string => `${n} ${n === 1 ? 'character' : 'characters'}`
const items = (n: number): string => `${n} ${n === 1 ? 'item' : 'items'}`
const properties = (n: number): string => `${n} ${n === 1 ? 'property' : 'properties'}`

function describeKeyword(keyword: string, schema: Schema): Description {
  switch (keyword) {
    case 'type':
      return describeTypes(typesOf(schema))
    case 'const':
      return describeConst(JSON.stringify(schema.const))
    case 'enum':
      return describeEnum(schema.enum ?? [])
    case 'minLength': {
      const n = schema.minLength ?? 0
      return { message: `Must be at least ${characters(n)}`, parameters: { reason: 'valueMinLength', n } }
    }
    case 'maxLength': {
      const n = schema.maxLength ?? 0
      return { message: `Must be at most ${characters(n)}`, parameters: { reason: 'valueMaxLength', n } }
    }
    case 'pattern': {
      const pattern = schema.pattern ?? ''
      return isShort(pattern)
        ? { message: `Must match the pattern ${pattern}`, parameters: { reason: 'valuePattern', pattern } }
        : {
            message: 'Must match a pattern that is too long to show',
            parameters: { reason: 'valuePatternLong' },
          }
    }
    case 'minimum': {
      const limit = schema.minimum ?? 0
      return { message: `Must be at least ${limit}`, parameters: { reason: 'valueMinimum', limit } }
    }
    case 'maximum': {
      const limit = schema.maximum ?? 0
      return { message: `Must be at most ${limit}`, parameters: { reason: 'valueMaximum', limit } }
    }
    case 'exclusiveMinimum': {
      const limit = Number(schema.exclusiveMinimum)
      return { message: `Must be more than ${limit}`, parameters: { reason: 'valueAbove', limit } }
    }
    case 'exclusiveMaximum': {
      const limit = Number(schema.exclusiveMaximum)
      return { message: `Must be less than ${limit}`, parameters: { reason: 'valueBelow', limit } }
    }
    case 'multipleOf': {
      const step = schema.multipleOf ?? 0
      return { message: `Must be a multiple of ${step}`, parameters: { reason: 'valueMultipleOf', step } }
    }
    case 'minItems': {
      const n = schema.minItems ?? 0
      return { message: `Must have at least ${items(n)}`, parameters: { reason: 'valueMinItems', n } }
    }
    case 'maxItems': {
      const n = schema.maxItems ?? 0
      return { message: `Must have at most ${items(n)}`, parameters: { reason: 'valueMaxItems', n } }
    }
    case 'uniqueItems':
      return { message: 'Must not have the same item twice', parameters: { reason: 'valueRepeated' } }
    case 'contains':
    case 'minContains': {
      const n = keyword === 'contains' ? 1 : (schema.minContains ?? 0)
      return {
        message: `Must have at least ${items(n)} of the required form`,
        parameters: { reason: 'valueMinContains', n },
      }
    }
    case 'maxContains': {
      const n = schema.maxContains ?? 0
      return {
        message: `Must have at most ${items(n)} of the required form`,
        parameters: { reason: 'valueMaxContains', n },
      }
    }
    case 'minProperties': {
      const n = schema.minProperties ?? 0
      return {
        message: `Must have at least ${properties(n)}`,
        parameters: { reason: 'valueMinProperties', n },
      }
    }
    case 'maxProperties': {
      const n = schema.maxProperties ?? 0
      return {
        message: `Must have at most ${properties(n)}`,
        parameters: { reason: 'valueMaxProperties', n },
      }
    }
    case 'not':
      return { message: 'Must not have the excluded form', parameters: { reason: 'valueRuledOut' } }
    default:
      return NOT_ALLOWED
  }
}

function describeConst(value: string): Description {
  return isShort(value)
    ? { message: `Must be ${value}`, parameters: { reason: 'valueConst', value } }
    : { message: 'Must be the one value that is allowed', parameters: { reason: 'valueConstLong' } }
}

function describeEnum(values: readonly unknown[]): Description {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  const [only] = texts
  if (texts.length === 1 && only !== undefined) return describeConst(only)
  const message = `Must be one of ${joinOr(texts)}`
  return isShort(message)
    ? { message, parameters: { reason: 'valueEnum', values: JSON.stringify(texts) } }
    : { message: 'Must be one of the allowed values', parameters: { reason: 'valueEnumLong' } }
}
