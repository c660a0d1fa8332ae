import { isJsonObject, VALUE_DEPTH_MAX } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { causeOfNoResponse, NOT_RECEIVED } from '#contract/protocol/call-causes.ts'
import type { NoResponse } from '#contract/protocol/call-causes.ts'
import { MASK } from '#contract/protocol/data.ts'
import { ErrorCode } from '#contract/protocol/envelope.ts'
import type { EnvelopeReading } from '#contract/protocol/envelope.ts'
import { foreignText } from '#contract/protocol/foreign-text.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import type { LifecycleRequest, LifecycleResponse } from '#contract/protocol/lifecycle.ts'
import { ENVELOPE_VERSION, ANSWER_BYTES_MAX, BODY_KEYS_MAX } from '#contract/protocol/limits.ts'
import { KEY_PATTERN } from '#contract/protocol/locator.ts'
import { isFromPlugin } from '#contract/protocol/messages.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import { OUTCOMES } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import { maskerOf } from '#http-kit/text/scrub.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'
import type { CallResponse, AttemptResult } from '../../model/call.ts'
import type { Writes } from '../../model/plan.ts'
import { atMost, callFailure } from './failures.ts'
import { hidePlatformMaterial } from './platform-material.ts'
import { maskWrites } from './sensitive-values.ts'

// What an attempt records of its response for display. It contains nothing sensitive. Of a response that cannot be used, it
// has only the size, the type and the fields with a known meaning.

/** A field of the response that should have the value of the request, and has another. */
export interface Difference {
  /** Its path below `data`. */
  field: string
  expected: JsonValue
  /** Without anything that must not be shown. */
  received: JsonValue
}

/** The record of an invalid response, or of one that could not be judged. The status is stored next to it. */
export function recordUnusable(
  answer: CallResponse,
  json?: JsonValue,
  differs: readonly Difference[] = [],
): JsonValue {
  const known = json === undefined ? {} : knownFields(json)
  return {
    size: answer.body.byteLength,
    contentType: mediaType(answer.contentType),
    ...(Object.keys(known).length > 0 && { known }),
    ...(differs.length > 0 && { differs: differs.map((difference) => ({ ...difference })) }),
  }
}

/** The record of a success envelope. Pass null as `shown` for FAILED and UNKNOWN, whose resources are ignored. */
export function recordSuccess(
  expected: LifecycleRequest,
  response: LifecycleResponse,
  shown: { writes: Writes; secrets: readonly JsonValue[] } | null,
): JsonValue {
  const { contractVersion, pluginId, executionSequence, installation, operation, stage } = expected
  return {
    contractVersion: ENVELOPE_VERSION,
    errorCode: '0',
    data: {
      contractVersion,
      pluginId,
      executionSequence,
      installation,
      operation,
      stage,
      outcome: response.outcome,
      ...(shown !== null && { resources: maskWrites(maskedWrites(shown.writes), shown.secrets) }),
    },
  }
}

/** The record of a failure envelope. The message and errorPath are already masked. */
export function recordFailure(failure: { errorCode: string; data: CleanFailureData | null }): JsonValue {
  return {
    contractVersion: ENVELOPE_VERSION,
    errorCode: failure.errorCode,
    data: failure.data && { ...failure.data },
  }
}

/** The last label of a host: a country, a common domain, a domain of a private network, or a number. */
const HOST_END =
  /^(?:[a-z]{2}|com|net|org|info|app|dev|cloud|example|test|invalid|local|localhost|localdomain|internal|intranet|private|corp|home|lan|arpa|svc|onion|\d+)$/i

/** Whether this is the name of a service, and not a host or an address. */
function isLogicalName(name: string): boolean {
  if (!KEY_PATTERN.test(name) || /^localhost$/i.test(name)) return false
  return !name.includes('.') || !HOST_END.test(name.slice(name.lastIndexOf('.') + 1))
}

const PATH_MAX = 16
/** Stands for a name that is not shown, and for the middle of a long path. */
const LEFT_OUT = '…'

/** The first and the last names of a long path: the source of a failure is the end. */
function bothEnds(path: readonly string[]): string[] {
  if (path.length <= PATH_MAX) return [...path]
  const first = PATH_MAX / 2
  return [...path.slice(0, first), LEFT_OUT, ...path.slice(first + 1 - PATH_MAX)]
}

/** The data of a failure for display. The message is null if nothing of it can be seen. */
interface CleanFailureData {
  message: string | null
  retryable: boolean
  errorPath?: string[]
}

interface CleaningInput {
  /** The plugin that answered: a path may always name it. */
  pluginId: string
  sensitiveValues: readonly JsonValue[]
  /** Base URLs of the registered services. */
  serviceAddresses: readonly string[]
}

