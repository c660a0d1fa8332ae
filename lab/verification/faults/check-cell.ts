import { isJsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Attempt, OperationDetail, PluginCall } from '#contract/runtime-api/operations.ts'
import { readConfiguration } from '../actions.ts'
import { coreOf, SECRET } from './bundle.ts'
import type { Cell } from './cells.ts'
import { POISON } from './fault.ts'
import type { Fault } from './fault.ts'
import type { Platform } from './platform.ts'
import { tenantOf } from './plugin-server.ts'
import type { CellPlugin } from './plugin-server.ts'

export interface Seen {
  cell: Cell
  plugin: CellPlugin
  scope: Scope
  platform: Platform
  operationId: string
  bundleInstallId: string
}

/** The result of an attempt as a person sees it, in one word. */
const resultOf = ({ failure, httpStatus, late }: Attempt): string =>
  late ? 'late' : failure === null ? 'done' : `${failure.errorCode} ${httpStatus ?? '-'}`

const TIMEOUT = 'PLUGIN_TIMEOUT -'

function expectedResult({ means }: Fault): string {
  if (means.as === 'repeat') return `${means.code} ${means.status ?? '-'}`
  if (means.as === 'failed') return `${means.code} 200`
  return means.as
}

/** The results of the attempts of the stage, in order, when the first run has ended. */
function expectedResults({ fault, time }: Cell): string[] {
  const result = expectedResult(fault)
  const before = time === 'repeat' ? ['PLUGIN_UNREACHABLE -'] : []
  if (fault.means.as === 'failed' || fault.means.as === 'done') return [...before, result]
  if (time === 'takeover') return [result]
  if (time === 'always') return [result, result, result]
  return [...before, result, 'done']
}

/** Checks the operation after the fault and all automatic retries. */
export async function checkFault(seen: Seen): Promise<string[]> {
  const { cell, platform, operationId, bundleInstallId } = seen
  const { means } = cell.fault
  const detail = await platform.detail(operationId)
  const call = callOf(detail, cell)
  const isRepeated = means.as === 'repeat'
  const mustFail =
    means.as === 'failed' || (isRepeated && (cell.time === 'always' || cell.time === 'takeover'))
  const problems = checkAttempts(cell, call.attempts)

  if (!mustFail) {
    if (detail.state !== 'SUCCEEDED')
      problems.push(`it ended ${detail.state} ${JSON.stringify(detail.failure)}`)
  } else {
    if (detail.state !== 'FAILED') return [...problems, `it ended ${detail.state} and not FAILED`]
    const code = isRepeated ? means.lastCode : means.as === 'failed' ? means.code : ''
    const retryable = isRepeated || (means.as === 'failed' && means.retryable)
    if (detail.failure?.errorCode !== code) problems.push(`it failed with ${detail.failure?.errorCode}`)
    if (detail.failure?.retryable !== retryable) problems.push(`retryable is ${detail.failure?.retryable}`)
    const { claim } = await platform.installation(bundleInstallId)
    if (claim?.operationId !== operationId) problems.push('the claim was not kept')
    if (call.writes.length > 0) problems.push('writes of a failed call are stored')
  }
  const affected = call.attempts.filter((attempt) => resultOf(attempt) === expectedResult(cell.fault))
  if (means.as !== 'done') problems.push(...affected.flatMap(checkStoredAnswer))
  const text = JSON.stringify(detail)
  if (text.includes(POISON)) problems.push('the operation shows what an invalid answer wrote')
  if (text.includes(SECRET)) problems.push('the operation shows a sensitive value')
  return problems
}

function checkAttempts(cell: Cell, attempts: readonly Attempt[]): string[] {
  let expected = expectedResults(cell)
  let actual = attempts.map(resultOf)
  if (cell.fault.isSlow) {
    // the timeout is short, so a good response may be late too; the number of timeouts does not matter
    if (!actual.includes(TIMEOUT)) return [`no attempt timed out: ${actual.join(', ')}`]
    actual = actual.filter((result) => result !== TIMEOUT)
    expected = expected.filter((result) => result !== TIMEOUT)
  } else if ('endpoint' in cell.fault.how) {
    // the plugin is unreachable until its registration is corrected, so the number of attempts does not matter
    const distinct = (list: string[]) => list.filter((result, index) => result !== list[index - 1])
    actual = distinct(actual)
    expected = distinct(expected)
  }
  return actual.join(', ') === expected.join(', ')
    ? []
    : [`the attempts are [${actual.join(', ')}] and not [${expected.join(', ')}]`]
}

const ALLOWED = new Set(['size', 'contentType', 'known', 'differs'])
const ALLOWED_KNOWN = new Set(['contractVersion', 'errorCode', 'outcome'])

/** Of a rejected response only its size, type and known fields are stored. */
function checkStoredAnswer({ response, failure, late }: Attempt): string[] {
  if (response === null || late) return []
  if (failure !== null && !failure.errorCode.startsWith('PLUGIN_')) return []
  if (!isJsonObject(response)) return ['an attempt stores an answer that is not accepted']
  const known = response['known'] ?? {}
  const excess = [
    ...Object.keys(response).filter((name) => !ALLOWED.has(name)),
    ...Object.keys(isJsonObject(known) ? known : {}).filter((name) => !ALLOWED_KNOWN.has(name)),
  ]
  return excess.length > 0 ? [`an attempt stores ${excess.join(', ')} of an answer that is not accepted`] : []
}

