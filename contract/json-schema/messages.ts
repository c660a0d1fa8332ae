import type { OutputUnit, Schema } from '@cfworker/json-schema'
import { getOwn } from './get-own.ts'
import type { JsonValue } from './json.ts'
import { SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from './keywords.ts'
import type { Problem } from './problem.ts'
import { pointerSegments, pointerTo, unescapeSegment } from './pointer.ts'

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
    const held: unknown = schema[keyword]
    if (keyword === '$ref') schema = targets.get(String(held).slice(1)) ?? {}
    else if (KEYED.has(keyword)) {
      index += 1
      schema = (held as Record<string, Schema> | undefined)?.[steps[index] ?? ''] ?? {}
    } else schema = (held as Schema | undefined) ?? {}
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
  const problem = (message: string): Problem[] => [{ path, keyword: unit.keyword, message }]
  const options = byOption(inside, unit)
  const count = ((unit.keyword === 'anyOf' ? place.schema.anyOf : place.schema.oneOf) ?? []).length
  if (options.length < count) return problem(`Must match only one of the ${count} allowed forms`)
  const meant = options.filter((option) => !option.some((inner) => rulesOut(inner, path)))
  if (meant.length === 1 && meant[0] !== undefined) return describeAll(checked, meant[0])
  const types = options.map((option) =>
    option.find((inner) => inner.keyword === 'type' && pointerOf(inner) === path),
  )
  if (types.every((type) => type !== undefined))
    return problem(`Must be ${joinOr(types.flatMap((type) => typesOf(placeOf(checked, type).schema)))}`)
  return problem(`Must match one of the ${count} allowed forms`)
}

/** The problems of each option. Without Object.groupBy, because the SDK of plugins contains this and runs on Node 20. */
function byOption(inside: readonly OutputUnit[], { keywordLocation }: OutputUnit): OutputUnit[][] {
  const options = new Map<string, OutputUnit[]>()
  for (const unit of inside) {
    const option = unit.keywordLocation.slice(keywordLocation.length + 1).split('/')[0] ?? ''
    options.set(option, [...(options.get(option) ?? []), unit])
  }
  return [...options.values()]
}

/** An option is ruled out if the type differs, or a constant does, in the value or directly inside it. */
function rulesOut(unit: OutputUnit, path: string): boolean {
  const at = pointerOf(unit)
  if (unit.keyword === 'type') return at === path
  if (unit.keyword !== 'const' && unit.keyword !== 'enum') return false
  return at === path || (at.startsWith(`${path}/`) && !at.slice(path.length + 1).includes('/'))
}

// --- Messages ------------------------------------------------------------------------------------------------------

function describe(checked: Checked, unit: OutputUnit, place: Place): Problem[] {
  const path = pointerOf(unit)
  const { schema, within } = place
  const { keyword } = unit
  if (keyword === 'required') {
    const holder = valueAt(checked.value, path)
    return missing(holder, schema.required ?? []).map((name) => ({
      path: path + pointerTo(name),
      keyword,
      message: 'Is required',
    }))
  }
  if (keyword === 'dependentRequired') return describeDependent(checked, path, schema)
  if (keyword === 'not' && checked.isFalseSchema(schema)) return [describeForbidden(path, within)]
  const message = messageOf(keyword, schema)
  const isName = within.includes('propertyNames')
  return [
    {
      path,
      keyword,
      message: isName ? `The name ${message.charAt(0).toLowerCase()}${message.slice(1)}` : message,
    },
  ]
}

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
        message: `Is required together with ${short(name, 'another property')}`,
      })),
    )
}

