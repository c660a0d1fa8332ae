import type { Schema } from '@cfworker/json-schema'
import { pointerTo, VALUE_DEPTH_MAX } from './json.ts'
import type { JsonValue } from './json.ts'
import { matchSteps, patternCost } from './pattern.ts'
import type { PatternCost } from './pattern.ts'
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
let work = { left: 0, longestText: 0 }

/** Begins a check of a value whose longest text, or key, has so many characters. */
export function startWork(longestText: number): void {
  work = { left: WORK_MAX, longestText }
}

function spend(cost: number): void {
  work.left -= cost
  if (work.left < 0) throw new TooCostly()
}

/** A schema of the interpreter, which reads every keyword whenever it evaluates one: so also this one, which none has. */
class MeteredSchema {
  readonly #cost: number
  readonly #perCharacter: number

  constructor(cost: number, perCharacter: number) {
    this.#cost = cost
    this.#perCharacter = perCharacter
  }

  get $recursiveAnchor(): undefined {
    spend(this.#cost + this.#perCharacter * work.longestText)
    return undefined
  }
}

/** @param cost of one evaluation without the schemas in it; by default, what its keywords need for the longest text of the value. */
export const metered = (keywords: Schema, cost?: number): Schema =>
  Object.assign(
    cost === undefined
      ? new MeteredSchema(costOf(keywords), costPerCharacter(keywords))
      : new MeteredSchema(cost, 0),
    keywords,
  )

function costOf({ const: constant, enum: list, required, dependentRequired, ...maps }: Schema): number {
  const constants = [constant, list].reduce((sum, held) => sum + (JSON.stringify(held)?.length ?? 0), 0)
  const needed = [required ?? [], ...Object.values(dependentRequired ?? {})].flat().length
  const { properties = {}, patternProperties = {}, dependentSchemas = {} } = maps
  const names = [properties, dependentSchemas].flatMap(Object.keys).length / NAMES_PER_WORK
  return 1 + constants / CONSTANT_PER_WORK + needed + names + Object.keys(patternProperties).length
}

function costPerCharacter({ pattern, minLength, maxLength, format, patternProperties = {} }: Schema): number {
  const patterns = pattern === undefined ? Object.keys(patternProperties) : [pattern]
  const counts = minLength !== undefined || maxLength !== undefined || format !== undefined
  return patterns
    .map(patternCost)
    .reduce(
      (sum, cost) => (cost.usable && cost.degree === 1 ? sum + matchWork(cost, 1) : sum),
      counts ? 1 / CHARACTERS_PER_WORK : 0,
    )
}

/** What matching a text of this length costs. */
export const matchWork = (cost: PatternCost & { usable: true }, length: number): number =>
  matchSteps(cost, length) / MATCH_STEPS_PER_WORK

/** Objects with more keys say when these are listed, which the interpreter does in each evaluation. */
const WIDE_FROM = 100

/** A copy of a value in which listing the keys of a wide object is work. */
export function withMeteredKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withMeteredKeys)
  const keys = Object.keys(value)
  const copied = Object.fromEntries(keys.map((key) => [key, withMeteredKeys(value[key] ?? null)]))
  if (keys.length < WIDE_FROM) return copied
  return new Proxy(copied, {
    ownKeys: (of) => {
      spend(keys.length / KEYS_PER_WORK)
      return Reflect.ownKeys(of)
    },
  })
}

/** How large a value is, and the problem if it is too deep or not Unicode. */
export function measure(value: JsonValue): { problem: Problem | null; longestText: number; isWide: boolean } {
  let [longestText, isWide] = [0, false]
  const open: { value: JsonValue; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, path, depth } = next
    if (typeof current === 'string') longestText = Math.max(longestText, current.length)
    if (typeof current !== 'object' || current === null) continue
    const refuse = (keyword: string, message: string) => ({
      problem: { path, keyword, message },
      longestText,
      isWide,
    })
    if (depth === VALUE_DEPTH_MAX)
      return refuse('$schema', `Must not nest deeper than ${VALUE_DEPTH_MAX} levels`)
    const entries = Object.entries(current)
    isWide ||= !Array.isArray(current) && entries.length >= WIDE_FROM
    for (const [key, child] of entries) {
      if (!key.isWellFormed()) return refuse('propertyNames', 'Must have names of well-formed Unicode')
      longestText = Math.max(longestText, key.length)
      open.push({ value: child, path: path + pointerTo(key), depth: depth + 1 })
    }
  }
  return { problem: null, longestText, isWide }
}

const FIRST_TIER = 32

/**
 * A keyword whose work grows faster than the value, under conditions that double: so each evaluation costs about what it needs. What
 * is longer than the last is rejected without it: the interpreter evaluates all keywords of a schema even after one has failed.
 */
export function inTiers(
  limit: 'maxLength' | 'maxItems',
  last: number,
  guarded: Schema,
  workFor: (length: number) => number,
  most = Math.min(FIRST_TIER, last),
): Schema {
  const guard = metered({ [limit]: most })
  return metered({
    if: guard,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: metered(guarded, 1 + workFor(most)),
    else: most === last ? guard : inTiers(limit, last, guarded, workFor, Math.min(2 * most, last)),
  })
}
