import { sql } from 'kysely'
import { containing } from '../like.ts'
import type { Db } from '../../model/db.ts'

/** The ids of the bundles that are or were installed and whose id has the text in it, in whatever case. */
export async function findBundles(db: Db, text: string): Promise<string[]> {
  // from one bundle to the next in the index, however often each is installed
  const { rows } = await sql<{ bundle_id: string }>`
    with recursive bundle (bundle_id) as (
      (select bundle_id from runtime.installation order by bundle_id limit 1)
      union all
      select (select installation.bundle_id from runtime.installation
        where installation.bundle_id > bundle.bundle_id order by installation.bundle_id limit 1)
      from bundle where bundle.bundle_id is not null
    )
    select bundle_id from bundle where bundle_id ilike ${containing(text)}`.execute(db)
  return rows.map(({ bundle_id }) => bundle_id)
}

/** The same, and those of which a version has the text in its title. */
export async function findTitledBundles(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{ bundle_id: string }>`
    select distinct bundle_id from runtime.bundle_version where title ilike ${containing(text)}`.execute(db)
  return [...new Set([...(await findBundles(db, text)), ...rows.map(({ bundle_id }) => bundle_id)])]
}
