import { getOwn } from '#contract/json-schema/json.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Configuration, ConfigurationResource } from '#contract/runtime-api/configuration.ts'
import { inTransaction } from '#database/transaction.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { StoredValue } from '../../model/plan.ts'
import { readStoredProperties } from '../../store/configuration/properties.ts'
import type { Properties } from '../../store/configuration/properties.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import { findSnapshot, readLaterChanges } from '../../store/configuration/snapshots.ts'
import { readOwnedResources } from '../../store/installations/ledger.ts'
import { readPlansAt } from '../../store/operations/plans.ts'
import type { PlanAt } from '../../store/operations/plans.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { propertyViews } from './read.ts'

type Name =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/snapshots/{snapshotVersion}'

/**
 * The configuration of a scope at a snapshot: the current values with all later changes undone, and the resources of
 * the operations that had succeeded by then. No claims: they are always current.
 */
export function readSnapshot({ deps }: ReadContext, input: Input<Name>): Promise<Answer<Name>> {
  const { snapshotVersion } = input.params
  return inTransaction(
    deps.db,
    async (tx) => {
      const scope = await findScope(tx, input.params)
      const snapshot = scope && (await findSnapshot(tx, scope.scope_id, snapshotVersion))
      if (scope === undefined || snapshot === undefined) throw notFound('snapshot')
      const values = undoChanges(
        await readStoredProperties(tx, scope.scope_id),
        await readLaterChanges(tx, scope.scope_id, snapshotVersion),
      )
      const now = await readOwnedResources(tx, scope.scope_id)
      return {
        scope: scopeOf(scope),
        snapshotVersion,
        savedAt: snapshot.saved_at,
        savedBy: { id: snapshot.saved_by_id, name: snapshot.saved_by_name },
        resources: resourcesAt(
          await readPlansAt(tx, scope, snapshotVersion),
          values,
          new Map(now.map((row) => [row.locator, row.definitions])),
        ),
      }
    },
    { isolation: 'repeatable read' },
  )
}

/** The values before the changes; `before` null is "not set". */
export function undoChanges<Value>(
  current: ReadonlyMap<string, ReadonlyMap<string, Value>>,
  later: readonly { locator: string; property: string; before: Value | null }[],
): Properties<Value> {
  const values = new Map([...current].map(([locator, properties]) => [locator, new Map(properties)]))
  for (const { locator, property, before } of later) {
    const ofResource = values.get(locator) ?? new Map<string, Value>()
    if (before === null) ofResource.delete(property)
    else ofResource.set(property, before)
    values.set(locator, ofResource)
  }
  return values
}

function resourcesAt(
  plans: readonly PlanAt[],
  values: Properties<StoredValue>,
  definitionsNow: ReadonlyMap<string, Record<string, PropertyDefinition>>,
): Configuration['resources'] {
  const resources: Record<string, ConfigurationResource> = {}
  for (const { bundle_install_id, operation_type, plan } of plans) {
    if (operation_type === 'DETACH') continue
    for (const resource of plan.resources) {
      if (resource.action === 'DETACH') continue
      const definitions = withCurrentSensitivity(
        resource.definitions,
        definitionsNow.get(resource.locator) ?? {},
      )
      resources[resource.locator] = {
        bundleInstallId: bundle_install_id,
        kind: resource.kind,
        title: resource.title,
        properties: propertyViews(definitions, values.get(resource.locator)),
        definitions: resource.definitions,
        writtenBy: resource.writtenBy,
        claim: null,
      }
    }
  }
  return resources
}

/** Values that became sensitive later are hidden in the past too. */
function withCurrentSensitivity(
  then: Record<string, PropertyDefinition>,
  now: Record<string, PropertyDefinition>,
): Record<string, PropertyDefinition> {
  return Object.fromEntries(
    Object.entries(then).map(([property, definition]) => [
      property,
      getOwn(now, property)?.isSensitive === true ? { ...definition, isSensitive: true } : definition,
    ]),
  )
}

export function staleSnapshot(current: number): DomainError {
  return new DomainError('CONFIGURATION_SNAPSHOT_STALE', platformMessage('snapshotStale', { current }))
}

/** A larger number would not be exact in JSON. */
export function refuseLastSnapshot(current: number): void {
  const max = Number.MAX_SAFE_INTEGER
  if (current >= max) throw new DomainError('NUMBERS_USED_UP', platformMessage('snapshotUsedUp', { max }))
}
