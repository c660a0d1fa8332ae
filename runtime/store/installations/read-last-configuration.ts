import { sql } from 'kysely'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Db } from '../../world.ts'

export interface LastValue {
  locator: string
  property: string
  value: TypedValue
  is_sensitive: boolean
}

/** The configuration of a DETACHED installation as its DETACH removed it. */
export async function readLastConfiguration(db: Db, bundleInstallId: string): Promise<LastValue[]> {
  const { rows } = await sql<LastValue>`
    select change.locator, change.property, change.before as value, change.is_sensitive
    from runtime.operation
    join runtime.snapshot using (scope_id, operation_id)
    join runtime.snapshot_change as change using (scope_id, snapshot_version)
    where operation.bundle_install_id = ${bundleInstallId}
      and operation.operation_type = 'DETACH'
      and operation.state = 'SUCCEEDED'
      and change.before is not null`.execute(db)
  return rows
}
