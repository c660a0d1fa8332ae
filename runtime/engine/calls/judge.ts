import type * as z from 'zod'
import { Envelope, readEnvelope } from '#contract/protocol/envelope.ts'
import type { EnvelopeReading } from '#contract/protocol/envelope.ts'
import { deepEqual, isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import {
  LIFECYCLE_RESPONSE_FIELDS,
  LifecycleResponse,
  OperationIdentity,
} from '#contract/protocol/lifecycle.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { BundleRef, InstallationIdentity } from '#contract/protocol/scope.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import { Data } from '#contract/protocol/typed-value.ts'
import { isFromPlugin, reasonOf } from '#contract/protocol/messages.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { CallResponse, CallResult, Judgement } from '../../model/call.ts'
import { maskRecord, sensitiveIn } from './sensitive-values.ts'
import { checkWrites } from './check-writes.ts'
import type { RefusedWrites, WriteScope } from './check-writes.ts'
import { callFailure, errorPathTo } from './failures.ts'
import { holdsPlatformCredential } from './platform-material.ts'
import type { PlatformCredentials } from './platform-material.ts'
import {
  cleanFailure,
  mediaType,
  recordFailure,
  recordSuccess,
  recordUnusable,
  readAnswer,
  describeNoResponse,
} from './answer.ts'
import type { Difference } from './answer.ts'
import { maskHeader, recordWire } from './wire-evidence.ts'
import type { WireReading } from './wire-evidence.ts'

/** What judging a response needs besides the request and the response. */
export interface JudgeInput extends WriteScope {
  /** The sensitive values that any plugin of the operation received or wrote. */
  sensitiveValues: readonly JsonValue[]
  /** How long the call was allowed to take. */
  timeoutMs: number
  /** What the head of the response tells besides its status; absent if none arrived. */
  wire?: WireReading
}

/** The part of the input that does not depend on the response. */
export type StaticJudgeInput = Omit<JudgeInput, keyof PlatformCredentials | 'wire'>

/**
 * Decides what a response means, or that there is none, by the table in
 * docs/protocol.md#what-a-plugin-response-means. `expected` is the frozen request, whose identity the response must
 * repeat. Only a complete and valid envelope gives a definite result; anything else is uncertain or invalid, never a
 * success.
 */
export function judgeAnswer(expected: LifecycleRequest, result: CallResult, input: JudgeInput): Judgement {
  const judgement = judge(expected, result, input)
  if (input.wire === undefined) return judgement
  const { outcome, failure } = judgement
  const wire = recordWire(input.wire, {
    ...input,
    isUsable: outcome !== null || (failure !== null && isFromPlugin(failure)),
    // a response that belongs to another call may have been stored somewhere, with its time
    isClockKnown: failure === null || reasonOf(failure) !== 'callEchoDiffers',
  })
  return wire === null ? judgement : { ...judgement, wire }
}

function judge(expected: LifecycleRequest, result: CallResult, input: JudgeInput): Judgement {
  const { pluginId } = expected
  if (result.kind === 'failed') {
    const leads = redirectMessage(pluginId, input)
    if (leads !== null) return uncertain(unknownResult(pluginId, leads), null, null)
    return uncertain(describeNoResponse(pluginId, result.reason, input.timeoutMs), null, null)
  }
  if (result.status !== 200) {
    const message = statusMessage(pluginId, result.status, input)
    return uncertain(unknownResult(pluginId, message), result, recordUnusable(result))
  }
  const reading = readAnswer(result.body)
  if (reading.kind === 'not-json') {
    const isPage = mediaType(result.contentType) === 'text/html'
    const message = platformMessage(isPage ? 'callWebPage' : 'callNotJson', { plugin: pluginId })
    return uncertain(unknownResult(pluginId, message), result, recordUnusable(result))
  }
  if (reading.kind === 'unfit')
    return invalid(expected, result, invalidMessage(pluginId, reading.problem), recordUnusable(result))

  const judged = judgeEnvelope(expected, result, reading.json, input)
  const refuse = ({ message, differences }: Refusal): Judgement =>
    invalid(expected, result, message, recordOf(result, { json: reading.json, differences }, input))
  if ('message' in judged) return refuse(judged)
  return holdsPlatformCredential(withoutIgnoredResources(reading.json), input)
    ? refuse({ message: invalidMessage(pluginId, 'it contains a credential that this platform issued') })
    : judged
}

/** Where a redirect leads; null for anything else, and if that must not be shown. */
function redirectMessage(plugin: string, input: JudgeInput): PlatformMessage | null {
  const redirect = input.wire?.redirect ?? null
  if (redirect === null || maskHeader(redirect.origin, input) !== redirect.origin) return null
  const { origin, isOtherHost } = redirect
  return platformMessage(isOtherHost ? 'callRedirectedAway' : 'callRedirectedTo', { plugin, origin })
}

const TOO_MANY_REQUESTS = 429

function statusMessage(plugin: string, status: number, { wire }: JudgeInput): PlatformMessage {
  if (status !== TOO_MANY_REQUESTS) return platformMessage('callHttpStatus', { plugin, status })
  const seconds = wire?.retryAfterSeconds ?? null
  return seconds === null
    ? platformMessage('callLimited', { plugin })
    : platformMessage('callLimitedFor', { plugin, seconds })
}

/** Why a response is not valid, with the fields that differ from the request, if that is why. */
interface Refusal {
  message: PlatformMessage
  differences?: readonly Difference[]
}

function judgeEnvelope(
  expected: LifecycleRequest,
  response: CallResponse,
  json: JsonValue,
  input: JudgeInput,
): Judgement | Refusal {
  const envelope = readEnvelope(json)
  switch (envelope.kind) {
    case 'invalid': {
      const { pluginId } = expected
      return {
        message: isForeign(json)
          ? platformMessage('callForeign', { plugin: pluginId })
          : invalidMessage(pluginId, envelope.problem),
      }
    }
    case 'failure':
      return judgeFailure(expected, response, envelope, input)
    case 'success':
      return judgeData(expected, response, envelope.data, input)
  }
}

/** Whether JSON has nothing of an envelope, so that it need not come from a plugin. */
const isForeign = (json: JsonValue): boolean =>
  !isJsonObject(json) || Object.keys(Envelope.shape).every((field) => !Object.hasOwn(json, field))

/** A response with FAILED or UNKNOWN without its `resources`: they are ignored, so a credential in them does no harm. */
function withoutIgnoredResources(json: JsonValue): JsonValue {
  if (!isJsonObject(json) || !isJsonObject(json['data'])) return json
  const { resources: _, ...data } = json['data']
  return data['outcome'] === 'FAILED' || data['outcome'] === 'UNKNOWN' ? { ...json, data } : json
}

function judgeFailure(
  expected: LifecycleRequest,
  response: CallResponse,
  envelope: Extract<EnvelopeReading, { kind: 'failure' }>,
  input: JudgeInput,
): Judgement {
  const { pluginId } = expected
  const { errorCode, data } = cleanFailure(envelope, { ...input, pluginId })
  const failure: Failure = {
    errorCode,
    ...(data === null || data.message === null
      ? platformMessage('callFailedSilently', { plugin: pluginId, errorCode })
      : { message: data.message }),
    retryable: data?.retryable ?? false,
    errorPath: errorPathTo(pluginId, data?.errorPath),
  }
  return {
    disposition: failure.retryable ? 'repeat' : 'failed',
    isUncertain: false,
    outcome: null,
    failure,
    writes: {},
    httpStatus: response.status,
    recorded: recordFailure({ errorCode, data }),
  }
}

function judgeData(
  expected: LifecycleRequest,
  { status: httpStatus }: CallResponse,
  data: JsonValue,
  input: JudgeInput,
): Judgement | Refusal {
  const { pluginId } = expected
  const parsed = LifecycleResponse.safeParse(data)
  if (!parsed.success) return { message: invalidMessage(pluginId, shapeProblem(parsed.error, input)) }
  const response = parsed.data
  const differences = ECHOED.flatMap((field) => differencesOf(field, expected[field], response[field]))
  if (differences.length > 0) {
    const told = operationFirst(differences).map((difference) => ({
      ...difference,
      received: presentable(difference.received, difference.expected, input),
    }))
    const field = told.map((difference) => `data.${difference.field}`).join(', ')
    return { message: platformMessage('callEchoDiffers', { plugin: pluginId, field }), differences: told }
  }
  const { outcome } = response
  const common = { isUncertain: false, outcome, writes: {}, httpStatus }
  switch (outcome) {
    case 'APPLIED':
    case 'VERIFIED':
    case 'NOT_APPLIED': {
      if (outcome === 'NOT_APPLIED' && Object.values(response.resources).some(hasKeys)) {
        const problem = 'data.resources: Must be empty when the outcome is NOT_APPLIED'
        return { message: invalidMessage(pluginId, problem) }
      }
      const checked = checkWrites(response.resources, input)
      if (!checked.ok) return { message: writeMessage(pluginId, checked) }
      const { writes } = checked
      const recorded = recordSuccess(expected, response, {
        writes,
        secrets: [...input.sensitiveValues, ...sensitiveIn(writes)],
      })
      return { ...common, disposition: 'done', failure: null, writes, recorded }
    }
    case 'FAILED': {
      const message = platformMessage('callReportedFailed', { plugin: pluginId })
      const failure = callFailure(pluginId, 'PLUGIN_REPORTED_FAILURE', message, false)
      return {
        ...common,
        disposition: 'failed',
        failure,
        recorded: recordSuccess(expected, response, null),
      }
    }
    case 'UNKNOWN': {
      const failure = unknownResult(pluginId, platformMessage('callReportedUnknown', { plugin: pluginId }))
      const recorded = recordSuccess(expected, response, null)
      return { ...common, disposition: 'repeat', isUncertain: true, failure, recorded }
    }
  }
}

const ECHOED = [
  'contractVersion',
  'pluginId',
  'executionSequence',
  'installation',
  'operation',
  'stage',
] as const

/** The fields with different values, in the order of the request, each as deep as both are objects. */
function differencesOf(field: string, expected: JsonValue, received: JsonValue): Difference[] {
  if (deepEqual(expected, received)) return []
  if (!isJsonObject(expected) || !isJsonObject(received)) return [{ field, expected, received }]
  return Object.keys(expected).flatMap((name) =>
    differencesOf(`${field}.${name}`, expected[name] ?? null, received[name] ?? null),
  )
}

/** The operation that a response is about says the most. */
function operationFirst(differences: readonly Difference[]): Difference[] {
  const isOperation = ({ field }: Difference): boolean => field === 'operation.operationId'
  return [...differences.filter(isOperation), ...differences.filter((one) => !isOperation(one))]
}

const hasKeys = (map: object): boolean => Object.keys(map).length > 0

function uncertain(failure: Failure, response: CallResponse | null, recorded: JsonValue): Judgement {
  return {
    disposition: 'repeat',
    isUncertain: true,
    outcome: null,
    failure,
    writes: {},
    httpStatus: response?.status ?? null,
    recorded,
  }
}

function unknownResult(pluginId: string, message: PlatformMessage): Failure {
  return callFailure(pluginId, 'PLUGIN_RESULT_UNKNOWN', message, true)
}

function invalid(
  { pluginId }: LifecycleRequest,
  response: CallResponse,
  message: PlatformMessage,
  recorded: JsonValue,
): Judgement {
  return {
    disposition: 'failed',
    isUncertain: false,
    outcome: null,
    failure: callFailure(pluginId, 'PLUGIN_RESPONSE_INVALID', message, false),
    writes: {},
    httpStatus: response.status,
    recorded,
  }
}

function invalidMessage(pluginId: string, problem: string): PlatformMessage {
  return platformMessage('callInvalid', { plugin: pluginId, problem })
}

function writeMessage(plugin: string, refusal: RefusedWrites): PlatformMessage {
  if ('problem' in refusal) return invalidMessage(plugin, `data.resources: ${refusal.problem}`)
  const { refused } = refusal
  switch (refused.reason) {
    case 'callWriteNotAllowed':
      return platformMessage(refused.reason, { plugin, property: refused.property, locator: refused.locator })
    case 'callWriteResourceUnknown':
      return platformMessage(refused.reason, { plugin })
    default:
      return platformMessage(refused.reason, { plugin, locator: refused.locator })
  }
}

function recordOf(
  response: CallResponse,
  known: { json: JsonValue; differences: readonly Difference[] | undefined },
  { sensitiveValues }: JudgeInput,
): JsonValue {
  return maskRecord(recordUnusable(response, known.json, known.differences), sensitiveValues)
}

/** Text that is safe to show: it has no spaces, and is too short to be a token. */
const IDENTIFIER = /^[\w.-]{1,64}$/

/**
 * The part of a received field that can be shown beside the expected one: identifiers and numbers in known places.
 * Anything else is replaced by `…`.
 */
function presentable(received: JsonValue, expected: JsonValue, input: JudgeInput): JsonValue {
  if (isJsonObject(expected) && isJsonObject(received)) {
    return Object.fromEntries(
      Object.keys(expected)
        .filter((key) => Object.hasOwn(received, key))
        .map((key) => [key, presentable(received[key] ?? null, expected[key] ?? null, input)]),
    )
  }
  if (typeof received === 'number' || received === null) return received
  const isSafe =
    typeof received === 'string' && IDENTIFIER.test(received) && !holdsPlatformCredential(received, input)
  return isSafe ? hideProtectedName(received) : '…'
}

/** Every field name of a lifecycle response in the protocol. */
const FIELDS = [
  ...LIFECYCLE_RESPONSE_FIELDS,
  ...Object.keys(InstallationIdentity.shape),
  ...Object.keys(BundleRef.shape),
  ...Object.keys(OperationIdentity.shape),
  ...Object.keys(Data.shape),
]

/**
 * Names the first field with a wrong shape, and what is allowed there. A name that is neither in the protocol nor in the
 * manifest is replaced by `…`, because it may contain anything.
 */
function shapeProblem(error: z.ZodError, { definitions }: JudgeInput): string {
  const [issue] = error.issues
  const locators = Object.entries(definitions).flatMap(([locator, properties]) => [
    locator,
    ...Object.keys(properties),
  ])
  const known = new Set([...FIELDS, ...locators])
  const path = (issue?.path ?? []).map(String).map((name) => (known.has(name) ? name : '…'))
  const message =
    issue?.code === 'unrecognized_keys'
      ? 'Has a field that is not allowed'
      : (issue?.message ?? 'Is not valid')
  return `${['data', ...path].join('.')}: ${message}`
}
