import { validate, type Schema } from '@cfworker/json-schema'
import { FORMATS } from './formats.ts'
import { isJsonObject, pointerTo, SCHEMA_DEPTH_MAX } from './json.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { problemOfKeyword } from './keyword-values.ts'
import { childrenOf, IN_PLACE_KEYWORDS, SCHEMA_LIST_KEYWORDS } from './subschemas.ts'
import { explain } from './messages.ts'
import { patternCost } from './pattern.ts'
import {
  guardedBy,
  isShort,
  measure,
  metered,
  newCheckBudget,
  working,
  TooCostly,
  uniqueItems,
  withMeters,
} from './check-work.ts'
import type { Problem } from './value-problem.ts'

export type { Problem }

/**
 * Returns what makes a schema unusable as JSON Schema 2020-12: a keyword of the wrong type, a `$ref` that leaves the
 * document, points to no schema or refers back to itself, a pattern that can hang, nesting beyond 32. Empty if the
 * schema can be used.
 */
export const checkSchema = (schema: JsonValue): Problem[] => [...prepare(schema).problems]

/**
 * Returns what is wrong with a value; empty if it satisfies the schema. `format` is checked. Never throws and never
 * takes long: a schema that `checkSchema` rejects, or a value too large to check, alone or with those before it, is reported as a problem.
 *
 * @param budget of all values that are checked together.
 */
export function checkValue(schema: JsonValue, value: JsonValue, budget = newCheckBudget()): Problem[] {
  const prepared = prepare(schema)
  if (prepared.problems.length > 0)
    return [
      {
        path: '',
        keyword: '$schema',
        message: 'Cannot be checked, because its schema is not valid',
        parameters: { reason: 'valueSchemaInvalid' },
      },
    ]
  const { problem, isWide, longest } = measure(value)
  if (problem !== null) return [problem]
  const hasOthersBefore = isShort(budget)
  try {
    return working(longest, budget, () => {
      const checked = isWide || prepared.asksUnique ? withMeters(value) : value
      const { errors } = validate(checked, prepared.root, '2020-12', prepared.lookup, false)
      return explain({ root: prepared.root, targets: prepared.targets, value, isFalseSchema }, errors)
    })
  } catch (error) {
    // The interpreter recurses with the value and passes error lists as arguments: both can end in a RangeError.
    if (error instanceof TooCostly && hasOthersBefore)
      return [
        {
          path: '',
          keyword: '$schema',
          message: 'Cannot be checked, because the values together need too much work: send fewer at a time',
          parameters: { reason: 'valuesTooCostly' },
        },
      ]
    if (error instanceof TooCostly || error instanceof RangeError)
      return [
        {
          path: '',
          keyword: '$schema',
          message: 'Is too large or too deeply nested to be checked',
          parameters: { reason: 'valueTooLarge' },
        },
      ]
    throw error
  }
}

// --- Preparing a schema --------------------------------------------------------------------------------------------

/** `root` is a copy for the interpreter, `targets` its subschemas by JSON pointer, `lookup` the same as `$ref` names them. */
type Prepared = {
  problems: Problem[]
  asksUnique: boolean
  root: Schema
  targets: ReadonlyMap<string, Schema>
  lookup: Record<string, Schema>
}

/** Schemas do not change after they are read; a form checks the same one on every key press. */
const known = new WeakMap<object, Prepared>()

function prepare(schema: JsonValue): Prepared {
  const cached = typeof schema === 'object' && schema !== null ? known.get(schema) : undefined
  if (cached !== undefined) return cached
  const survey = surveyOf(schema)
  const usable = survey.problems.length === 0
  const targets = new Map<string, Schema>()
  const root = usable ? copy(schema, '', { survey, targets }) : FALSE_SCHEMA
  const lookup = Object.fromEntries([...targets].map(([pointer, target]) => [`#${pointer}`, target]))
  const asksUnique = [...survey.schemas.values()].some((held) => held.uniqueItems === true)
  const prepared = { problems: survey.problems, asksUnique, root, targets, lookup }
  if (typeof schema === 'object' && schema !== null) known.set(schema, prepared)
  return prepared
}

type Survey = {
  problems: Problem[]
  schemas: Map<string, JsonObject>
  anchors: Map<string, string>
}

function surveyOf(schema: JsonValue): Survey {
  const survey: Survey = { problems: [], schemas: new Map(), anchors: new Map() }
  visit(schema, { pointer: '', depth: 1, keyword: '$schema' }, survey)
  if (survey.problems.length > 0) return survey
  for (const [pointer, { $ref }] of survey.schemas)
    if (typeof $ref === 'string' && targetOf($ref, survey) === null)
      survey.problems.push({
        path: `${pointer}/$ref`,
        keyword: '$ref',
        message: 'Must be # with a JSON pointer to a schema of this document, or with one of its anchors',
      })
  if (survey.problems.length === 0) survey.problems.push(...findLoops(survey))
  return survey
}

