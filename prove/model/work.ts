import type { Stage } from '#contract/protocol/vocabulary.ts'
import { ORDER } from './bundles.ts'
import { demand, isSameValues, valuesOf } from './state.ts'
import type { Mode, Model, ModelOperation } from './state.ts'

// What the workers make of the operations, by the rules.

/** Has every operation go on as far as it goes by itself, or only until it has applied its resources. */
export function work(model: Model, until: 'end' | 'resources' = 'end'): void {
  for (const operation of model.operations)
    if (operation.state === 'RUNNING') advance(model, operation, until)
}

function advance(model: Model, operation: ModelOperation, until: 'end' | 'resources'): void {
  if (operation.phase === 'BEFORE_RESOURCES') {
    if (!stageEnds(model, operation, 'BEFORE_RESOURCES')) return
    apply(model, operation)
    operation.phase = 'AFTER_RESOURCES'
  }
  if (until === 'resources') return
  if (stageEnds(model, operation, 'AFTER_RESOURCES')) succeed(model, operation)
}

/** Calls what is still to be called; false where the operation waits or has failed. */
function stageEnds(model: Model, operation: ModelOperation, stage: Stage): boolean {
  const direction = operation.type === 'DETACH' ? -1 : 1
  const inOrder = operation.plugins.toSorted((a, b) => direction * (ORDER[a] - ORDER[b]))
  for (const name of inOrder) {
    if (operation.done.has(`${stage} ${name}`)) continue
    const { isEnabled, mode } = model.plugins[name]
    // a call under way is answered, whatever becomes of the registration meanwhile
    if (operation.waitsFor !== name && !isEnabled) return fails(operation, 'PLUGIN_NOT_REGISTERED')
    if (holds(mode, stage)) {
      operation.waitsFor = name
      return false
    }
    operation.waitsFor = null
    if (mode === 'unknown') return fails(operation, 'PLUGIN_RESULT_UNKNOWN')
    if (failsIn(mode, stage)) return fails(operation, 'PLUGIN_REPORTED_FAILURE')
    operation.done.add(`${stage} ${name}`)
    if (stage === 'AFTER_RESOURCES' && writesTenant(operation, name)) operation.written = tenantOf(operation)
  }
  return true
}

export const holds = (mode: Mode, stage: Stage): boolean =>
  mode === (stage === 'BEFORE_RESOURCES' ? 'hold-before' : 'hold-after')
export const failsIn = (mode: Mode, stage: Stage): boolean =>
  mode === (stage === 'BEFORE_RESOURCES' ? 'fail-before' : 'fail-after')

/** What `one` does in its second stage wherever the target has the property. */
export function writesTenant(
  { type, target }: Pick<ModelOperation, 'type' | 'target'>,
  name: string,
): boolean {
  return name === 'one' && type !== 'DETACH' && target !== '3'
}
export const tenantOf = ({ sequence }: { sequence: number }): string => `t${sequence}`

function fails(operation: ModelOperation, errorCode: string): false {
  operation.state = 'FAILED'
  operation.errorCode = errorCode
  operation.waitsFor = null
  return false
}

function apply(model: Model, operation: ModelOperation): void {
  const installation = demand(model.installations[operation.installation])
  // plugins may resolve to the end of a DETACH, so it leaves the ledger until then
  if (operation.type === 'DETACH') return
  installation.ledger = new Map(operation.resources)
  installation.applied = new Map(operation.planned)
}

function succeed(model: Model, operation: ModelOperation): void {
  const installation = demand(model.installations[operation.installation])
  const { bundle } = installation
  const standing = valuesOf(model.configuration, bundle)
  const tenant = `${bundle}/MODULE/core tenant`
  // in a CONFIGURE the save has written its own already
  const target = new Map(operation.type === 'CONFIGURE' ? standing : operation.planned)
  if (operation.type === 'DETACH') target.clear()
  else if (operation.written !== null) target.set(tenant, operation.written)
  // the reference to the installation itself comes and goes with the Module that defines it, as a value like the others
  const isHeld = operation.type === 'INSTALL' || operation.type === 'DETACH'

  if (!isSameValues(standing, target) || isHeld) {
    for (const key of standing.keys()) model.configuration.delete(key)
    for (const [key, value] of target) model.configuration.set(key, value)
    if (operation.type !== 'DETACH' || installation.version !== null || standing.size > 0)
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
  installation.ledger.clear()
  installation.applied.clear()
  // one that never was installed has what its INSTALL would have brought
  if (installation.version !== null) installation.last = standing
}