/**
 * The message and errorPath of a failure without sensitive values, and without what a resolution gave. Names that are not
 * logical become `…`, and so does the middle of a long path.
 */
export function cleanFailure(
  failure: Extract<EnvelopeReading, { kind: 'failure' }>,
  { pluginId, sensitiveValues, serviceAddresses }: CleaningInput,
): { errorCode: string; data: CleanFailureData | null } {
  const mask = maskerOf(sensitiveValues)
  const clean = (text: string): string => hidePlatformMaterial(String(mask(text)), { serviceAddresses })
  const errorCode =
    clean(failure.errorCode) === failure.errorCode ? failure.errorCode : 'PLUGIN_REPORTED_FAILURE'
  if (failure.failure === null) return { errorCode, data: null }
  const { retryable, errorPath } = failure.failure
  const message = foreignText(clean(failure.failure.message))
  const mayShow = (name: string): boolean =>
    name === pluginId || (isLogicalName(name) && clean(name) === name && hideProtectedName(name) === name)
  const path = errorPath && bothEnds(errorPath).map((name) => (mayShow(name) ? name : LEFT_OUT))
  return {
    errorCode,
    data: {
      message: message === null ? null : atMost(hideProtectedName(message)),
      retryable,
      ...(path !== undefined && { errorPath: path }),
    },
  }
}

function maskedWrites(writes: Writes): JsonValue {
  const masked = Object.entries(writes).map(([locator, properties]) => [
    locator,
    Object.fromEntries(
      Object.entries(properties).map(([name, value]) => [
        name,
        value['@type'] === 'Data' && value.isSensitive === true ? { ...value, value: MASK } : value,
      ]),
    ),
  ])
  return Object.fromEntries(masked)
}

/** The type of a response without its parameters; null if it is absent or odd. */
export function mediaType(contentType: string | null): string | null {
  const [type = ''] = contentType?.split(';', 1) ?? []
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(type.trim()) ? type.trim().toLowerCase() : null
}

/** Fields with a closed vocabulary only: any other field of an unknown response may contain anything. */
function knownFields(json: JsonValue): { [place: string]: JsonValue } {
  if (!isJsonObject(json)) return {}
  const places: { [place: string]: JsonValue } = {}
  if (json['contractVersion'] === ENVELOPE_VERSION) places['contractVersion'] = ENVELOPE_VERSION
  const code = ErrorCode.safeParse(json['errorCode'])
  if (code.success) places['errorCode'] = code.data
  const data = json['data']
  if (!isJsonObject(data)) return places
  const outcome = OUTCOMES.find((name) => name === data['outcome'])
  if (outcome !== undefined) places['outcome'] = outcome
  return places
}

type AnswerReading =
  | { kind: 'json'; json: JsonValue }
  /** Valid JSON that is not accepted: nested too deep, duplicate keys, a NUL and the like. */
  | { kind: 'unfit'; problem: string }
  /** Not JSON: truncated, or the error page of a proxy. */
  | { kind: 'not-json' }

/** Levels around a business value: envelope, data, resources, resource, property and Data. */
const WRAPPERS = 6

const LIMITS = {
  maxDepth: WRAPPERS + VALUE_DEPTH_MAX,
  maxKeys: BODY_KEYS_MAX,
  maxStringBytes: ANSWER_BYTES_MAX,
}

/** Parses the body of a 200 response, with limits that make the database and browsers read the same JSON. */
export function readAnswer(body: Uint8Array): AnswerReading {
  try {
    return { kind: 'json', json: readStrictJson(body, LIMITS) }
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    // without the path, whose keys come from the plugin
    return isJson(body) ? { kind: 'unfit', problem: error.messageWithoutPath } : { kind: 'not-json' }
  }
}

function isJson(body: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
    return true
  } catch {
    return false
  }
}

/** The failure of a call without a response after at most `timeoutMs`. It names no host and no address. */
export function describeNoResponse(pluginId: string, reason: NoResponse, timeoutMs: number): Failure {
  const { code, reason: message } = causeOfNoResponse(reason)
  const values = { plugin: pluginId }
  const described =
    message === 'callTimeout'
      ? platformMessage(message, { ...values, seconds: timeoutMs / 1000 })
      : platformMessage(message, values)
  return callFailure(pluginId, code, described, true)
}

/** Whether the plugin may have acted on an attempt with this result although it did not return a definite one. */
export function isResultUnknown({ finished, outcome, failed, reason }: AttemptResult): boolean {
  if (!finished) return true
  if (outcome !== null) return outcome === 'UNKNOWN'
  if (!failed || isFromPlugin(reason === null ? {} : { parameters: { reason } })) return false
  return reason === null || !NOT_RECEIVED.has(reason)
}
