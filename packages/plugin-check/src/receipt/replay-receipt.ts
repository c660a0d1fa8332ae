import { isDeepStrictEqual } from 'node:util'
import { getOwn, isJsonObject } from '../../../../contract/json-schema/json.ts'
import type { JsonValue } from '../../../../contract/json-schema/json.ts'
import { readEnvelope } from '../../../../contract/protocol/envelope.ts'
import { LifecycleResponse } from '../../../../contract/protocol/lifecycle.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { ANSWER_BYTES_MAX, INSTANCE_REF_PROPERTY, MESSAGE_MAX } from '../../../../contract/protocol/limits.ts'
import { Data, Reference } from '../../../../contract/protocol/typed-value.ts'
import { STAGES } from '../../../../contract/protocol/vocabulary.ts'
import { MASK } from '../../../../contract/protocol/data.ts'
import { printable } from '../../../../contract/protocol/foreign-text.ts'
import { CaseBlocked, createTrial, type Bench, type Sent } from '../run/trial.ts'
import { credentialProblem, endpointProblem } from '../run/usable.ts'
import { callOf } from '../wire/build-call.ts'
import { seededRandom } from '../wire/random.ts'
import { describeAnswer, isDone, isRepeated, parseJson, type Answer } from '../wire/read-answer.ts'
import type { Exchange } from '../wire/send.ts'
import { differences } from './differences.ts'
import { fillMasked, type MaskedValues } from './masked-values.ts'
import type { FailedCall } from './read-receipt.ts'

export type ReplayResult = {
  /** One line: how the call ended in production. */
  before: string
} & (
  | {
      verdict: 'FIXED' | 'STILL FAILS'
      /** One line: what the plugin answered. */
      now: string
      /** Where the response differs from that in production; null if the receipt does not contain that. */
      differences: string[] | null
    }
  /** Nothing is known about the failure: the plugin could not be called, or not as in production. */
  | { verdict: 'NOT REPLAYED'; reason: string }
)

/** The properties that a plugin may write, by locator; a resource of which that is not known is absent. */
export type PermittedWrites = Readonly<Record<string, readonly string[]>>

const ATTEMPTS = 4
const REPEAT_MS = 100

/**
 * Sends the failed call of a receipt to the plugin, with a new installation and a new operation, because the plugin may
 * remember earlier ones. What has to happen before is sent first: an INSTALL of the values before the operation, and its earlier
 * calls. Never throws for what the plugin does.
 */
export async function replayReceipt(
  bench: Bench,
  { earlier, request: failed, changes, ended }: FailedCall,
  { values, permitted }: { values: MaskedValues; permitted: PermittedWrites },
): Promise<ReplayResult> {
  const trial = createTrial(bench, seededRandom(`${bench.idTime} ${failed.operation.operationId}`))
  const { bundleInstallId } = trial.install().identity
  const operationId = trial.random.uuid(bench.idTime)
  const before = printable(describeEnd(ended))
  const isInstall = failed.operation.operationType === 'INSTALL'
  const renew = (request: LifecycleRequest): LifecycleRequest => ({
    ...fillMasked(request, values),
    installation: { ...request.installation, bundleInstallId },
    operation: { ...request.operation, operationId },
    executionSequence: isInstall ? request.executionSequence : Math.max(2, request.executionSequence),
  })
  try {
    if (!isInstall) {
      const install = installOf(renew(withValuesBefore(failed, changes)), trial.random.uuid(bench.idTime))
      for (const stage of STAGES) await trial.finish(callOf({ ...install, stage }))
    }
    for (const request of earlier) await trial.finish(callOf(renew(request)))
  } catch (error) {
    if (!(error instanceof CaseBlocked)) throw error
    const last = trial.sent.at(-1)
    // a trial is blocked by what a call got
    if (last === undefined) throw error
    const reason =
      credentialProblem(bench, last.answer) ??
      endpointProblem(bench, last.exchange) ??
      `The calls before the failed one do not succeed: ${error.message}${messageOf(last.answer, values)}`
    return { verdict: 'NOT REPLAYED', before, reason: printable(reason) }
  }
  const request = renew(failed)
  const call = callOf(request)
  let sent = await trial.send(call)
  let isReached = sent.exchange.isConnected
  for (let attempt = 1; attempt < ATTEMPTS && isRepeated(sent.answer); attempt++) {
    await new Promise((resolve) => setTimeout(resolve, REPEAT_MS))
    sent = await trial.send(call)
    isReached ||= sent.exchange.isConnected
  }
  const { answer, exchange } = sent
  const reason =
    credentialProblem(bench, answer) ??
    (isReached && isAsBefore(exchange, ended) ? null : endpointProblem(bench, exchange))
  if (reason !== null) return { verdict: 'NOT REPLAYED', before, reason: printable(reason) }
  const problem = refusedAgain(sent, ended) ?? problemOf(sent, request, permitted)
  return {
    verdict: isDone(answer) && problem === null ? 'FIXED' : 'STILL FAILS',
    before,
    now: printable(
      describeAnswer(answer) + messageOf(answer, values) + (problem === null ? '' : `; ${problem}`),
    ),
    differences: hasResponse(ended)
      ? differences(ended.response, comparable(sent, { failed, request, values })).map(printable)
      : null,
  }
}

