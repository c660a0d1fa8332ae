import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'

/** A field of a response that differs from the request. Values are JSON; `…` stands for one that is not shown. */
export interface FieldDifference {
  field: string
  expected: string
  received: string
}

/** The differing fields that the record of an invalid response names; empty for any other response. */
export function differencesIn(response: JsonValue | undefined): FieldDifference[] {
  if (!isJsonObject(response)) return []
  const { differs } = response
  // earlier versions recorded one field, as an object
  return (Array.isArray(differs) ? differs : [differs]).flatMap((difference) => {
    if (difference === undefined || !isJsonObject(difference)) return []
    const { field, expected = null, received = null } = difference
    return typeof field === 'string' ? compare(field, expected, received) : []
  })
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const IDS = new RegExp(UUID, 'g')
const ID = new RegExp(`^${UUID}$`)

/** The first ID in a message of a plugin that is none of the operation's own: it may be that of another operation. */
export function otherIdIn(
  failure: Failure,
  { operationId, installation }: Pick<OperationDetail, 'operationId' | 'installation'>,
): string | null {
  if (!isFromPlugin(failure)) return null
  const own = new Set([operationId, installation.bundleInstallId])
  return failure.message.match(IDS)?.find((id) => !own.has(id)) ?? null
}

/** The operation that an invalid response is about, if it names another one; null for any other response. */
export function answeredOperation(response: JsonValue | undefined): string | null {
  const about = differencesIn(response).find(({ field }) => field === 'operation.operationId')
  return about !== undefined && ID.test(about.received) ? about.received : null
}

/**
 * Whether an invalid response is that of another plugin, or that of this plugin to its earlier call in the same operation; null for any
 * other response.
 */
export function misplacedAnswer(response: JsonValue | undefined): 'elsewhere' | 'otherStage' | null {
  const differences = differencesIn(response)
  if (differences.some(({ field }) => field === 'pluginId')) return 'elsewhere'
  const [difference, ...others] = differences
  return others.length === 0 && difference?.field === 'stage' && difference.received === 'BEFORE_RESOURCES'
    ? 'otherStage'
    : null
}

function compare(field: string, expected: JsonValue, received: JsonValue): FieldDifference[] {
  if (deepEqual(expected, received)) return []
  if (isJsonObject(expected) && isJsonObject(received)) {
    return Object.keys(expected).flatMap((name) =>
      compare(`${field}.${name}`, expected[name] ?? null, received[name] ?? null),
    )
  }
  return [{ field, expected: textOf(expected), received: textOf(received) }]
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value))
