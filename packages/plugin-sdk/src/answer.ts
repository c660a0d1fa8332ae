import { getOwn, isJsonValue } from '../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import type { CompiledAuthorization } from '../../../contract/protocol/authorization.ts'
import { fromDataValues } from '../../../contract/protocol/data.ts'
import { successEnvelope } from '../../../contract/protocol/envelope.ts'
import type { LifecycleRequest, LifecycleResponse } from '../../../contract/protocol/lifecycle.ts'
import { ANSWER_BYTES_MAX, INSTANCE_REF_PROPERTY } from '../../../contract/protocol/limits.ts'
import { isPropertyName } from '../../../contract/protocol/locator.ts'
import { sdkFailure, type HandlerResult, type PluginFailure, type Writes } from './result.ts'

/** Everything that a plugin may write, by property name, and which of it is sensitive. */
export type WriteDeclarations = Readonly<Record<string, { isSensitive?: boolean }>>

export interface AnswerScope {
  request: LifecycleRequest
  writes: WriteDeclarations
  /** Null: not known here; then only the runtime checks the response against it. */
  authorization: CompiledAuthorization | null
  /** Addresses and tokens that were resolved in this call; none of them may be written back. */
  accessMaterial: ReadonlySet<string>
}

/** The complete response body. Throws a PluginFailure if the handler writes something that is not allowed. */
export function composeAnswer(result: HandlerResult, scope: AnswerScope): string {
  const { request } = scope
  const data: LifecycleResponse = {
    contractVersion: request.contractVersion,
    pluginId: request.pluginId,
    installation: request.installation,
    operation: request.operation,
    stage: request.stage,
    executionSequence: request.executionSequence,
    outcome: result.outcome,
    resources: wrapWrites(writesOf(result), scope),
  }
  const answer = JSON.stringify(successEnvelope(data))
  if (Buffer.byteLength(answer) > ANSWER_BYTES_MAX)
    throw sdkFailure('ANSWER_TOO_LARGE', tooLarge(Buffer.byteLength(answer), data.resources))
  return answer
}

function tooLarge(bytes: number, resources: LifecycleResponse['resources']): string {
  let largest = { where: '', bytes: 0 }
  for (const [locator, properties] of Object.entries(resources))
    for (const [property, data] of Object.entries(properties)) {
      const size = Buffer.byteLength(JSON.stringify(data))
      if (size > largest.bytes) largest = { where: `${property} of ${locator}`, bytes: size }
    }
  const place =
    largest.bytes === 0 ? '' : `; the largest value is ${largest.where}, with ${largest.bytes} bytes`
  return truncate(
    `The response of the plugin has ${bytes} bytes, and at most ${ANSWER_BYTES_MAX} are accepted${place}. Write less, or where the data is.`,
  )
}

/** A plain JavaScript plugin can return writes with any outcome. FAILED and UNKNOWN carry none, so they are dropped. */
function writesOf(result: HandlerResult): Writes {
  if (result.outcome === 'FAILED' || result.outcome === 'UNKNOWN') return {}
  const writes: Writes = 'writes' in result ? result.writes : {}
  if (result.outcome === 'NOT_APPLIED' && Object.keys(writes).length > 0)
    throw sdkFailure('WRITE_NOT_AUTHORIZED', 'The outcome NOT_APPLIED must not have writes')
  return writes
}

function wrapWrites(writes: Writes, scope: AnswerScope): LifecycleResponse['resources'] {
  const sensitive = Object.keys(scope.writes).filter((name) => scope.writes[name]?.isSensitive === true)
  return Object.fromEntries(
    Object.entries(writes).map(([locator, values]) => {
      for (const [property, value] of Object.entries(values)) {
        const problem = problemOfWrite({ locator, property, value }, scope)
        if (problem !== null) throw refuse(locator, property, problem)
      }
      return [locator, fromDataValues(values, { sensitive })]
    }),
  )
}

const refuse = (locator: string, property: string, problem: string): PluginFailure =>
  sdkFailure('WRITE_NOT_AUTHORIZED', truncate(`${property} of ${locator} ${problem}`))

function problemOfWrite(
  { locator, property, value }: { locator: string; property: string; value: JsonValue },
  { request, writes, authorization, accessMaterial }: AnswerScope,
): string | null {
  const entry = getOwn(request.resources, locator)
  if (entry === undefined) return 'is not a resource of this call'
  if (!isPropertyName(property)) return 'is not a property name'
  if (property === INSTANCE_REF_PROPERTY) return 'is written only by the runtime'
  if (getOwn(entry.references, property) !== undefined) return 'is a reference, which plugins must not write'
  if (getOwn(writes, property) === undefined) return 'is not declared in the writes of the plugin'
  if (authorization !== null) {
    const allowed = authorization.resources.find(({ resource }) => resource === locator)?.writeProperties
    if (allowed?.includes(property) !== true) return 'is not in the writeProperties of the plugin'
  }
  if (!isJsonValue(value)) return 'has a value that JSON cannot represent'
  return containsAny(value, accessMaterial)
    ? 'contains an address or a token that was resolved in this call'
    : null
}

/** Whether the request contains only what the plugin is authorized to read. */
export function isWithinAuthorization(
  request: LifecycleRequest,
  authorization: CompiledAuthorization,
): boolean {
  return Object.entries(request.resources).every(([locator, entry]) => {
    const allowed = authorization.resources.find(({ resource }) => resource === locator)
    if (allowed === undefined) return false
    const { readProperties, credentialProperties } = allowed
    return (
      Object.keys(entry.properties).every((name) => readProperties.includes(name)) &&
      Object.keys(entry.references).every(
        (name) => readProperties.includes(name) || credentialProperties.includes(name),
      )
    )
  })
}

function containsAny(value: JsonValue, secrets: ReadonlySet<string>): boolean {
  if (secrets.size === 0) return false
  if (typeof value === 'string') return [...secrets].some((secret) => value.includes(secret))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => containsAny(key, secrets) || containsAny(item, secrets))
}

/** Truncates to the maximum length of a message. */
export const truncate = (message: string): string => [...message].slice(0, 500).join('')

/** A message without what a resolution gave, and without what remains of a token after a message was cut. */
export const withoutAccess = (message: string, accessMaterial: Iterable<string>): string =>
  [...accessMaterial]
    .reduce((text, secret) => text.replaceAll(secret, '[removed]'), message)
    .replaceAll(/eyJ[\w-]+(?:\.[\w-]*)*/g, '[removed]')
