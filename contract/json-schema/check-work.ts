import { format } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import { pointerTo, VALUE_DEPTH_MAX } from './json.ts'
import type { JsonValue } from './json.ts'
import { matchSteps, patternCost } from './pattern.ts'
import type { Problem } from './value-problem.ts'

// What one check of a value may cost. The interpreter takes as long as it takes: its work grows with the value times the schema,
// and with patterns and comparisons faster than that. So every schema that it evaluates counts.

/** The check needs more work than it may cost. */
export class TooCostly extends Error {}

/**
 * The work of one check, in units of about a microsecond. Each part of a value can be checked against several schemas; more is needed
 * only where a schema compares each with thousands of others, or tries large texts on many patterns.
 */
const WORK_MAX = 600_000
const CHARACTERS_PER_WORK = 1000
/** Of a constant, which a problem also repeats. */
const CONSTANT_PER_WORK = 100
const NAMES_PER_WORK = 10
const KEYS_PER_WORK = 2
/** Of items that are compared. */
export const PAIRS_PER_WORK = 40
const MATCH_STEPS_PER_WORK = 250

/** Of the check that runs; it is the only one, because it awaits nothing. */
let work: { left: number; workForText: (length: number) => number } = { left: 0, workForText: () => 0 }

/** Begins a check, which nothing has cost yet. */
export function startWork(): void {
  work.left = WORK_MAX
}

function spend(cost: number): void {
  work.left -= cost
  if (work.left < 0) throw new TooCostly()
}

/** A schema of the interpreter, which reads every keyword whenever it evaluates one: so also this one, which none has. */
class MeteredSchema {
  readonly #cost: number

  constructor(cost: number) {
    this.#cost = cost
  }

  get $recursiveAnchor(): undefined {
    spend(this.#cost)
    return undefined
  }
}

/** The interpreter passes a text only to the check of a format. Every text has this format, at the price of its length. */
const TEXT_FORMAT = 'metered-text'
format[TEXT_FORMAT] = (text) => {
  spend(work.workForText(text.length))
  return true
}

/** A schema that every value satisfies, of which only a text costs something. The interpreter reads its format, then checks it at once. */
class TextMeter {
  readonly #workFor: (length: number) => number

  constructor(workFor: (length: number) => number) {
    this.#workFor = workFor
  }

  get format(): string {
    work.workForText = this.#workFor
    return TEXT_FORMAT
  }
}

/**
 * @param cost of one evaluation without the schemas in it; by default, what its keywords need, for each text and each name of an object
 * by its own length.
 */
export function metered(keywords: Schema, cost?: number): Schema {
  if (cost !== undefined) return Object.assign(new MeteredSchema(cost), keywords)
  const { pattern, minLength, maxLength, format: named, patternProperties = {}, allOf = [] } = keywords
  const isCounted = minLength !== undefined || maxLength !== undefined || named !== undefined
  const forText = pattern === undefined ? [] : [workForPattern(pattern)]
  if (isCounted) forText.push((length) => length / CHARACTERS_PER_WORK)
  const forNames = Object.keys(patternProperties).map(workForPattern)
  const meters: Schema[] = forText.length > 0 ? [meterOf(forText)] : []
  if (forNames.length > 0) meters.push({ propertyNames: meterOf(forNames) })
  const result = Object.assign(new MeteredSchema(evaluationCost(keywords)), keywords)
  return meters.length === 0 ? result : Object.assign(result, { allOf: [...allOf, ...meters] })
}

const meterOf = (works: ((length: number) => number)[]): Schema =>
  new TextMeter((length) => works.reduce((sum, workFor) => sum + workFor(length), 0))

function workForPattern(pattern: string): (length: number) => number {
  const cost = patternCost(pattern)
  return (length) => (cost.usable ? matchSteps(cost, length) / MATCH_STEPS_PER_WORK : 0)
}

function evaluationCost({
  const: constant,
  enum: list,
  required,
  dependentRequired,
  ...maps
}: Schema): number {
  const constants = [constant, list].reduce((sum, held) => sum + (JSON.stringify(held)?.length ?? 0), 0)
  const needed = [required ?? [], ...Object.values(dependentRequired ?? {})].flat().length
  const { properties = {}, patternProperties = {}, dependentSchemas = {} } = maps
  const names = [properties, dependentSchemas].flatMap(Object.keys).length / NAMES_PER_WORK
  return 1 + constants / CONSTANT_PER_WORK + needed + names + Object.keys(patternProperties).length
}

/** Objects with so many keys, or such long ones, say when these are listed, which the interpreter does in each evaluation. */
const WIDE_FROM = { keys: 100, characters: 2000 }

const charactersOf = (keys: readonly string[]): number => keys.reduce((sum, key) => sum + key.length, 0)

const isWideWith = (keys: readonly string[]): boolean =>
  keys.length >= WIDE_FROM.keys || charactersOf(keys) >= WIDE_FROM.characters

/** A copy of a value in which listing the keys of a wide object is work. */
export function withMeteredKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withMeteredKeys)
  const keys = Object.keys(value)
  const copied = Object.fromEntries(keys.map((key) => [key, withMeteredKeys(value[key] ?? null)]))
  if (!isWideWith(keys)) return copied
  const cost = keys.length / KEYS_PER_WORK + charactersOf(keys) / CHARACTERS_PER_WORK
  return new Proxy(copied, {
    ownKeys: (of) => {
      spend(cost)
      return Reflect.ownKeys(of)
    },
  })
}

/** How large a value is, and the problem if it is too deep or not Unicode. */
export function measure(value: JsonValue): { problem: Problem | null; isWide: boolean } {
  let isWide = false
  const open: { value: JsonValue; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, path, depth } = next
    if (typeof current !== 'object' || current === null) continue
    const refuse = (keyword: string, message: string) => ({ problem: { path, keyword, message }, isWide })
    if (depth === VALUE_DEPTH_MAX)
      return refuse('$schema', `Must not nest deeper than ${VALUE_DEPTH_MAX} levels`)
    const entries = Object.entries(current)
    isWide ||= !Array.isArray(current) && isWideWith(Object.keys(current))
    for (const [key, child] of entries) {
      if (!key.isWellFormed()) return refuse('propertyNames', 'Must have names of well-formed Unicode')
      open.push({ value: child, path: path + pointerTo(key), depth: depth + 1 })
    }
  }
  return { problem: null, isWide }
}

const FIRST_TIER = 32

/**
 * A keyword for lists whose work grows faster than the list, under conditions that double: so each evaluation costs about what it
 * needs. A list that is longer than the last is rejected without it: the interpreter evaluates all keywords of a schema even after one
 * has failed.
 */
export function inTiers(
  last: number,
  guarded: Schema,
  workFor: (items: number) => number,
  most = Math.min(FIRST_TIER, last),
): Schema {
  return guardedBy(
    { maxItems: most },
    metered(guarded, 1 + workFor(most)),
    most === last ? undefined : inTiers(last, guarded, workFor, Math.min(2 * most, last)),
  )
}

/** @param beyond what holds for a value that does not satisfy the guard; without it, such a value is rejected. */
export function guardedBy(limit: Schema, within: Schema, beyond?: Schema): Schema {
  const guard = metered(limit)
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return metered({ if: guard, then: within, else: beyond ?? guard })
}
