import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Attempt } from '#contract/console-api/shapes.ts'
import { verdictOf, type Verdict } from '../../calls/verdict.ts'

/** A part of a response, by its path, that differs; undefined where it is absent. */
export interface ResponseDifference {
  path: string
  before: JsonValue | undefined
  after: JsonValue | undefined
}

/** What differs between two attempts of one call, apart from their times; null for what is the same. */
export interface AttemptDifferences {
  verdict: { before: Verdict; after: Verdict } | null
  httpStatus: { before: number | null; after: number | null } | null
  durationMs: { before: number | null; after: number | null } | null
  failure: { before: Attempt['failure']; after: Attempt['failure'] } | null
  response: ResponseDifference[]
  /** The number of further differences in the response. */
  more: number
}

const MAX_DIFFERENCES = 100

export function attemptDifferences(one: Attempt, other: Attempt): AttemptDifferences {
  const pair = <Value>(before: Value, after: Value, isSame = before === after) =>
    isSame ? null : { before, after }
  const response = [...differencesOf('', asJson(one.response), asJson(other.response))]
  return {
    verdict: pair(verdictOf(one), verdictOf(other)),
    httpStatus: pair(one.httpStatus, other.httpStatus),
    durationMs: pair(one.durationMs, other.durationMs),
    failure: pair(one.failure, other.failure, isSameFailure(one.failure, other.failure)),
    response: response.slice(0, MAX_DIFFERENCES),
    more: Math.max(0, response.length - MAX_DIFFERENCES),
  }
}

/** Compares code and message, but not the error path, which is the same for two attempts of one call. */
function isSameFailure(one: Attempt['failure'], other: Attempt['failure']): boolean {
  return one?.errorCode === other?.errorCode && one?.message === other?.message
}

// a response of the API is JSON
const asJson = (value: unknown) => (value ?? null) as JsonValue

function* differencesOf(
  path: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): Generator<ResponseDifference> {
  if (before !== undefined && after !== undefined && deepEqual(before, after)) return
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield { path, before, after }
    return
  }
  // a response may have a field with the name of a method
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  for (const key of new Set([...was.keys(), ...is.keys()])) {
    const name = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
    yield* differencesOf(name, was.get(key), is.get(key))
  }
}

const isContainer = (value: JsonValue | undefined): value is JsonObject | JsonValue[] =>
  isJsonObject(value) || Array.isArray(value)