function visit(
  schema: JsonValue,
  { pointer, depth, keyword }: { pointer: string; depth: number; keyword: string },
  survey: Survey,
): void {
  const refuse = (at: string, where: string, message: string): void => {
    survey.problems.push({ path: `${pointer}${where}`, keyword: at, message })
  }
  if (depth > SCHEMA_DEPTH_MAX)
    return refuse(keyword, '', `Must not nest deeper than ${SCHEMA_DEPTH_MAX} schemas`)
  if (typeof schema === 'boolean') {
    survey.schemas.set(pointer, {})
    return
  }
  if (!isJsonObject(schema)) return refuse(keyword, '', 'Must be a schema: an object, true or false')
  survey.schemas.set(pointer, schema)
  for (const [name, held] of Object.entries(schema)) {
    const problem = name === '$id' && depth > 1 ? 'May only stand at the top' : problemOfKeyword(name, held)
    if (problem !== null) refuse(name, pointerTo(name), problem)
  }
  if (typeof schema.$anchor === 'string') {
    if (survey.anchors.has(schema.$anchor)) refuse('$anchor', '/$anchor', 'Must be of one schema only')
    survey.anchors.set(schema.$anchor, pointer)
  }
  for (const child of childrenOf(schema)) {
    const key = child.key === null ? '' : pointerTo(child.key)
    if (!key.isWellFormed())
      refuse(child.keyword, `/${child.keyword}`, 'Must have names of well-formed Unicode')
    else
      visit(
        child.schema,
        { pointer: `${pointer}/${child.keyword}${key}`, depth: depth + 1, keyword: child.keyword },
        survey,
      )
  }
}

/** The pointer that a `$ref` of this document resolves to, or null if there is no schema. */
function targetOf(reference: string, { schemas, anchors }: Survey): string | null {
  if (!reference.startsWith('#')) return null
  let fragment: string
  try {
    fragment = decodeURIComponent(reference.slice(1))
  } catch {
    return null
  }
  if (fragment !== '' && !fragment.startsWith('/')) return anchors.get(fragment) ?? null
  return schemas.has(fragment) ? fragment : null
}

/** References that return to their start without consuming a part of the value, and so never end. */
function findLoops(survey: Survey): Problem[] {
  const done = new Set<string>()
  const problems: Problem[] = []
  for (const start of survey.schemas.keys()) {
    const above = new Set<string>()
    const open: { pointer: string; leave: boolean }[] = [{ pointer: start, leave: false }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { pointer, leave } = next
      if (leave) {
        above.delete(pointer)
        done.add(pointer)
      } else if (above.has(pointer)) {
        const message = 'Must not refer to itself without a property or an item between'
        problems.push({ path: pointer, keyword: '$ref', message })
      } else if (!done.has(pointer)) {
        above.add(pointer)
        open.push({ pointer, leave: true })
        for (const inner of inPlaceOf(pointer, survey)) open.push({ pointer: inner, leave: false })
      }
    }
  }
  return problems.slice(0, 1)
}

function inPlaceOf(pointer: string, survey: Survey): string[] {
  const schema = survey.schemas.get(pointer)
  if (schema === undefined) return []
  const inner = childrenOf(schema)
    .filter(({ keyword }) => IN_PLACE_KEYWORDS.includes(keyword))
    .map(({ keyword, key }) => `${pointer}/${keyword}${key === null ? '' : pointerTo(key)}`)
  const target = typeof schema.$ref === 'string' ? targetOf(schema.$ref, survey) : null
  return target === null ? inner : [...inner, target]
}

// --- The copy that the interpreter reads ---------------------------------------------------------------------------

/** Replaces `false`: the interpreter reports no location for a boolean schema, but it does for this. */
const FALSE_SCHEMA: Schema = Object.freeze(metered({ not: {} }))
const isFalseSchema = (schema: Schema): boolean => schema === FALSE_SCHEMA

/** Only what the interpreter should act on: it also supports keywords of other drafts, and internal ones. */
const COPIED: readonly string[] = [
  'type',
  'const',
  'enum',
  'required',
  'dependentRequired',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
]

function copy(
  schema: JsonValue,
  pointer: string,
  context: { survey: Survey; targets: Map<string, Schema> },
): Schema {
  if (schema === false) {
    context.targets.set(pointer, FALSE_SCHEMA)
    return FALSE_SCHEMA
  }
  const keywords: Schema = {}
  if (isJsonObject(schema)) {
    for (const keyword of COPIED) if (Object.hasOwn(schema, keyword)) keywords[keyword] = schema[keyword]
    if (typeof schema.format === 'string' && FORMATS.has(schema.format)) keywords.format = schema.format
    if (typeof schema.$ref === 'string') keywords.$ref = `#${targetOf(schema.$ref, context.survey) ?? ''}`
    copyChildren(schema, pointer, { ...context, result: keywords })
    if (typeof schema.pattern === 'string') addPattern(keywords, schema.pattern)
    if (schema.uniqueItems === true) addAlso(keywords, uniqueItems())
  }
  const result = metered(keywords)
  context.targets.set(pointer, result)
  return result
}

function copyChildren(
  schema: JsonObject,
  pointer: string,
  context: { result: Schema; survey: Survey; targets: Map<string, Schema> },
): void {
  const entries = new Map<string, [string, Schema][]>()
  for (const { keyword, key, schema: child } of childrenOf(schema)) {
    const at = `${pointer}/${keyword}${key === null ? '' : pointerTo(key)}`
    const copied = copy(child, at, context)
    if (key === null) context.result[keyword] = copied
    else {
      const list = entries.get(keyword) ?? []
      list.push([key, copied])
      entries.set(keyword, list)
    }
  }
  const lists: readonly string[] = SCHEMA_LIST_KEYWORDS
  for (const [keyword, children] of entries)
    context.result[keyword] = lists.includes(keyword)
      ? children.map(([, child]) => child)
      : // Defines its keys, so that __proto__ is an ordinary name.
        Object.fromEntries(children)
}

/** A pattern that can be slow is tried only on text that is short enough for it; longer text is rejected. */
function addPattern(result: Schema, pattern: string): void {
  const cost = patternCost(pattern)
  if (!cost.usable || cost.longest === Infinity) result.pattern = pattern
  else addAlso(result, guardedBy({ maxLength: cost.longest }, metered({ pattern })))
}

function addAlso(result: Schema, schema: Schema): void {
  result.allOf = [...(result.allOf ?? []), schema]
}