/** Whether the receipt contains what the plugin answered, and not only what the runtime records of an unusable response. */
const hasResponse = ({ response }: FailedCall['ended']): boolean =>
  isJsonObject(response) && Object.hasOwn(response, 'errorCode')

/**
 * Whether the plugin answers with nothing useful, as it did in production. A refused token is never taken for that: a plugin
 * that is not set up for the checker refuses every one.
 */
function isAsBefore({ response }: Exchange, ended: FailedCall['ended']): boolean {
  if (response === null) return true
  return response.status === ended.httpStatus && ![401, 403].includes(response.status) && !hasResponse(ended)
}

/** The message of a failure after a colon, with the masked values masked again; empty without one. */
function messageOf(answer: Answer, values: MaskedValues): string {
  if (answer.kind !== 'failure' || answer.message === '') return ''
  const hidden = Object.values(values).filter((value) => typeof value === 'string' && value !== '')
  const text = hidden.reduce<string>((rest, value) => rest.replaceAll(String(value), MASK), answer.message)
  return `: ${text.slice(0, MESSAGE_MAX)}`
}

/** The request with the values that its operation changes as they were; a value that the receipt masks stays. */
function withValuesBefore(request: LifecycleRequest, changes: FailedCall['changes']): LifecycleRequest {
  const resources = structuredClone(request.resources)
  for (const { locator, property, before } of changes) {
    const entry = getOwn(resources, locator)
    if (entry === undefined) continue
    const data = Data.safeParse(before)
    if (before === null) delete entry.properties[property]
    else if (data.success && !JSON.stringify(data.data).includes(MASK)) entry.properties[property] = data.data
    const reference = Reference.safeParse(before)
    if (reference.success) entry.references[property] = reference.data
    else if (before === null) delete entry.references[property]
  }
  return { ...request, resources }
}

function installOf(request: LifecycleRequest, operationId: string): LifecycleRequest {
  const targetVersion = request.operation.currentVersion ?? request.operation.targetVersion
  return {
    ...request,
    executionSequence: 1,
    operation: { operationId, operationType: 'INSTALL', currentVersion: null, targetVersion },
    resources: Object.fromEntries(
      Object.entries(request.resources).map(([locator, entry]) => [
        locator,
        { ...entry, action: 'INSTALL' as const, currentVersion: null, targetVersion },
      ]),
    ),
  }
}

function describeEnd({ failure, outcome, httpStatus }: FailedCall['ended']): string {
  if (failure !== null)
    return `failure ${failure.errorCode} with retryable ${String(failure.retryable)}: ${failure.message}`
  return outcome === null
    ? `no definite response (HTTP status ${httpStatus ?? 'unknown'})`
    : `outcome ${outcome}`
}

/**
 * Why the runtime would not accept a successful response; null if nothing is known against it. Read as strictly as the
 * runtime reads it, where the cases are tolerant.
 */
