import { isJsonObject } from '#contract/json-schema/json.ts'
import type { Attempt, OperationDetail, PluginCall } from '#contract/runtime-api/operations.ts'
import { locatorOf, SECRET } from './bundle.ts'
import type { Cell } from './cells.ts'
import { POISON } from './fault.ts'
import type { Fault } from './fault.ts'
import { tenantOf } from './hostile-plugin.ts'
import type { PluginState } from './hostile-plugin.ts'
import type { Platform } from './platform.ts'
import type { CellRun } from './run-cell.ts'

export interface Seen {
  cell: Cell
  run: CellRun
  platform: Platform
  operationId: string
  bundleInstallId: string
}

/** How an attempt ended, in a word: what the person sees of it. */
const tokenOf = ({ failure, httpStatus, late }: Attempt): string =>
  late ? 'late' : failure === null ? 'done' : `${failure.errorCode} ${httpStatus ?? '-'}`

const TIMEOUT = 'PLUGIN_TIMEOUT -'

function faultToken({ means }: Fault): string {
  if (means.as === 'repeat') return `${means.code} ${means.status ?? '-'}`
  if (means.as === 'failed') return `${means.code} 200`
  return means.as
}

/** What the attempts of the stage must be, in their order, when the first run has ended. */
function expectedAttempts({ fault, time }: Cell): string[] {
  const token = faultToken(fault)
  const before = time === 'repeat' ? ['PLUGIN_UNREACHABLE -'] : []
  if (fault.means.as === 'failed' || fault.means.as === 'done') return [...before, token]
  if (time === 'takeover') return [token]
  if (time === 'always') return [token, token, token]
  return [...before, token, 'done']
}

/** After the fault and all repeats that the runtime makes by itself. */
export async function checkFault(seen: Seen): Promise<string[]> {
  const { cell, platform, operationId, bundleInstallId } = seen
  const { means } = cell.fault
  const detail = await platform.detail(operationId)
  const call = callAt(detail, cell)
  const isRepeated = means.as === 'repeat'
  const lasts = cell.time === 'always' || cell.time === 'takeover'
  const mustFail = means.as === 'failed' || (isRepeated && lasts)
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
    if (call.writes.length > 0) problems.push('something that was written is kept')
  }
  const struck = call.attempts.filter((attempt) => tokenOf(attempt) === faultToken(cell.fault))
  if (means.as !== 'done') problems.push(...struck.flatMap((attempt) => checkKept(attempt)))
  const told = JSON.stringify(detail)
  if (told.includes(POISON)) problems.push('the operation tells what an invalid answer wrote')
  if (told.includes(SECRET)) problems.push('the operation tells a sensitive value')
  return problems
}

function checkAttempts(cell: Cell, attempts: readonly Attempt[]): string[] {
  let expected = expectedAttempts(cell)
  let tokens = attempts.map(tokenOf)
  if (cell.fault.isSlow === true) {
    // the time limit is short, so a good answer may be late too; how often does not matter
    if (!tokens.includes(TIMEOUT)) return [`no attempt timed out: ${tokens.join(', ')}`]
    tokens = tokens.filter((token) => token !== TIMEOUT)
    expected = expected.filter((token) => token !== TIMEOUT)
  } else if ('place' in cell.fault.how) {
    // the plugin is not there until its place is corrected
    const one = (list: string[]) => list.filter((token, index) => token !== list[index - 1])
    tokens = one(tokens)
    expected = one(expected)
  }
  return tokens.join(', ') === expected.join(', ')
    ? []
    : [`the attempts are [${tokens.join(', ')}] and not [${expected.join(', ')}]`]
}

const ALLOWED = new Set(['size', 'contentType', 'known'])
const KNOWN = new Set(['contractVersion', 'errorCode', 'outcome'])

/** Of an answer that is not taken only its size, its type and known places are kept. */
function checkKept({ response, failure, late }: Attempt): string[] {
  if (response === null || late) return []
  if (failure !== null && !failure.errorCode.startsWith('PLUGIN_')) return []
  if (!isJsonObject(response)) return ['an attempt keeps an answer that is not taken']
  const known = response['known'] ?? {}
  const strange = [
    ...Object.keys(response).filter((name) => !ALLOWED.has(name)),
    ...Object.keys(isJsonObject(known) ? known : {}).filter((name) => !KNOWN.has(name)),
  ]
  return strange.length > 0 ? [`an attempt keeps ${strange.join(', ')} of an answer that is not taken`] : []
}

