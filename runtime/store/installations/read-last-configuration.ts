import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { snapshotPlace } from '../../sealing/places.ts'
import { openingWith } from '../../sealing/stored-value.ts'
import { opening } from '../../sealing/opening.ts'
import type { StoredValue } from '../../model/stored-value.ts'
import type { Vault } from '../../model/vault.ts'
import type { Db } from '../../model/db.ts'

export interface LastValue {
  locator: string
  property: string
  value: TypedValue
  is_sensitive: boolean
}

type StoredLastValue = Omit<LastValue, 'value'> & {
  scope_id: number
  snapshot_version: number
  value: StoredValue
}

/** Returns the configuration of a DETACHED installation at the time of its DETACH. */
export async function readLastConfiguration(
  db: Db,
  vault: Vault,
  bundleInstallId: string,
): Promise<LastValue[]> {
  const { rows } = await sql<StoredLastValue>`
    select change.scope_id, change.snapshot_version, change.locator, change.property, change.before as value, change.is_sensitive
    from runtime.operation
    join runtime.snapshot using (scope_id, operation_id)
    join runtime.snapshot_change as change using (scope_id, snapshot_version)
    where operation.bundle_install_id = ${bundleInstallId}
      and operation.operation_type = 'DETACH'
      and operation.state = 'SUCCEEDED'
      and change.before is not null`.execute(db)
  const open = openingWith(vault)
  return opening(vault, db, () =>
    rows.map(({ scope_id: scopeId, snapshot_version: snapshotVersion, value, ...row }) => {
      const key = { scopeId, snapshotVersion, locator: row.locator, property: row.property }
      return { ...row, value: open(value, snapshotPlace(key, 'before')) }
    }),
  )
}