export function problemOf(
  { answer, exchange }: Sent,
  request: LifecycleRequest,
  permitted: PermittedWrites,
): string | null {
  if (answer.kind !== 'success' || exchange.response === null) return null
  const { status, body } = exchange.response
  if (status !== 200) return `the HTTP status is ${status} and must be 200`
  if (body.byteLength > ANSWER_BYTES_MAX) return 'the response is larger than 1 MiB'
  const envelope = readEnvelope(parseJson(body))
  if (envelope.kind !== 'success')
    return envelope.kind === 'invalid' ? `the envelope is not valid: ${envelope.problem}` : 'it is a failure'
  const reading = LifecycleResponse.safeParse(envelope.data)
  if (!reading.success) {
    const [issue] = reading.error.issues
    return `the response is not valid: ${issue?.path.join('/') ?? ''} ${issue?.message ?? ''}`
  }
  const { outcome, resources, ...echo } = reading.data
  const wrong = Object.entries(echo).find(
    ([name, value]) => !isDeepStrictEqual(value, request[name as keyof LifecycleRequest]),
  )
  if (wrong !== undefined) return `${wrong[0]} of the response is not that of the request`
  if (outcome === 'NOT_APPLIED' && Object.keys(resources).length > 0)
    return 'NOT_APPLIED must not write properties'
  for (const [locator, written] of Object.entries(resources)) {
    const problem = problemOfWrites(locator, Object.keys(written), { request, permitted })
    if (problem !== null) return problem
  }
  return null
}

function problemOfWrites(
  locator: string,
  names: readonly string[],
  { request, permitted }: { request: LifecycleRequest; permitted: PermittedWrites },
): string | null {
  const entry = getOwn(request.resources, locator)
  if (entry === undefined) return 'a resource that is not in the request is written'
  if (names.includes(INSTANCE_REF_PROPERTY)) return `the protected property of ${locator} is written`
  const reference = names.find((name) => Object.hasOwn(entry.references, name))
  if (reference !== undefined) return `${reference} of ${locator} is a reference, and is written`
  const allowed = getOwn(permitted, locator)
  const foreign = allowed && names.find((name) => !allowed.includes(name))
  return foreign === undefined ? null : `${foreign} of ${locator} is written, and the plugin may not write it`
}

/** Why the response would be refused as in production; null if that is not known. */
function refusedAgain({ answer }: Sent, { failure }: FailedCall['ended']): string | null {
  if (answer.kind !== 'success' || failure === null) return null
  const { errorCode, message, parameters } = failure
  for (const [locator, written] of Object.entries(answer.writes))
    for (const property of isJsonObject(written) ? Object.keys(written) : []) {
      const isRefused =
        errorCode === 'PLUGIN_RESPONSE_INVALID'
          ? parameters?.property === property && parameters.locator === locator
          : // of the SDK, which reads the authorization itself
            errorCode === 'WRITE_NOT_AUTHORIZED' &&
            message.startsWith(`${property} of ${locator} is not in the writeProperties`)
      if (isRefused) return `${property} of ${locator} is written again`
    }
  return null
}

/** The response as production would have recorded it: with its ids, and with sensitive values masked. */
function comparable(
  { exchange }: Sent,
  given: { failed: LifecycleRequest; request: LifecycleRequest; values: MaskedValues },
): JsonValue {
  const { failed, request, values } = given
  const body = exchange.response === null ? undefined : parseJson(exchange.response.body)
  if (body === undefined) return null
  const replaced = [
    [request.operation.operationId, failed.operation.operationId],
    [request.installation.bundleInstallId, failed.installation.bundleInstallId],
    ...Object.values(values).flatMap((value) => (typeof value === 'string' ? [[value, MASK]] : [])),
  ]
  const map = (value: JsonValue): JsonValue => {
    if (typeof value === 'string')
      return replaced.reduce(
        (text, [from = '', to = '']) => (from === '' ? text : text.replaceAll(from, to)),
        value,
      )
    if (Array.isArray(value)) return value.map(map)
    if (!isJsonObject(value)) return value
    const isSensitive = value['isSensitive'] === true
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, isSensitive && key === 'value' ? MASK : map(item)]),
    )
  }
  // parsed from JSON
  return map(body as JsonValue)
}
