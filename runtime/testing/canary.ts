import { sql } from 'kysely'
import { Scrubber } from '#http-kit/text/scrub.ts'
import type { Db } from '../model/db.ts'

/**
 * Returns every place in the database that contains one of the texts, as `table.column: text`: plain or encoded as
 * base64, hex, URL or JSON, in text or bytes. Searches every column of every table of the program.
 */
export async function findCanaries(db: Db, texts: readonly string[]): Promise<string[]> {
  const seekers = texts.map((text) => {
    const scrubber = new Scrubber()
    scrubber.add(text)
    return { text, isIn: (where: string) => scrubber.contains(where) }
  })
  const tables = await sql<{ schema: string; name: string }>`
    select schemaname as schema, tablename as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db)
  const found = new Set<string>()
  for (const { schema, name } of tables.rows) {
    const rows = await sql<Record<string, unknown>>`select * from ${sql.table(`${schema}.${name}`)}`.execute(
      db,
    )
    for (const row of rows.rows) {
      for (const [column, value] of Object.entries(row)) {
        const shown = textsOf(value)
        for (const { text, isIn } of seekers) if (shown.some(isIn)) found.add(`${name}.${column}: ${text}`)
      }
    }
  }
  return [...found].toSorted()
}

function textsOf(value: unknown): string[] {
  if (Buffer.isBuffer(value)) return [value.toString('latin1'), value.toString('hex')]
  return [typeof value === 'string' ? value : JSON.stringify(value)]
}
