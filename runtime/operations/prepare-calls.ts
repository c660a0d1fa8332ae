import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { buildRequest, requestBytes } from '../plugins/build-request.ts'
import { callLimits } from '../plugins/call-limits.ts'
import type { CallLimits } from '../plugins/call-limits.ts'
import { callFailure } from '../plugins/failures.ts'
import { failCall } from '../store/operations/fail-call.ts'
import { readRegistrations } from '../store/operations/read-registrations.ts'
import { readServiceAddresses } from '../store/operations/read-service-addresses.ts'
import { startAttempt } from '../store/operations/start-attempt.ts'
import type { Tx } from '../world.ts'
import type { Held } from './advance.ts'
import type { Call } from './call.ts'
import { mergedWrites } from './merged-writes.ts'
import { sensitiveValues } from './sensitive-values.ts'
import { operationView } from './view.ts'
import type { OperationRow } from './view.ts'
import type { Knowledge } from '../plugins/judge.ts'

/** A call whose attempt is recorded as begun, with everything that making and judging it needs. */
export interface PreparedCall {
  operationId: string
  stage: Stage
  pluginId: string
  attempt: number
  /** Attempts of the current run, this one included. */
  runAttempt: number
  executionSequence: number
  endpoint: string
  limits: CallLimits
  /** The frozen bytes. */
  bytes: Buffer
  expected: LifecycleRequest
  knowledge: Omit<Knowledge, 'isPlatformToken'>
}

/**
 * Begins the attempts of calls that are due, or, when one of their plugins is not registered or disabled right now,
 * fails those calls, begins none and answers null.
 */
export async function prepareCalls(
  tx: Tx,
  context: {
    held: Held
    operation: OperationRow
    calls: readonly Call[]
    step: { stage: Stage; pluginIds: readonly string[] }
  },
): Promise<PreparedCall[] | null> {
  const { held, operation, step } = context
  const registrations = await readRegistrations(tx, step.pluginIds)
  const missing = step.pluginIds.filter((id) => registrations.every(({ plugin_id }) => plugin_id !== id))
  for (const pluginId of missing) {
    const key = { operationId: operation.operation_id, stage: step.stage, pluginId }
    await failCall(tx, key, notRegistered(pluginId))
  }
  if (missing.length > 0) return null

  const serviceAddresses = await addressesFor(tx, held, step.pluginIds)
  const prepared: PreparedCall[] = []
  for (const registration of registrations) {
    const pluginId = registration.plugin_id
    const authorization = authorizationOf(held, pluginId)
    const started = await startAttempt(tx, {
      operationId: operation.operation_id,
      stage: step.stage,
      pluginId,
      run: operation.run,
      epoch: held.lease.epoch,
      bytes: bytesFor(context, authorization),
    })
    prepared.push({
      operationId: operation.operation_id,
      stage: step.stage,
      pluginId,
      attempt: started.attempt,
      runAttempt: started.runAttempt,
      executionSequence: operation.execution_sequence,
      endpoint: registration.endpoint,
      limits: callLimits(registration),
      bytes: started.bytes,
      // requestBytes made these bytes of one
      expected: JSON.parse(started.bytes.toString('utf8')) as LifecycleRequest,
      knowledge: { ...knowledgeOf(context, authorization), serviceAddresses },
    })
  }
  return prepared
}

/** A repeat sends what the first attempt sent, whatever was written since. */
function bytesFor(
  { held, operation, calls, step }: Parameters<typeof prepareCalls>[1],
  authorization: CompiledAuthorization,
): Buffer {
  const { stage } = step
  const { pluginId } = authorization
  const frozen = calls.find((call) => call.stage === stage && call.pluginId === pluginId)?.request
  if (frozen) return frozen
  const writes = mergedWrites(calls, operation.operation_type)
  return requestBytes(
    buildRequest(operationView(operation), { stage, authorization, plan: held.plan, writes }),
  )
}

function knowledgeOf(
  { held: { plan }, calls }: Parameters<typeof prepareCalls>[1],
  authorization: CompiledAuthorization,
): Omit<Knowledge, 'isPlatformToken' | 'serviceAddresses'> {
  const definitions = plan.resources.map((resource) => [resource.locator, resource.definitions] as const)
  return {
    authorization,
    definitions: Object.fromEntries(definitions),
    sensitiveValues: sensitiveValues(
      plan,
      calls.map(({ writes }) => writes),
    ),
    logicalNames: [
      'bundle-runtime',
      'module-plugin-manager',
      ...plan.plugins.map((plugin) => plugin.pluginId),
    ],
  }
}

function authorizationOf({ plan }: Held, pluginId: string): CompiledAuthorization {
  const found = plan.plugins.find((plugin) => plugin.pluginId === pluginId)
  if (found === undefined) throw new Error(`the frozen plan has no plugin ${pluginId}`)
  return found
}

/** Only needed where something may be written. */
async function addressesFor(tx: Tx, held: Held, pluginIds: readonly string[]): Promise<string[]> {
  const mayWrite = pluginIds.some((pluginId) =>
    authorizationOf(held, pluginId).resources.some(({ writeProperties }) => writeProperties.length > 0),
  )
  return mayWrite ? readServiceAddresses(tx) : []
}

function notRegistered(pluginId: string) {
  const message = `Plugin ${pluginId} is not registered or is disabled. Register it, then retry the operation.`
  return callFailure(pluginId, 'PLUGIN_NOT_REGISTERED', message, true)
}
