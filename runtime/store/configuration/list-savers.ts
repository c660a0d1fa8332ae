import { sql } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Db } from '../../model/db.ts'

const PEOPLE_MAX = 1000

/** Those who have saved snapshots of a scope, each with the name of the newest one; at most 1,000. */
export async function listSavers(db: Db, scopeId: number): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select distinct on (saved_by_id) saved_by_id as id, saved_by_name as name
    from runtime.snapshot where scope_id = ${scopeId}
    order by saved_by_id, snapshot_version desc
    limit ${PEOPLE_MAX}`.execute(db)
  return rows
}