/** Checks everything after the operation has succeeded, automatically or after a person's retry. */
export async function checkEnd(seen: Seen): Promise<string[]> {
  const { cell, plugin, platform, operationId, bundleInstallId } = seen
  const detail = await platform.detail(operationId)
  const problems = [...checkDeliveries(plugin), ...checkEffects(plugin)]
  if (detail.state !== 'SUCCEEDED') problems.push(`it is ${detail.state} in the end`)

  const { attempts } = callOf(detail, cell)
  const arrived = plugin.deliveries.filter(
    (delivery) => delivery.operationId === operationId && delivery.stage === cell.stage,
  )
  if ('inject' in cell.fault.how && !cell.fault.isSlow && arrived.length !== attempts.length)
    problems.push(`${arrived.length} calls arrived, and ${attempts.length} attempts are recorded`)

  const { state, version, claim } = await platform.installation(bundleInstallId)
  const isDetached = cell.operationType === 'DETACH'
  if (state !== (isDetached ? 'DETACHED' : 'ACTIVE')) problems.push(`the installation is ${state}`)
  if (!isDetached && version !== detail.targetVersion)
    problems.push(`the installation has version ${version}`)
  if (claim !== null) problems.push('the installation is still claimed')
  if (!isDetached) problems.push(...(await checkConfiguration(seen)))
  return problems
}

async function checkConfiguration({ cell, scope, platform, operationId }: Seen): Promise<string[]> {
  const configuration = await readConfiguration(platform.client, scope)
  const view = configuration.resources[coreOf(`cell-${cell.number}`)]?.properties['tenantId']
  const value = view !== undefined && 'value' in view ? view.value : null
  return value === tenantOf(operationId, 'AFTER_RESOURCES')
    ? []
    : [`after the ${cell.operationType} tenantId is ${JSON.stringify(value)}`]
}

/** The same bytes and sequence in every attempt, the right token, stages in their order, operations in theirs. */
function checkDeliveries({ deliveries }: CellPlugin): string[] {
  const problems: string[] = []
  for (const [key, same] of Map.groupBy(deliveries, ({ operationId, stage }) => `${operationId} ${stage}`)) {
    if (new Set(same.map(({ bodyHash }) => bodyHash)).size > 1) problems.push(`the bytes of ${key} differ`)
  }
  for (const [operationId, same] of Map.groupBy(deliveries, (delivery) => delivery.operationId)) {
    const sequences = new Set(same.map(({ executionSequence }) => executionSequence))
    if (sequences.size > 1) problems.push(`the sequence of ${operationId} changed`)
    const firstAfter = same.findIndex(({ stage }) => stage === 'AFTER_RESOURCES')
    const wentBack =
      firstAfter >= 0 && same.slice(firstAfter).some(({ stage }) => stage === 'BEFORE_RESOURCES')
    if (wentBack) problems.push(`${operationId} was called for its first stage after its second`)
  }
  const sequences = deliveries.map(({ executionSequence }) => executionSequence)
  if (sequences.some((sequence, index) => sequence < (sequences[index - 1] ?? 0)))
    problems.push('an operation was called after a later one')
  if (deliveries.some(({ hasRightToken }) => !hasRightToken)) problems.push('a call had a wrong token')
  return problems
}

/** Exactly one for each stage of every operation. */
function checkEffects({ effects, deliveries }: CellPlugin): string[] {
  const operations = new Set(deliveries.map(({ operationId }) => operationId))
  const made = deliveries.filter(({ isEffect }) => isEffect).length
  return made === effects.size && effects.size === operations.size * 2
    ? []
    : [`${operations.size} operations have the effects ${[...effects].join(', ')}, made ${made} times`]
}

/** A DETACH has taken over the failed operation, and the delayed call has arrived since. */
export async function checkTakeover(seen: Seen, detachId: string): Promise<string[]> {
  const { cell, plugin, platform, operationId, bundleInstallId } = seen
  // the held call arrives at the plugin before anything else happens
  await new Promise((resolve) => setImmediate(resolve))
  const problems = checkDeliveries(plugin)
  const old = await platform.detail(operationId)
  if (old.state !== 'TAKEN_OVER') problems.push(`the operation that was taken over is ${old.state}`)
  if (callOf(old, cell).attempts.length !== 1) problems.push('it was called after the takeover')
  const detach = await platform.detail(detachId)
  if (detach.state !== 'SUCCEEDED') problems.push(`the DETACH ended ${detach.state}`)
  if (detach.executionSequence <= old.executionSequence) problems.push('the DETACH has no later sequence')
  const { state } = await platform.installation(bundleInstallId)
  if (state !== 'DETACHED') problems.push(`the installation is ${state}`)
  if (plugin.staleCalls !== 1) problems.push(`the plugin refused ${plugin.staleCalls} calls as stale, not 1`)
  if ([...plugin.effects].some((effect) => effect.startsWith(`${operationId} ${cell.stage} `)))
    problems.push('the delayed call had an effect')
  return problems
}

function callOf({ stages }: OperationDetail, { stage }: Cell): PluginCall {
  const call = stages.find((found) => found.stage === stage)?.calls[0]
  if (call === undefined) throw new Error('the operation has no plugin call')
  return call
}
