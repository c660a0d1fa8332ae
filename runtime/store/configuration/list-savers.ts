import { sql } from 'kysely'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Db } from '../../model/db.ts'

const PEOPLE_MAX = 1000

/**
 * The people who saved snapshots of a scope, each with the name in their newest snapshot, ordered by id; at most 1,000. The
 * index `snapshot_saver` finds each after the one before, so the time depends on the number of people, not of saves.
 */
export async function listSavers(db: Db, scopeId: number): Promise<Person[]> {
  const { rows } = await sql<Person>`
    with recursive saver as (
      (select saved_by_id as id, saved_by_name as name, 1 as nth
        from runtime.snapshot where scope_id = ${scopeId}
        order by saved_by_id, snapshot_version desc limit 1)
      union all
      select next.id, next.name, saver.nth + 1
      from saver cross join lateral (
        select saved_by_id as id, saved_by_name as name
        from runtime.snapshot where scope_id = ${scopeId} and saved_by_id > saver.id
        order by saved_by_id, snapshot_version desc limit 1) as next
      where saver.nth < ${PEOPLE_MAX}
    )
    select id, name from saver order by nth`.execute(db)
  return rows
}
