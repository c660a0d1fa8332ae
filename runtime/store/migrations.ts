import { sql } from 'kysely'
import type { MigrationSource } from '#database/migrate.ts'
import type { Db } from '../model/db.ts'

/** The schema of the runtime and the folder of its migrations. */
export const RUNTIME_MIGRATIONS: MigrationSource = {
  schema: 'runtime',
  folder: new URL('./migrations/', import.meta.url),
}

/** Returns the migrations that were applied to this database, in order. */
export async function listAppliedMigrations(db: Db): Promise<{ name: string; sha256: string }[]> {
  const applied = await sql<{ name: string; sha256: string }>`
    select name, sha256 from runtime.migration order by name`.execute(db)
  return applied.rows
}
