import { format } from '@cfworker/json-schema'
import type { Schema } from '@cfworker/json-schema'
import { pointerTo, VALUE_DEPTH_MAX } from './json.ts'
import type { JsonValue } from './json.ts'
import { canonicalText } from './list-items.ts'
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
/** Of the values that are checked for one request or one response: ten that need as much as one may take some two seconds. */
const WORK_TOGETHER = 10 * WORK_MAX
const CHARACTERS_PER_WORK = 1000
/** Of a text with a format: some are read character by character. */
const FORMAT_CHARACTERS_PER_WORK = 50
/** Of a constant, which a problem also repeats. */
const CONSTANT_PER_WORK = 100
const NAMES_PER_WORK = 10
/** Of names as the interpreter writes them into locations. */
const NAME_CHARACTERS_PER_WORK = 200
const KEYS_PER_WORK = 2
/** Of the items of a list that must be unique. */
const ITEM_CHARACTERS_PER_WORK = 5
/** A division of decimals is one of very large whole numbers. */
const WORK_PER_DIVISION = 4
const MATCH_STEPS_PER_WORK = 250

/** Of the check that runs; it is the only one, because it awaits nothing. */
let work: { left: number; workForText: (length: number) => number; asksUnique: boolean; equalItems: number } =
  {
    left: 0,
    workForText: () => 0,
    asksUnique: false,
    equalItems: 0,
  }

/** A place may be so long, as the interpreter writes it, before a check of the value may cost less. */
const LOCATION_LENGTH = 2000

/** What the checks of several values may cost together, because one after the other they hold up everything else. */
export interface CheckBudget {
  left: number
}

export const newCheckBudget = (): CheckBudget => ({ left: WORK_TOGETHER })

/** Whether the checks before have left less than one value may need. */
export const isShort = ({ left }: CheckBudget): boolean => left < WORK_MAX

/**
 * Does the work of one check, which nothing has cost yet.
 * @param longest place of the value: there may be a problem for each part, and each repeats it.
 */
export function working<Result>(longest: number, budget: CheckBudget, check: () => Result): Result {
  const share = Math.max(1, longest / LOCATION_LENGTH) ** 2
  const allowed = Math.min(WORK_MAX, budget.left) / share
  Object.assign(work, { left: allowed, asksUnique: false, equalItems: 0 })
  try {
    return check()
  } finally {
    budget.left -= (allowed - work.left) * share
  }
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

  get $recursiveAnchor(): false {
    spend(this.#cost)
    return false
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
  if (isCounted)
    forText.push(
      (length) => length / (named === undefined ? CHARACTERS_PER_WORK : FORMAT_CHARACTERS_PER_WORK),
    )
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
  multipleOf,
  ...maps
}: Schema): number {
  const constants = [constant, list].reduce((sum, held) => sum + (JSON.stringify(held)?.length ?? 0), 0)
  const needed = [required ?? [], ...Object.values(dependentRequired ?? {})].flat().length
  const { properties = {}, patternProperties = {}, dependentSchemas = {} } = maps
  const patterns = Object.keys(patternProperties)
  const named = [properties, dependentSchemas].flatMap(Object.keys)
  const names =
    named.length / NAMES_PER_WORK + charactersOf([...named, ...patterns]) / NAME_CHARACTERS_PER_WORK
  const division = multipleOf === undefined ? 0 : WORK_PER_DIVISION
  return 1 + constants / CONSTANT_PER_WORK + needed + names + division + patterns.length
}

/** Objects with so many keys, or such long ones, say when these are listed, which the interpreter does in each evaluation. */
const WIDE_FROM = { keys: 100, characters: 500 }

/** As the interpreter writes them. They are well-formed, which is checked before. */
const charactersOf = (keys: readonly string[]): number =>
  keys.reduce((sum, key) => sum + encodeURI(key).length, 0)

const isWideWith = (keys: readonly string[]): boolean =>
  keys.length >= WIDE_FROM.keys || charactersOf(keys) >= WIDE_FROM.characters

/** A copy of a value in which listing the keys of a wide object is work, and whose lists know whether their items are unique. */
export function withMeters(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return meteredList(value)
  const keys = Object.keys(value)
  const copied = Object.fromEntries(keys.map((key) => [key, withMeters(value[key] ?? null)]))
  if (!isWideWith(keys)) return copied
  const cost = keys.length / KEYS_PER_WORK + charactersOf(keys) / NAME_CHARACTERS_PER_WORK
  return new Proxy(copied, {
    ownKeys: (of) => {
      spend(cost)
      return Reflect.ownKeys(of)
    },
  })
}

/**
 * The interpreter compares every item with every other one, part by part. Where it is about to, it finds no items if they are unique,
 * and otherwise two equal ones: it reads the length once, then one item after the other.
 */
function meteredList(list: JsonValue[]): JsonValue {
  let isUnique: boolean | undefined
  return new Proxy(list.map(withMeters), {
    get: (of, key) => {
      if (key === 'length' && work.asksUnique) {
        isUnique ??= hasUniqueItems(list)
        Object.assign(work, { asksUnique: false, equalItems: isUnique ? 0 : 2 })
        return work.equalItems
      }
      if (work.equalItems === 0) return Reflect.get(of, key)
      work.equalItems -= 1
      return null
    },
  })
}

function hasUniqueItems(list: readonly JsonValue[]): boolean {
  const texts = new Set<string>()
  for (const item of list) {
    const text = canonicalText(item)
    spend(text.length / ITEM_CHARACTERS_PER_WORK)
    if (texts.has(text)) return false
    texts.add(text)
  }
  return true
}

/** How large a value is, with the length of its longest place, and the problem if it is too deep or not Unicode. */
export function measure(value: JsonValue): { problem: Problem | null; isWide: boolean; longest: number } {
  let isWide = false
  let longest = 0
  const open = [{ value, path: '', length: 0, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: current, path, length, depth } = next
    if (typeof current !== 'object' || current === null) continue
    const refuse = (keyword: string, message: string) => ({
      problem: { path, keyword, message },
      isWide,
      longest,
    })
    if (depth === VALUE_DEPTH_MAX)
      return refuse('$schema', `Must not nest deeper than ${VALUE_DEPTH_MAX} levels`)
    for (const [key, child] of Object.entries(current)) {
      if (!key.isWellFormed()) return refuse('propertyNames', 'Must have names of well-formed Unicode')
      const step = pointerTo(key)
      const longer = length + encodeURI(step).length
      longest = Math.max(longest, longer)
      open.push({ value: child, path: path + step, length: longer, depth: depth + 1 })
    }
    isWide ||= !Array.isArray(current) && isWideWith(Object.keys(current))
  }
  return { problem: null, isWide, longest }
}

/** `uniqueItems`, which the interpreter reads last before the length of the list. */
class UniqueItems extends MeteredSchema {
  get uniqueItems(): true {
    work.asksUnique = true
    return true
  }
}

/** `uniqueItems` for a value with meters. Only a list answers the question, so nothing else is asked. */
export const uniqueItems = (): Schema => guardedBy({ type: 'array' }, new UniqueItems(1), metered({}))

/** @param beyond what holds for a value that does not satisfy the guard; without it, such a value is rejected. */
export function guardedBy(limit: Schema, within: Schema, beyond?: Schema): Schema {
  const guard = metered(limit)
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return metered({ if: guard, then: within, else: beyond ?? guard })
}
