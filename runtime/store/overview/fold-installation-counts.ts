import { sql } from 'kysely'
import type { Db } from '../../model/db.ts'

/** Merges the rows that changes have appended into one row of each kind. */
export async function foldInstallationCounts(db: Db): Promise<void> {
  await sql`
    with taken as (
      delete from runtime.installation_count returning environment_key, state, count
    )
    insert into runtime.installation_count (environment_key, state, count)
    select environment_key, state, sum(count) from taken group by 1, 2 having sum(count) <> 0`.execute(db)
}

/** The same for the counts of installed versions. */
export async function foldVersionCounts(db: Db): Promise<void> {
  await sql`
    with taken as (
      delete from runtime.version_count
      returning environment_key, bundle_environment_key, bundle_id, version, state, count
    )
    insert into runtime.version_count
    select environment_key, bundle_environment_key, bundle_id, version, state, sum(count)
    from taken group by 1, 2, 3, 4, 5 having sum(count) <> 0`.execute(db)
}
