import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import { getOwn, isJsonObject, mapValues } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { LIFECYCLE_RESPONSE_FIELDS } from '#contract/protocol/lifecycle.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { MASK } from '#contract/protocol/data.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { isReferenceKind } from '#contract/protocol/property-kinds.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { WireEvidence } from '#contract/runtime-api/operations.ts'
import { areFound, maskerOf, maskStrings } from '#http-kit/text/scrub.ts'
import type { NewSecrets, RecordedAttempt } from '../../model/call.ts'
import type { Marks, FrozenPlan, Writes } from '../../model/plan.ts'
import { maskFailure } from './failures.ts'
import { maskEvidence } from './wire-evidence.ts'

/** Every sensitive business value that an operation contains. None may be recorded where people can read it. */
export function sensitiveValues(plan: FrozenPlan, writes: readonly (Writes | null)[]): JsonValue[] {
  const definitions = new Map(plan.resources.map((resource) => [resource.locator, resource.definitions]))
  const isSensitive = (locator: string, property: string): boolean => {
    const definition = getOwn(definitions.get(locator) ?? {}, property)
    // without a definition, assume that it is sensitive
    return definition === undefined || definition.isSensitive === true
  }
  const found: JsonValue[] = []
  const add = (locator: string, property: string, value: TypedValue | null): void => {
    if (value?.['@type'] !== 'Data') return
    if (value.isSensitive === true || isSensitive(locator, property)) found.push(value.value)
  }
  for (const { locator, properties } of plan.resources) {
    for (const [property, value] of Object.entries(properties)) add(locator, property, value)
  }
  for (const { locator, property, before, after } of plan.changes) {
    add(locator, property, before)
    add(locator, property, after)
  }
  for (const written of writes) {
    for (const [locator, properties] of Object.entries(written ?? {})) {
      for (const [property, value] of Object.entries(properties)) add(locator, property, value)
    }
  }
  return found
}

/** What is kept of a response. */
interface KeptAnswer {
  failure: Failure | null
  response: JsonValue
  wire: WireEvidence | null
}

/** A kept response with these secrets masked too: they became known after it was judged. */
export const maskAnswer = (
  { failure, response, wire }: KeptAnswer,
  secrets: readonly JsonValue[],
): KeptAnswer => ({
  failure: maskFailure(failure, secrets),
  response: maskRecord(response, secrets),
  wire: maskEvidence(wire, secrets),
})

/** The business values that writes flag as sensitive. */
export const sensitiveIn = (writes: Writes): JsonValue[] =>
  Object.values(writes)
    .flatMap((properties) => Object.values(properties))
    .flatMap((value) => (value['@type'] === 'Data' && value.isSensitive === true ? [value.value] : []))

/** The values that this response revealed as sensitive. They may occur in earlier responses of this plugin or another. */
export function newSecrets({ key, judgement, after }: RecordedAttempt): NewSecrets | null {
  const secrets = after.endedWell ? sensitiveIn(judgement.writes) : []
  return secrets.length === 0 ? null : { operationId: key.operationId, secrets }
}

/** Whether a property of a resource is sensitive, regardless of the flag on its value. */
export type IsSensitive = (locator: string, property: string) => boolean

/** The frozen request for display, with each sensitive value masked wherever it occurs. */
export function maskRequest(
  bytes: Uint8Array,
  secrets: readonly JsonValue[],
  isSensitive: IsSensitive,
): JsonValue {
  // the bytes were written by requestBytes
  const request = parseTrustedJson(new TextDecoder().decode(bytes)) as LifecycleRequest
  const { configuration, resources, ...identity } = request
  // the identity is public and shown next to the request, so it is not masked even if it contains a secret's text
  const shown = { configuration, resources: maskEntries(resources, isSensitive) }
  if (!areFound(secrets))
    return {
      ...identity,
      // of the manifest, which everybody can read
      configuration,
      resources: mapValues(shown.resources, ({ properties, ...entry }) => ({
        ...entry,
        properties: mapValues(properties, (data) => ({ ...data, value: maskStrings(data.value, secrets) })),
      })),
    }
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

/** A recorded response with every sensitive value masked, both as a written property and inside other texts. */
export function maskResponse(
  response: JsonValue,
  secrets: readonly JsonValue[],
  isSensitive: IsSensitive,
): JsonValue {
  const data = isJsonObject(response) ? response['data'] : null
  const resources = isJsonObject(data) ? data['resources'] : null
  if (!isJsonObject(response) || !isJsonObject(data) || !isJsonObject(resources))
    return maskRecord(response, secrets)
  const masked = mapValues(resources, (properties, locator) =>
    isJsonObject(properties)
      ? mapValues(properties, (value, property) =>
          isJsonObject(value) && isSensitive(locator, property) ? { ...value, value: MASK } : value,
        )
      : properties,
  )
  return maskRecord({ ...response, data: { ...data, resources: masked } }, secrets)
}

/** Fields of a recorded response whose texts repeat the request, or are words of the protocol. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...LIFECYCLE_RESPONSE_FIELDS,
  'retryable',
  'size',
  'field',
  'expected',
])
/** Fields of a recorded response that hold other fields of it. */
const HOLDERS: ReadonlySet<string> = new Set(['data', 'known', 'differs'])

/** What was recorded of a response, with these secrets masked. If there are too many to find them, with all that the plugin wrote. */
export function maskRecord(record: JsonValue, secrets: readonly JsonValue[]): JsonValue {
  const mask = maskerOf(secrets)
  if (areFound(secrets)) return mask(record)
  const maskFields = (of: JsonValue): JsonValue => {
    if (Array.isArray(of)) return of.map(maskFields)
    if (!isJsonObject(of)) return mask(of)
    return mapValues(of, (held, field) => {
      if (field === 'resources') return maskWrites(held, secrets)
      if (OWN_FIELDS.has(field)) return held
      return HOLDERS.has(field) ? maskFields(held) : mask(held)
    })
  }
  return maskFields(record)
}

/** Recorded writes, with these secrets masked in the values. Their locators and properties are of the manifest. */
export function maskWrites(writes: JsonValue, secrets: readonly JsonValue[]): JsonValue {
  const mask = maskerOf(secrets)
  if (areFound(secrets) || !isJsonObject(writes)) return mask(writes)
  return mapValues(writes, (properties) =>
    isJsonObject(properties)
      ? mapValues(properties, (value) =>
          isJsonObject(value)
            ? { ...value, ...('value' in value && { value: mask(value['value'] ?? null) }) }
            : mask(value),
        )
      : mask(properties),
  )
}

/** The definitions with the marked properties sensitive. */
export function markDefinitions(
  definitions: Readonly<Record<string, PropertyDefinition>>,
  marked: ReadonlySet<string> = new Set(),
): Record<string, PropertyDefinition> {
  return Object.fromEntries(
    Object.entries(definitions).map(([property, definition]) => [
      property,
      marked.has(property) && !isReferenceKind(definition.kind)
        ? { ...definition, isSensitive: true }
        : definition,
    ]),
  )
}

/** A copy of a plan with later marks applied, for display. The frozen plan stays unchanged. */
export function withMarks(plan: FrozenPlan, marks: Marks): FrozenPlan {
  if (marks.size === 0) return plan
  const resources = plan.resources.map((resource) => ({
    ...resource,
    definitions: markDefinitions(resource.definitions, marks.get(resource.locator)),
  }))
  return { ...plan, resources }
}
