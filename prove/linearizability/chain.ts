import { sql } from 'kysely'
import { reasonOf } from './clients.ts'
import type { Entry } from './history.ts'
import type { Replicas } from './replicas.ts'

/**
 * I7, read from the tables: the saves of a scope are one chain of versions, each with exactly one frozen CONFIGURE for
 * each owner of what it changed; and nothing else left a trace. Answers what breaks it.
 */
export async function findBrokenChain(
  replicas: Replicas,
  workspace: number,
  { first, entries }: { first: number; entries: readonly Entry[] },
): Promise<string[]> {
  const snapshotsOf = sql<{ version: number; reason: string; owners: string[] }>`
    select change.snapshot_version as version, snapshot.reason,
      array_agg(distinct resource.bundle_install_id::text order by resource.bundle_install_id::text) as owners
    from runtime.scope
    join runtime.snapshot on snapshot.scope_id = scope.scope_id
    join runtime.snapshot_change as change
      on change.scope_id = scope.scope_id and change.snapshot_version = snapshot.snapshot_version
    join runtime.installed_resource as resource
      on resource.scope_id = change.scope_id and resource.locator = change.locator
    where scope.workspace_id = ${workspace} and snapshot.cause = 'SAVE'
    group by 1, 2 order by 1`
  const operationsOf = sql<{ reason: string; owners: string[] }>`
    select reason, array_agg(bundle_install_id::text order by bundle_install_id::text) as owners
    from runtime.operation join runtime.operation_plan using (operation_id)
    where workspace_id = ${workspace} and operation_type = 'CONFIGURE'
    group by 1`
  const { rows: snapshots } = await replicas.look((db) => snapshotsOf.execute(db))
  const { rows: operations } = await replicas.look((db) => operationsOf.execute(db))

  const breaches: string[] = []
  for (const [index, { version }] of snapshots.entries()) {
    if (version !== first + 1 + index) breaches.push(`snapshot ${version} follows ${first + index}`)
  }
  for (const { version, reason, owners } of snapshots) {
    const made = operations.filter((operation) => operation.reason === reason)
    if (made.length !== 1 || JSON.stringify(made[0]?.owners) !== JSON.stringify(owners))
      breaches.push(`snapshot ${version} of ${owners.length} owners has the operations of ${count(made)}`)
  }
  for (const { reason } of operations) {
    if (snapshots.every((snapshot) => snapshot.reason !== reason))
      breaches.push(`the save ${reason} left operations and no snapshot`)
  }
  for (const { call, result } of entries) {
    if (call.kind !== 'save') continue
    const kept = snapshots.find(({ reason }) => reason === reasonOf(call.sets))
    if (result.kind === 'saved' && kept?.version !== result.version)
      breaches.push(`the save that was answered as version ${result.version} is version ${kept?.version}`)
    if ((result.kind === 'stale' || result.kind === 'claimed') && kept !== undefined)
      breaches.push(`a save that was refused is version ${kept.version}`)
  }
  return breaches
}

const count = (operations: readonly { owners: string[] }[]): number =>
  operations.flatMap(({ owners }) => owners).length
