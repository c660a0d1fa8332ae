import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { ConfigurationResource } from '#contract/runtime-api/configuration.ts'
import type { Manager } from '#contract/runtime-api/managers.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import { readOwnedResources } from '../../store/installations/ledger.ts'
import { readManagedProperties } from '../../store/configuration/properties.ts'
import { readLastChanges } from '../../store/configuration/snapshots.ts'
import { notFound } from '../authorize.ts'
import { claimOf } from '../../engine/views.ts'

type Name = 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'

/** The configuration of a scope: the resources that ACTIVE installations own, with their last saved values. */
export function readConfiguration({ deps }: ReadContext, input: Input<Name>): Promise<Answer<Name>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const scope = await findScope(tx, input.params)
      if (scope === undefined) throw notFound('scope')
      const resources = await readOwnedResources(tx, scope.scope_id)
      const { values, managers } = await readManagedProperties(tx, scope.scope_id)
      const isSet = ({ locator, property }: Place) => values.get(locator)?.has(property) === true
      const secrets = Map.groupBy(
        await readLastChanges(tx, scope.scope_id, resources.flatMap(sensitiveOf).filter(isSet)),
        ({ locator }) => locator,
      )
      return {
        scope: scopeOf(scope),
        snapshotVersion: scope.snapshot_version,
        savedAt: scope.saved_at,
        savedBy: { id: scope.saved_by_id, name: scope.saved_by_name },
        resources: Object.fromEntries(
          resources.map((row) => [
            row.locator,
            {
              bundleInstallId: row.bundle_install_id,
              kind: row.kind,
              title: row.title,
              properties: propertyViews(row.definitions, values.get(row.locator)),
              definitions: row.definitions,
              writtenBy: row.written_by,
              managedBy: managersView(managers.get(row.locator)),
              sensitiveSet: Object.fromEntries(
                (secrets.get(row.locator) ?? []).map(({ property, saved_at, saved_by_id, saved_by_name }) => [
                  property,
                  { at: saved_at, by: { id: saved_by_id, name: saved_by_name } },
                ]),
              ),
              claim: claimOf(row),
            },
          ]),
        ),
      }
    },
    { isolation: 'repeatable read' },
  )
}

type Place = { locator: string; property: string }

/** The sensitive properties that a resource defines. */
const sensitiveOf = ({ locator, definitions }: { locator: string; definitions: Definitions }): Place[] =>
  Object.entries(definitions)
    .filter(([, { isSensitive }]) => isSensitive === true)
    .map(([property]) => ({ locator, property }))

type Views = ConfigurationResource['properties']
type Definitions = ConfigurationResource['definitions']

/** The values of a resource for display. A sensitive property is listed wherever it is defined, set or not. */
export function propertyViews(
  definitions: Definitions,
  values: ReadonlyMap<string, Parameters<typeof propertyView>[1]> = new Map(),
): Views {
  const names = new Set([...Object.keys(definitions), ...values.keys()])
  const views: Views = {}
  for (const name of names) {
    const view = propertyView(getOwn(definitions, name), values.get(name) ?? null)
    if (view !== null) views[name] = view
  }
  return views
}

/** The runtime itself writes the protected property, so it has no manager. */
function managersView(managers: ReadonlyMap<string, Manager> = new Map()): Record<string, Manager> {
  return Object.fromEntries([...managers].filter(([property]) => property !== INSTANCE_REF_PROPERTY))
}
