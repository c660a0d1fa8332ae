import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { MASK } from '#contract/protocol/mask.ts'
import { maskStrings } from '#http-kit/text/scrub.ts'

/** Whether a property of a resource is sensitive, regardless of the flag on its value. */
export type IsSensitive = (locator: string, property: string) => boolean

/** The frozen request for display, with each sensitive value masked wherever it occurs. */
export function maskRequest(
  bytes: Uint8Array,
  secrets: readonly JsonValue[],
  isSensitive: IsSensitive,
): JsonValue {
  // the bytes were written by requestBytes
  const request = JSON.parse(new TextDecoder().decode(bytes)) as LifecycleRequest
  const { configuration, resources, ...identity } = request
  // the identity is public and shown next to the request, so it is not masked even if it contains a secret's text
  const shown = { configuration, resources: maskEntries(resources, isSensitive) }
  return { ...identity, ...Object(maskStrings(shown, secrets)) }
}

function maskEntries(
  resources: LifecycleRequest['resources'],
  isSensitive: IsSensitive,
): LifecycleRequest['resources'] {
  return mapValues(resources, (entry, locator) => ({
    ...entry,
    properties: mapValues(entry.properties, (data, property) =>
      data.isSensitive === true || isSensitive(locator, property) ? { ...data, value: MASK } : data,
    ),
  }))
}

/** A recorded answer with every sensitive value masked, both as a written property and inside other texts. */
export function maskResponse(
  response: JsonValue,
  secrets: readonly JsonValue[],
  isSensitive: IsSensitive,
): JsonValue {
  const data = isJsonObject(response) ? response['data'] : null
  const resources = isJsonObject(data) ? data['resources'] : null
  if (!isJsonObject(response) || !isJsonObject(data) || !isJsonObject(resources))
    return maskStrings(response, secrets)
  const masked = mapValues(resources, (properties, locator) =>
    isJsonObject(properties)
      ? mapValues(properties, (value, property) =>
          isJsonObject(value) && isSensitive(locator, property) ? { ...value, value: MASK } : value,
        )
      : properties,
  )
  return maskStrings({ ...response, data: { ...data, resources: masked } }, secrets)
}

const mapValues = <From, To>(
  map: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]))
