import type { Snapshot } from '#contract/runtime-api/configuration.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { notFound } from '../actor.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { own } from '../own.ts'
import { Refusal } from '../refusal.ts'
import { findScope } from '../store/configuration/find-scope.ts'
import { listSnapshots } from '../store/configuration/list-snapshots.ts'
import type { SnapshotRow } from '../store/configuration/list-snapshots.ts'
import { readOwnedResources } from '../store/configuration/read-owned-resources.ts'
import { readSnapshotChanges } from '../store/configuration/read-snapshot-changes.ts'
import type { SnapshotChangeRow } from '../store/configuration/read-snapshot-changes.ts'
import { decodeCursor, encodeCursor } from '../store/cursor.ts'
import { changeView } from './change-view.ts'

type Name = 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history'

/** Snapshots of a scope, newest first; with a filter, those that changed such a property, and only that change. */
export async function readHistory({ world }: ReadContext, input: Input<Name>): Promise<Answer<Name>> {
  const { locator, property, limit, cursor } = input.query
  const before = cursor === undefined ? undefined : readCursor(cursor)
  const scope = await findScope(world.db, input.params)
  if (scope === undefined) throw notFound('scope')

  const rows = await listSnapshots(world.db, scope.scope_id, { locator, property, before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const versions = page.map((row) => row.snapshot_version)
  const changes = await readSnapshotChanges(world.db, scope.scope_id, versions, { locator, property })
  const locators = [...new Set(changes.map((change) => change.locator))]
  const known = new Map(
    (await readOwnedResources(world.db, scope.scope_id, locators)).map((row) => [
      row.locator,
      row.definitions,
    ]),
  )
  const last = page.at(-1)
  return {
    items: page.map((row) =>
      snapshotView(
        row,
        changes.filter((change) => change.snapshot_version === row.snapshot_version),
        (change) => own(known.get(change.locator) ?? {}, change.property),
      ),
    ),
    nextCursor: rows.length > limit && last !== undefined ? encodeCursor([last.snapshot_version]) : null,
  }
}

function readCursor(cursor: string): number {
  const [version] = decodeCursor(cursor, ['number'])
  if (typeof version === 'number' && Number.isSafeInteger(version)) return version
  throw new Refusal('REQUEST_INVALID', 'The cursor is not one of this list. Begin again without it.')
}

function snapshotView(
  row: SnapshotRow,
  changes: readonly SnapshotChangeRow[],
  definitionOf: (change: SnapshotChangeRow) => PropertyDefinition | undefined,
): Snapshot {
  return {
    snapshotVersion: row.snapshot_version,
    savedAt: row.saved_at,
    savedBy: { id: row.saved_by_id, name: row.saved_by_name },
    reason: row.reason,
    cause: row.cause,
    operationId: row.operation_id,
    changes: changes.map((change) =>
      // sensitive where it was so then, or is so now: a value is not shown for having been saved before that
      changeView(change, {
        kind: 'DATA',
        isSensitive: change.is_sensitive || definitionOf(change)?.isSensitive === true,
      }),
    ),
  }
}
