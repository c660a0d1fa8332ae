import { sql } from 'kysely'
import { containing } from '../like.ts'
import type { Db } from '../../model/db.ts'

/** Returns the ids of bundles that are or were installed and whose id contains the text, ignoring case. */
export async function findBundles(db: Db, text: string): Promise<string[]> {
  // a loose index scan: steps from bundle to bundle, however often each one is installed
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

/** Like `findBundles`, plus the bundles that have a version whose title contains the text. */
export async function findTitledBundles(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{ bundle_id: string }>`
    select distinct bundle_id from runtime.bundle_version where title ilike ${containing(text)}`.execute(db)
  return [...new Set([...(await findBundles(db, text)), ...rows.map(({ bundle_id }) => bundle_id)])]
}
