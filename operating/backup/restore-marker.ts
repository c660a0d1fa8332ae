import type pg from 'pg'
import { createTable, RESTORING } from '#database/migrate.ts'
import { quoteName } from '#database/names.ts'

type Client = Pick<pg.ClientBase, 'query'>

/**
 * Creates schemas with the mark of a restore in progress, all or none. While they have it, no program starts on the
 * database. Throws if a schema exists.
 */
export async function createMarkedSchemas(client: Client, schemas: readonly string[]): Promise<void> {
  await client.query('begin')
  for (const schema of schemas) {
    await client.query(`create schema ${quoteName(schema)}`)
    await createTable(client, schema)
    await client.query(`insert into ${quoteName(schema)}.migration (name, sha256) values ($1, '')`, [
      RESTORING,
    ])
  }
  await client.query('commit')
}

/** Removes the mark, from all schemas or none: the restore is complete. */
export async function removeRestoreMarker(client: Client, schemas: readonly string[]): Promise<void> {
  const deletes = schemas.map(
    (schema, index) => `mark_${index} as (delete from ${quoteName(schema)}.migration where name = $1)`,
  )
  await client.query(`with ${deletes.join(', ')} select`, [RESTORING])
}