function describeForbidden(path: string, within: string[]): Problem {
  const keyword = within.at(-1) ?? 'not'
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { path, keyword, message: 'Is not a known property' }
    case 'items':
    case 'prefixItems':
    case 'unevaluatedItems':
      return { path, keyword, message: 'Must not be there: the list is too long' }
    default:
      return { path, keyword, message: 'Is not allowed' }
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'empty (null)',
  number: 'a number',
  object: 'an object',
  string: 'text',
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  cron: 'a schedule of five fields such as 30 2 * * 1-5',
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time with time zone such as 2026-01-31T08:00:00Z',
  duration: 'an ISO 8601 duration such as PT15M',
  email: 'an e-mail address',
  hostname: 'a host name',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  'json-pointer': 'a JSON pointer',
  regex: 'a regular expression',
  'relative-json-pointer': 'a relative JSON pointer',
  time: 'a time with time zone such as 08:00:00Z',
  'time-zone': 'a time zone such as Europe/Berlin',
  uri: 'a URI such as https://example.com/path',
  'uri-reference': 'a URI or a relative reference',
  'uri-template': 'a URI template',
  uuid: 'a UUID',
}

/** Limits how much schema text a message repeats, so that messages stay within the maximum length of a failure. */
const SHOWN_MAX = 200

const short = (text: string, otherwise: string): string => (text.length <= SHOWN_MAX ? text : otherwise)

const shown = (value: unknown, otherwise: string): string => short(JSON.stringify(value), otherwise)

const typesOf = ({ type }: Schema): string[] =>
  (Array.isArray(type) ? type : type === undefined ? [] : [type]).map((name) => TYPE_NAMES[name] ?? name)

const joinOr = (names: readonly string[]): string => {
  const distinct = [...new Set(names)]
  return distinct.length < 2
    ? distinct.join('')
    : `${distinct.slice(0, -1).join(', ')} or ${distinct.at(-1) ?? ''}`
}

const counted = (count: number | undefined, one: string, many: string): string =>
  `${count ?? 0} ${count === 1 ? one : many}`

function messageOf(keyword: string, schema: Schema): string {
  switch (keyword) {
    case 'type':
      return `Must be ${joinOr(typesOf(schema))}`
    case 'const':
      return `Must be ${shown(schema.const, 'the one value that is allowed')}`
    case 'enum':
      return `Must be ${allowedValues(schema.enum ?? [])}`
    case 'minLength':
      return `Must be at least ${counted(schema.minLength, 'character', 'characters')}`
    case 'maxLength':
      return `Must be at most ${counted(schema.maxLength, 'character', 'characters')}`
    case 'pattern':
      return `Must match ${short(`the pattern ${schema.pattern ?? ''}`, 'a pattern that is too long to show')}`
    case 'format':
      return `Must be ${FORMAT_NAMES[schema.format ?? ''] ?? schema.format ?? ''}`
    case 'minimum':
      return `Must be at least ${schema.minimum ?? ''}`
    case 'maximum':
      return `Must be at most ${schema.maximum ?? ''}`
    case 'exclusiveMinimum':
      return `Must be more than ${schema.exclusiveMinimum ?? ''}`
    case 'exclusiveMaximum':
      return `Must be less than ${schema.exclusiveMaximum ?? ''}`
    case 'multipleOf':
      return `Must be a multiple of ${schema.multipleOf ?? ''}`
    case 'minItems':
      return `Must have at least ${counted(schema.minItems, 'item', 'items')}`
    case 'maxItems':
      return `Must have at most ${counted(schema.maxItems, 'item', 'items')}`
    case 'uniqueItems':
      return 'Must not have the same item twice'
    case 'contains':
      return 'Must have at least 1 item of the required form'
    case 'minContains':
      return `Must have at least ${counted(schema.minContains, 'item', 'items')} of the required form`
    case 'maxContains':
      return `Must have at most ${counted(schema.maxContains, 'item', 'items')} of the required form`
    case 'minProperties':
      return `Must have at least ${counted(schema.minProperties, 'property', 'properties')}`
    case 'maxProperties':
      return `Must have at most ${counted(schema.maxProperties, 'property', 'properties')}`
    case 'not':
      return 'Must not have the form that is ruled out'
    default:
      return 'Is not allowed'
  }
}

const allowedValues = (values: readonly unknown[]): string => {
  const texts = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  const list = joinOr(texts)
  const one = texts.length === 1 ? list : `one of ${list}`
  return short(one, 'one of the allowed values')
}
