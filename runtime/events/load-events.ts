import type { Installation } from '#contract/runtime-api/installations.ts'
import { installationView, operationView } from '../engine/views.ts'
import { loadInstallations } from '../store/installations/installations.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { RuntimeEvent } from '#contract/runtime-api/events.ts'
import { scopeOf } from '../store/configuration/scopes.ts'
import { loadConfigurations, loadOperations } from '../store/events.ts'
import type { EventRow, Position } from '../store/events.ts'
import type { Db } from '../model/db.ts'

/** An event with the current row of its object, ready for everyone who may read its scope. */
export interface LoadedEvent {
  position: Position
  event: RuntimeEvent
}

/** All changes of one object in a batch of events. Only the current row is of use. */
interface Change {
  kind: EventRow['kind']
  objectId: string
  scopeId: number
  position: Position
  /** The newest version, and the oldest. */
  to: number
  from: number
}

/** Returns the events in order, one for each object, with the object's current row. */
export async function loadEvents(
  db: Db,
  rows: readonly EventRow[],
  epoch: Position['epoch'],
): Promise<LoadedEvent[]> {
  const changes = coalesce(rows, epoch)
  const of = (kind: EventRow['kind']) => changes.filter((change) => change.kind === kind)
  const [operations, installations, configurations] = await Promise.all([
    loadById(
      of('operation'),
      async (ids) => (await loadOperations(db, ids)).map(operationView),
      (row) => row.operationId,
    ),
    loadById(
      of('installation'),
      (ids) => loadInstallationRows(db, ids),
      (row) => row.installation.bundleInstallId,
    ),
    loadConfigurations(
      db,
      of('configuration').map(({ scopeId, from, to }) => ({ scopeId, from, to })),
    ),
  ])
  return changes.flatMap(({ kind, objectId, scopeId, position, to: version }): LoadedEvent[] => {
    switch (kind) {
      case 'operation': {
        const row = operations.get(objectId)
        if (row === undefined) return []
        return [{ position, event: { kind, scope: partsOf(row.installation), id: objectId, version, row } }]
      }
      case 'installation': {
        const row = installations.get(objectId)
        if (row === undefined) return []
        return [{ position, event: { kind, scope: partsOf(row.installation), id: objectId, version, row } }]
      }
      case 'configuration': {
        const found = configurations.find((row) => row.scope_id === scopeId)
        if (found === undefined) return []
        const savedBy = { id: found.saved_by_id, name: found.saved_by_name }
        const row = { savedAt: found.saved_at, savedBy, locators: found.locators }
        return [{ position, event: { kind, scope: scopeOf(found), id: objectId, version, row } }]
      }
    }
  })
}

function coalesce(rows: readonly EventRow[], epoch: Position['epoch']): Change[] {
  const changes = new Map<string, Change>()
  for (const row of rows) {
    const key = `${row.kind} ${row.object_id}`
    const before = changes.get(key)
    const version = row.version ?? row.event_id
    // deletes and sets again to move the change to its last event: otherwise a resumed reader could miss it
    changes.delete(key)
    changes.set(key, {
      kind: row.kind,
      objectId: row.object_id,
      scopeId: row.scope_id,
      position: { epoch, xid: row.event_xid, eventId: row.event_id },
      to: Math.max(version, before?.to ?? 0),
      from: Math.min(version, before?.from ?? version),
    })
  }
  return [...changes.values()]
}

async function loadById<Row>(
  changes: readonly Change[],
  load: (ids: string[]) => Promise<Row[]>,
  idOf: (row: Row) => string,
): Promise<Map<string, Row>> {
  if (changes.length === 0) return new Map()
  const rows = await load(changes.map(({ objectId }) => objectId))
  return new Map(rows.map((row) => [idOf(row), row]))
}

function partsOf({ environmentKey, applicationRuntimeId, workspaceId }: Scope): Scope {
  return { environmentKey, applicationRuntimeId, workspaceId }
}

/** Returns the list rows of the given installations, unordered. */
export async function loadInstallationRows(
  db: Db,
  bundleInstallIds: readonly string[],
): Promise<Installation[]> {
  return (await loadInstallations(db, bundleInstallIds)).map(installationView)
}
