import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/**
 * Ends all leases, so that their operations are due at once. Returns the number of leases. Only for a process whose
 * worker is the only one on the database, and before that worker starts. The higher epoch fences off the previous
 * holder.
 */
export async function releaseLeases(db: Db): Promise<number> {
  const released = await sql`
    update runtime.operation
    set lease_owner = null, lease_epoch = lease_epoch + 1, available_at = clock_timestamp()
    where state = 'RUNNING' and lease_owner is not null`.execute(db)
  return Number(released.numAffectedRows ?? 0)
}
