import { sql } from 'kysely'
import type { AppliedMigration, MigrationSource } from '#database/migrate.ts'
import type { Db } from '../model/db.ts'

/** The schema of the runtime and the folder of its migrations. */
export const RUNTIME_MIGRATIONS: MigrationSource = {
  schema: 'runtime',
  folder: new URL('./migrations/', import.meta.url),
}

/** Returns the migrations that were applied to this database, in order. */
export async function listAppliedMigrations(db: Db): Promise<AppliedMigration[]> {
  // read as JSON, because the table of a version before 0.1.0 may lack the column `needs`
  const applied = await sql<AppliedMigration>`
    select name, sha256, to_jsonb(migration) ->> 'needs' as needs from runtime.migration order by name`.execute(
    db,
  )
  return applied.rows
}
