import type { Stage } from '#contract/protocol/vocabulary.ts'
import { ORDER } from './bundles.ts'
import { isSameValues, required, valuesOf } from './state.ts'
import type { Mode, Model, ModelOperation } from './state.ts'

// What the workers do with the operations, according to the rules.

/** Advances every operation as far as possible without a person, or only until it has applied its resources. */
export function work(model: Model, until: 'end' | 'resources' = 'end'): void {
  for (const operation of model.operations)
    if (operation.state === 'RUNNING') advance(model, operation, until)
}

function advance(model: Model, operation: ModelOperation, until: 'end' | 'resources'): void {
  if (operation.phase === 'BEFORE_RESOURCES') {
    if (!completeStage(model, operation, 'BEFORE_RESOURCES')) return
    apply(model, operation)
    operation.phase = 'AFTER_RESOURCES'
  }
  if (until === 'resources') return
  if (completeStage(model, operation, 'AFTER_RESOURCES')) succeed(model, operation)
}

/** Makes the remaining calls; false if the operation waits or has failed. */
function completeStage(model: Model, operation: ModelOperation, stage: Stage): boolean {
  const direction = operation.type === 'DETACH' ? -1 : 1
  const inOrder = operation.plugins.toSorted((a, b) => direction * (ORDER[a] - ORDER[b]))
  for (const name of inOrder) {
    if (operation.done.has(`${stage} ${name}`)) continue
    const { isEnabled, mode } = model.plugins[name]
    // a call in flight gets its response even if the plugin is disabled meanwhile
    if (operation.waitsFor !== name && !isEnabled) return fail(operation, 'PLUGIN_NOT_REGISTERED')
    if (holds(mode, stage)) {
      operation.waitsFor = name
      return false
    }
    operation.waitsFor = null
    if (mode === 'unknown') return fail(operation, 'PLUGIN_RESULT_UNKNOWN')
    if (failsIn(mode, stage)) return fail(operation, 'PLUGIN_REPORTED_FAILURE')
    operation.done.add(`${stage} ${name}`)
    if (stage === 'AFTER_RESOURCES' && writesTenant(operation, name)) operation.written = tenantOf(operation)
  }
  return true
}

export const holds = (mode: Mode, stage: Stage): boolean =>
  mode === (stage === 'BEFORE_RESOURCES' ? 'hold-before' : 'hold-after')
export const failsIn = (mode: Mode, stage: Stage): boolean =>
  mode === (stage === 'BEFORE_RESOURCES' ? 'fail-before' : 'fail-after')

/** Whether the plugin writes the tenant in its second stage: `one` does if the target has the property. */
export function writesTenant(
  { type, target }: Pick<ModelOperation, 'type' | 'target'>,
  name: string,
): boolean {
  return name === 'one' && type !== 'DETACH' && target !== '3'
}
export const tenantOf = ({ sequence }: { sequence: number }): string => `t${sequence}`

function fail(operation: ModelOperation, errorCode: string): false {
  operation.state = 'FAILED'
  operation.errorCode = errorCode
  operation.waitsFor = null
  return false
}

function apply(model: Model, operation: ModelOperation): void {
  const installation = required(model.installations[operation.installation])
  // plugins may resolve references until a DETACH ends, so the resources stay until then
  if (operation.type === 'DETACH') return
  installation.resources = new Map(operation.resources)
  installation.applied = new Map(operation.planned)
}

function succeed(model: Model, operation: ModelOperation): void {
  const installation = required(model.installations[operation.installation])
  const { bundle } = installation
  const current = valuesOf(model.configuration, bundle)
  const tenant = `${bundle}/MODULE/core tenant`
  // the save has already written the values of a CONFIGURE
  const target = new Map(operation.type === 'CONFIGURE' ? current : operation.planned)
  if (operation.type === 'DETACH') target.clear()
  else if (operation.written !== null) target.set(tenant, operation.written)
  // the reference to the installation itself is added and removed with its Module, as a value like any other
  const changesReference = operation.type === 'INSTALL' || operation.type === 'DETACH'

  if (!isSameValues(current, target) || changesReference) {
    for (const key of current.keys()) model.configuration.delete(key)
    for (const [key, value] of target) model.configuration.set(key, value)
    if (operation.type !== 'DETACH' || installation.version !== null || current.size > 0)
      model.snapshot = (model.snapshot ?? 0) + 1
  }
  if (operation.written !== null) installation.applied.set(tenant, operation.written)
  operation.state = 'SUCCEEDED'
  operation.phase = 'DONE'
  operation.errorCode = null
  installation.claim = null
  if (operation.type === 'INSTALL') installation.state = 'ACTIVE'
  if (operation.type === 'INSTALL' || operation.type === 'UPGRADE') installation.version = operation.target
  if (operation.type !== 'DETACH') return
  installation.state = 'DETACHED'
  installation.resources.clear()
  installation.applied.clear()
  // an installation that was never installed keeps the values that its INSTALL would have set
  if (installation.version !== null) installation.last = current
}
