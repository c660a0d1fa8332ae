import { getOwn } from '#contract/json-schema/json.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import type { CallWrites } from '../../model/call.ts'
import type { Writes, FrozenPlan, PlannedResource, CurrentProperties } from '../../model/plan.ts'
import { isAmong, isSameValue } from '../changes/compare.ts'
import type { PropertyRef } from '../changes/compare.ts'
import { inCallOrder } from './next-step.ts'

/**
 * The writes of an operation's plugins so far, in call order; if a property was written twice, the later call wins.
 * With `stage`, only the writes of that stage.
 */
export function mergedWrites(
  calls: readonly CallWrites[],
  operationType: OperationType,
  stage?: Stage,
): Writes {
  const merged: Writes = {}
  for (const { writes } of inOrder(calls, operationType, stage)) {
    for (const [locator, properties] of Object.entries(writes ?? {})) {
      merged[locator] = { ...getOwn(merged, locator), ...properties }
    }
  }
  return merged
}

/** The calls of one stage, or of both, in the order in which they are made. */
const inOrder = (calls: readonly CallWrites[], operationType: OperationType, stage?: Stage): CallWrites[] =>
  (stage === undefined ? STAGES : [stage]).flatMap((wanted) =>
    inCallOrder(
      calls.filter((call) => call.stage === wanted),
      operationType,
    ),
  )

/** The planned properties of a resource with the plugins' writes applied. */
export function withWrites(
  resource: { locator: string; properties: Record<string, TypedValue> },
  writes: Writes,
): Record<string, TypedValue> {
  return { ...resource.properties, ...getOwn(writes, resource.locator) }
}

/** A value that a call reads and that an earlier call of another plugin in the same operation may write. */
export interface ValueFromOther {
  locator: string
  property: string
  writer: { stage: Stage; pluginId: string }
  /** What the writer did: WRITTEN; KEPT, it left the planned value; or MISSING, it left the property without a value. */
  kind: 'WRITTEN' | 'KEPT' | 'MISSING'
  /** What the request has; null if it has no value. */
  value: TypedValue | null
  isRequired: boolean
}

/**
 * What the request of a call has from the calls of other plugins before it. Of several that may write a property, it is the
 * last one that did, or else the last one that may.
 */
export function valuesFromOthers(
  plan: FrozenPlan,
  calls: readonly CallWrites[],
  operationType: OperationType,
  reader: { stage: Stage; pluginId: string; order: number },
): ValueFromOther[] {
  const direction = operationType === 'DETACH' ? -1 : 1
  const isBefore = ({ stage, order }: CallWrites) =>
    stage === reader.stage ? direction * (order - reader.order) < 0 : stage === 'BEFORE_RESOURCES'
  const earlier = inOrder(calls, operationType).filter(
    (call) => call.pluginId !== reader.pluginId && isBefore(call) && call.writes,
  )
  const read = plan.plugins.find(({ pluginId }) => pluginId === reader.pluginId)?.resources ?? []
  const readOf = new Map(read.map((one) => [one.resource, one]))
  const isWriter = new Set(earlier.map(({ pluginId }) => pluginId))
  const writable = new Map(
    plan.plugins
      .filter(({ pluginId }) => isWriter.has(pluginId))
      .map(({ pluginId, resources }) => [pluginId, isAmong(writesIn(resources))]),
  )
  return plan.resources.flatMap(({ locator, properties, definitions }) => {
    const reads = readOf.get(locator)
    const names = new Set([...(reads?.readProperties ?? []), ...(reads?.credentialProperties ?? [])])
    return [...names].flatMap((property): ValueFromOther[] => {
      const mayWrite = earlier.filter(({ pluginId }) => writable.get(pluginId)?.({ locator, property }))
      const wrote = mayWrite.findLast(({ writes }) =>
        Object.hasOwn(getOwn(writes ?? {}, locator) ?? {}, property),
      )
      const writer = wrote ?? mayWrite.at(-1)
      if (writer === undefined) return []
      const written = getOwn(getOwn(wrote?.writes ?? {}, locator) ?? {}, property)
      const value = written ?? getOwn(properties, property) ?? null
      return [
        {
          locator,
          property,
          writer: { stage: writer.stage, pluginId: writer.pluginId },
          kind: wrote !== undefined ? 'WRITTEN' : value === null ? 'MISSING' : 'KEPT',
          value,
          isRequired: getOwn(definitions, property)?.required === true,
        },
      ]
    })
  })
}