/** When the operation has succeeded at last, by itself or by a person's retry. */
export async function checkEnd(seen: Seen): Promise<string[]> {
  const { cell, run, platform, operationId, bundleInstallId } = seen
  const { plugin } = run
  const detail = await platform.detail(operationId)
  const problems = [...checkDeliveries(plugin), ...checkEffects(plugin)]
  if (detail.state !== 'SUCCEEDED') problems.push(`it is ${detail.state} in the end`)

  const { attempts } = callAt(detail, cell)
  const arrived = plugin.deliveries.filter(
    (delivery) => delivery.operationId === operationId && delivery.stage === cell.stage,
  )
  if (!('place' in cell.fault.how) && cell.fault.isSlow !== true && arrived.length !== attempts.length)
    problems.push(`${arrived.length} calls arrived, and ${attempts.length} attempts are recorded`)

  const { state, version, claim } = await platform.installation(bundleInstallId)
  const isDetached = cell.operationType === 'DETACH'
  const expected = isDetached ? 'DETACHED' : 'ACTIVE'
  if (state !== expected) problems.push(`the installation is ${state}`)
  if (!isDetached && version !== detail.targetVersion)
    problems.push(`the installation has version ${version}`)
  if (claim !== null) problems.push('the installation is still claimed')
  if (!isDetached) problems.push(...(await checkConfiguration(seen)))
  return problems
}

async function checkConfiguration({ cell, run, platform, operationId }: Seen): Promise<string[]> {
  const configuration = await platform.configuration(run.scope)
  const view = configuration.resources[locatorOf(run.plugin.pluginId)]?.properties['tenantId']
  const value = view !== undefined && 'value' in view ? view.value : null
  return value === tenantOf(operationId, 'AFTER_RESOURCES')
    ? []
    : [`after the ${cell.operationType} tenantId is ${JSON.stringify(value)}`]
}

/** Frozen bytes and sequence, addressed tokens, stages in their order, operations in theirs. */
function checkDeliveries({ deliveries }: PluginState): string[] {
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
  if (deliveries.some(({ isAddressed }) => !isAddressed)) problems.push('a call carried a wrong token')
  return problems
}

/** Exactly one for both stages of every operation. */
function checkEffects({ effects, deliveries }: PluginState): string[] {
  const operations = new Set(deliveries.map(({ operationId }) => operationId))
  const wrong = [...effects].filter(([, count]) => count !== 1)
  return wrong.length > 0 || effects.size !== operations.size * 2
    ? [`${operations.size} operations have ${effects.size} effects: ${JSON.stringify([...effects])}`]
    : []
}

/** A DETACH took the failed operation over, and its one delayed call has landed since. */
export async function checkTakeover(seen: Seen & { detachId: string }): Promise<string[]> {
  const { cell, run, platform, operationId, bundleInstallId, detachId } = seen
  // the call that was held lands at the plugin before anything else is done
  await new Promise((resolve) => setImmediate(resolve))
  const { plugin } = run
  const problems = checkDeliveries(plugin)
  const old = await platform.detail(operationId)
  if (old.state !== 'TAKEN_OVER') problems.push(`the operation that was taken over is ${old.state}`)
  if (callAt(old, cell).attempts.length !== 1) problems.push('it was called after the takeover')
  const detach = await platform.detail(detachId)
  if (detach.state !== 'SUCCEEDED') problems.push(`the DETACH ended ${detach.state}`)
  if (detach.executionSequence <= old.executionSequence) problems.push('the DETACH has no later sequence')
  const { state } = await platform.installation(bundleInstallId)
  if (state !== 'DETACHED') problems.push(`the installation is ${state}`)
  if (plugin.stale !== 1) problems.push(`${plugin.stale} calls came to the plugin as overtaken, and not 1`)
  if (plugin.effects.has(`${operationId} ${cell.stage}`)) problems.push('the delayed call had an effect')
  return problems
}

function callAt({ stages }: OperationDetail, { stage }: Cell): PluginCall {
  const call = stages.find((found) => found.stage === stage)?.calls[0]
  if (call === undefined) throw new Error('the operation has no plugin call')
  return call
}
