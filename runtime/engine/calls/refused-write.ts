import * as z from 'zod'
import { getOwn, pointerTo } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { callCause, type WriteRule } from '#contract/protocol/call-causes.ts'
import { ManifestPlugin } from '#contract/protocol/manifest.ts'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { Failure } from '#contract/runtime-api/common.ts'
import type { RefusedWrite } from '#contract/runtime-api/operations.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { FrozenPlan } from '../../model/plan.ts'

/** The rule that a failure says a write has broken; null for every other failure. */
export function writeRuleOf(failure: Failure | null): WriteRule | null {
  const reason = failure?.parameters?.['reason']
  return typeof reason === 'string' ? (callCause(reason)?.writeRule ?? null) : null
}

/**
 * Explains the refused write that an operation failed with, from its frozen plan; null if it failed with something else.
 *
 * @param bindings The `plugins` of the manifest of the target version, unchecked; undefined if they are unknown.
 */
export function refusedWriteOf(
  operation: OperationRow,
  plan: FrozenPlan,
  bindings: JsonValue | undefined,
): RefusedWrite | null {
  const { failure } = operation
  const rule = writeRuleOf(failure)
  const stage = STAGES.find((one) => one === operation.phase)
  const pluginId = textOf(failure, 'plugin')
  if (rule === null || stage === undefined || pluginId === null) return null
  const resource = plan.resources.find(({ locator }) => locator === textOf(failure, 'locator'))
  const property = textOf(failure, 'property')
  const authorized = plan.plugins
    .find((plugin) => plugin.pluginId === pluginId)
    ?.resources.find((entry) => entry.resource === resource?.locator)
  const writer = property === null ? undefined : getOwn(resource?.writtenBy ?? {}, property)
  const pathOf = pathsIn(bindings, resource?.moduleId ?? null)
  return {
    rule: rule === 'PROPERTY_NOT_AUTHORIZED' && authorized === undefined ? 'RESOURCE_NOT_AUTHORIZED' : rule,
    stage,
    pluginId,
    locator: resource?.locator ?? null,
    property,
    permitted:
      authorized === undefined
        ? null
        : {
            readProperties: authorized.readProperties,
            writeProperties: authorized.writeProperties,
            credentialProperties: authorized.credentialProperties,
          },
    writer: writer === undefined ? null : { pluginId: writer, manifestPath: pathOf(writer, property) },
    manifest: {
      bundle: { environmentKey: operation.bundle_environment_key, bundleId: operation.bundle_id },
      version: operation.target_version,
    },
    manifestPath: pathOf(pluginId, null),
  }
}

const textOf = (failure: Failure | null, name: string): string | null => {
  const value = failure?.parameters?.[name]
  return typeof value === 'string' ? value : null
}

/** Where a manifest says what a plugin may write on a Module: at the property, else in the list, else at its resources. */
function pathsIn(bindings: JsonValue | undefined, moduleId: string | null) {
  const plugins = z.array(ManifestPlugin).safeParse(bindings).data ?? []
  return (pluginId: string, property: string | null): string | null => {
    const at = plugins.findIndex((plugin) => plugin.pluginId === pluginId)
    const entries = plugins[at]?.resources
    if (entries === undefined) return null
    const entryAt = entries.findIndex(({ object }) => object.moduleId === moduleId)
    const entry = entries[entryAt]
    if (entry === undefined) return pointerTo('plugins', at, 'resources')
    const propertyAt = property === null ? -1 : entry.writeProperties.indexOf(property)
    return pointerTo(
      'plugins',
      at,
      'resources',
      entryAt,
      'writeProperties',
      ...(propertyAt === -1 ? [] : [propertyAt]),
    )
  }
}
