import type { JsonValue } from '#contract/protocol/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { MASK } from '#contract/protocol/mask.ts'
import { maskStrings } from '#edge/scrub.ts'

/** The frozen request as people may see it: no sensitive value in its own place or in any other. */
export function maskRequest(bytes: Uint8Array, secrets: readonly JsonValue[]): JsonValue {
  // requestBytes made these bytes of one
  const request = JSON.parse(Buffer.from(bytes).toString('utf8')) as LifecycleRequest
  const { configuration, resources, ...identity } = request
  // the identity is the operation's own and shown beside it: a secret that looks like a part of it changes nothing there
  const shown = { configuration, resources: maskSensitive(resources) }
  return { ...identity, ...Object(maskStrings(shown, secrets)) }
}

function maskSensitive(resources: LifecycleRequest['resources']): LifecycleRequest['resources'] {
  return mapValues(resources, (entry) => ({
    ...entry,
    properties: mapValues(entry.properties, (data) =>
      data.isSensitive === true ? { ...data, value: MASK } : data,
    ),
  }))
}

const mapValues = <Value>(
  map: Record<string, Value>,
  change: (value: Value) => Value,
): Record<string, Value> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))
