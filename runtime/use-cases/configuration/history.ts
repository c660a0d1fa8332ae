import { getOwn } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { Snapshot } from '#contract/runtime-api/configuration.ts'
import { changeView } from '../../engine/changes/change-view.ts'
import { findScope } from '../../store/configuration/scopes.ts'
import { listSnapshots, readSnapshotChanges, listSavers } from '../../store/configuration/snapshots.ts'
import type { SnapshotChangeRow } from '../../store/configuration/snapshots.ts'
import { readSavedOperations } from '../../store/configuration/unapplied.ts'
import type { SavedOperations } from '../../store/configuration/unapplied.ts'
import { readOwnedResources } from '../../store/installations/ledger.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { cursorInteger, cursorValues, pageOf } from '../paging.ts'

type HistoryEndpoint =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history'

/** Snapshots of a scope, newest first; with a filter, those that changed such a property, and only that change. */
export async function readHistory(
  { deps }: ReadContext,
  input: Input<HistoryEndpoint>,
): Promise<Answer<HistoryEndpoint>> {
  const { limit, cursor, ...filter } = input.query
  const after = cursorValues(cursor, ['number'])
  const before = after === null ? undefined : cursorInteger(after[0])
  const scope = await findScope(deps.db, input.params)
  if (scope === undefined) throw notFound('scope')

  const rows = await listSnapshots(deps.db, scope.scope_id, { ...filter, before, limit: limit + 1 })
  const versions = rows.slice(0, limit).map((row) => row.snapshot_version)
  const changes = await readSnapshotChanges(deps.db, scope.scope_id, versions, filter)
  const saved = await readSavedOperations(deps.db, scope.scope_id, versions)
  const locators = [...new Set(changes.map((change) => change.locator))]
  const resources = await readOwnedResources(deps.db, scope.scope_id, locators)
  const known = new Map(resources.map((row) => [row.locator, row.definitions]))
  return pageOf(rows, limit, {
    item: (row) =>
      snapshotView(
        row,
        saved.get(row.snapshot_version),
        changes.filter((change) => change.snapshot_version === row.snapshot_version),
        (change) => getOwn(known.get(change.locator) ?? {}, change.property),
      ),
    valuesOf: (row) => [row.snapshot_version],
    found: rows[0]?.found,
  })
}

function snapshotView(
  row: Awaited<ReturnType<typeof listSnapshots>>[number],
  saved: SavedOperations | undefined,
  changes: readonly SnapshotChangeRow[],
  definitionOf: (change: SnapshotChangeRow) => PropertyDefinition | undefined,
): Snapshot {
  const operations = saved?.operations ?? []
  const removed = row.is_stored ? (saved?.started ?? 0) - operations.length : 1
  return {
    snapshotVersion: row.snapshot_version,
    savedAt: row.saved_at,
    savedBy: { id: row.saved_by_id, name: row.saved_by_name },
    reason: row.reason,
    cause: row.cause,
    operationId: row.operation_id,
    operations,
    ...(removed > 0 && { operationsRemoved: removed }),
    changes: changes.map((change) => ({
      // sensitive if it was so then or is now: a value saved before the mark is hidden too
      ...changeView(change, {
        kind: 'DATA',
        isSensitive: change.is_sensitive || definitionOf(change)?.isSensitive === true,
      }),
      ...(change.manager !== null && { managedBy: change.manager }),
    })),
  }
}

type PeopleEndpoint =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history/people'

/** Everyone who has saved a snapshot of a scope: the people by whom its history can be filtered. */
export async function readHistoryPeople(
  { deps }: ReadContext,
  input: Input<PeopleEndpoint>,
): Promise<Answer<PeopleEndpoint>> {
  const scope = await findScope(deps.db, input.params)
  if (scope === undefined) throw notFound('scope')
  return { items: await listSavers(deps.db, scope.scope_id) }
}