const writesIn = (resources: CompiledAuthorization['resources']): PropertyRef[] =>
  resources.flatMap(({ resource, writeProperties }) =>
    writeProperties.map((property) => ({ locator: resource, property })),
  )

export interface ConfigurationChange {
  locator: string
  property: string
  before: TypedValue | null
  after: TypedValue | null
  /** Null if the plan no longer defines the property. */
  isSensitive: boolean | null
  /** Null if the value is removed. */
  manager: Manager | null
}

/**
 * How the success of an operation changes the configuration of its scope. INSTALL and UPGRADE leave exactly the planned
 * properties with the plugins' writes applied. For a CONFIGURE the save has stored its own values already, so only the
 * writes remain. A DETACH leaves nothing. `current` holds the properties of this installation only.
 */
export function configurationChanges({
  operationType,
  plan,
  writes,
  current,
}: {
  operationType: OperationType
  plan: FrozenPlan
  writes: Writes
  current: CurrentProperties
}): ConfigurationChange[] {
  const planned = new Map(plan.resources.map((resource) => [resource.locator, resource]))
  const stays = (resource: PlannedResource | undefined): boolean =>
    operationType !== 'DETACH' && resource !== undefined && resource.action !== 'DETACH'

  const isDefaultOf = isAmong(
    Object.entries(plan.defaults ?? {}).flatMap(([locator, names]) =>
      names.map((property) => ({ locator, property })),
    ),
  )
  const managerOf = (resource: PlannedResource, property: string): Manager => {
    const { locator, writtenBy, targetVersion } = resource
    const plugin = getOwn(writtenBy, property)
    if (plugin !== undefined && Object.hasOwn(getOwn(writes, locator) ?? {}, property))
      return `plugin:${plugin}`
    // nobody chose the protected property either
    const isDefault = property === INSTANCE_REF_PROPERTY || isDefaultOf({ locator, property })
    return isDefault ? `default:${targetVersion}` : 'person'
  }

  const changes: ConfigurationChange[] = []
  const compare = (locator: string, property: string, after: TypedValue | null): void => {
    const resource = planned.get(locator)
    const before = current.get(locator)?.get(property) ?? null
    // the runtime writes it once; it is removed only together with its resource
    if (property === INSTANCE_REF_PROPERTY && before !== null && stays(resource)) return
    if (isSameValue(before, after)) return
    const definition = getOwn(resource?.definitions ?? {}, property)
    const isSensitive = definition === undefined ? null : definition.isSensitive === true
    const manager = after === null || resource === undefined ? null : managerOf(resource, property)
    changes.push({ locator, property, before, after, isSensitive, manager })
  }

  for (const resource of plan.resources) {
    if (!stays(resource)) continue
    const { locator } = resource
    const target =
      operationType === 'CONFIGURE' ? (getOwn(writes, locator) ?? {}) : withWrites(resource, writes)
    for (const [property, value] of Object.entries(target)) compare(locator, property, value)
  }
  if (operationType !== 'CONFIGURE') {
    for (const [locator, properties] of current) {
      const resource = planned.get(locator)
      const target = resource !== undefined && stays(resource) ? withWrites(resource, writes) : {}
      for (const property of properties.keys()) {
        if (getOwn(target, property) === undefined) compare(locator, property, null)
      }
    }
  }
  return changes
}

/** The properties that a plan defines as sensitive and that the configuration does not yet store as sensitive. */
export function newlySensitive(
  plan: FrozenPlan,
  current: CurrentProperties,
): { locator: string; property: string }[] {
  return plan.resources.flatMap(({ locator, definitions }) =>
    [...(current.get(locator) ?? [])]
      .filter(
        ([property, value]) =>
          getOwn(definitions, property)?.isSensitive === true &&
          value['@type'] === 'Data' &&
          value.isSensitive !== true,
      )
      .map(([property]) => ({ locator, property })),
  )
}
