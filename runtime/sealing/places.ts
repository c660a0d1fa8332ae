import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { FrozenPlan, Writes } from '../model/plan.ts'
import { getOwn, mapValues } from '#contract/json-schema/json.ts'
import { keyIdOf } from './sealed-value.ts'
import type { ValueChange } from './sealed-value.ts'
import type { CallKey } from '../model/call.ts'
import type { Place, Vault } from '../model/vault.ts'

// Everything in the database that may hold sensitive values, with the place of each. Changing a place makes the
// values that were sealed for it unreadable.

type Values<Value> = Record<string, Value>
type Definitions = Readonly<Record<string, PropertyDefinition>>

export const configurationPlace = (scopeId: number, locator: string, property: string): Place => [
  'configuration_property',
  scopeId,
  locator,
  property,
]

export interface ChangeKey {
  scopeId: number
  snapshotVersion: number
  locator: string
  property: string
}

export const snapshotPlace = (key: ChangeKey, side: 'before' | 'after'): Place => [
  'snapshot_change',
  key.scopeId,
  key.snapshotVersion,
  key.locator,
  key.property,
  side,
]

export const requestPlace = ({ operationId, stage, pluginId }: CallKey): Place => [
  'plugin_call.request',
  operationId,
  stage,
  pluginId,
]

/** The address of a webhook, which may contain a secret. */
export const addressPlace = (webhookId: string): Place => ['webhook.address', webhookId]

/** The key of a webhook's signatures. */
export const webhookPlace = (webhookId: string): Place => ['webhook.secret', webhookId]

/** The input of a change request, what it is based on, and the key of its digests. */
export const changeRequestPlace = (id: string): Place => ['change_request.content', id]

export const batchPlace = (batchId: string): Place => ['batch.input', batchId]

/**
 * Opens the frozen bytes of a call. Bytes from before sealing existed are JSON, which never starts like sealed bytes.
 */
export function openRequest(vault: Vault, request: Buffer, key: CallKey): Buffer {
  return keyIdOf(request) === null ? request : vault.open(request, requestPlace(key))
}

/** Maps the values of a resource in the ledger. */
export function mapLedger<From, To>(
  key: { bundleInstallId: string; locator: string },
  values: Values<From>,
  change: ValueChange<From, To>,
  definitions: Definitions = {},
): Values<To> {
  return mapValues(values, (value, property) =>
    change(
      value,
      ['installed_resource', key.bundleInstallId, key.locator, property],
      getOwn(definitions, property),
    ),
  )
}

/** Maps the values of a frozen plan. */
export function mapPlan<From, To>(
  operationId: string,
  plan: FrozenPlan<From>,
  change: ValueChange<From, To>,
): FrozenPlan<To> {
  const at = (part: 'before' | 'after' | 'properties', locator: string, property: string): Place => [
    'operation_plan',
    operationId,
    locator,
    property,
    part,
  ]
  const defined = new Map(plan.resources.map(({ locator, definitions }) => [locator, definitions]))
  return {
    ...plan,
    resources: plan.resources.map((resource) => ({
      ...resource,
      properties: mapValues(resource.properties, (value, property) =>
        change(value, at('properties', resource.locator, property), getOwn(resource.definitions, property)),
      ),
    })),
    changes: plan.changes.map((changed) => {
      const { locator, property, before, after } = changed
      const definition = getOwn(defined.get(locator) ?? {}, property)
      return {
        ...changed,
        before: before === null ? null : change(before, at('before', locator, property), definition),
        after: after === null ? null : change(after, at('after', locator, property), definition),
      }
    }),
  }
}

/** Maps the writes of a plugin call. */
export function mapWrites<From, To>(
  { operationId, stage, pluginId }: CallKey,
  writes: Writes<From>,
  change: ValueChange<From, To>,
): Writes<To> {
  return mapValues(writes, (properties, locator) =>
    mapValues(properties, (value, property) =>
      change(value, ['plugin_call.writes', operationId, stage, pluginId, locator, property]),
    ),
  )
}
