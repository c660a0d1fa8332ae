import type { Violation } from '../suite.ts'
import { broken } from './group.ts'
import { readJson } from './reader.ts'
import type { Reader } from './reader.ts'

/**
 * I15: a text that stands in sensitive values only is nowhere in the database in clear, for those are sealed. Looks through
 * every table of the runtime, so once for a database rather than for each history.
 */
export async function checkCanary(reader: Reader, canary: string): Promise<Violation[]> {
  const text = `select coalesce(json_agg(tablename order by tablename), '[]')::text as json
    from pg_catalog.pg_tables where schemaname = 'runtime'`
  // the statement makes an array of names
  const tables = (await readJson(reader, text, [])) as string[]
  const found: Violation[] = []
  for (const table of tables) {
    // bytes are looked through as well: they are shown in hex
    const rows = await readJson(
      reader,
      `select count(*)::text as json from runtime."${table}" t
        where position($1 in t::text) > 0 or position(encode(convert_to($1, 'UTF8'), 'hex') in t::text) > 0`,
      [canary],
    )
    if (rows !== 0) found.push(broken('I15', `${String(rows)} rows of ${table} hold a sensitive value`))
  }
  return found
}

/** I15 outside the database: logs, answers, events. */
export function checkTexts(canary: string, where: string, texts: Iterable<string>): Violation[] {
  for (const text of texts)
    if (text.includes(canary)) return [broken('I15', `a sensitive value stands in ${where}`)]
  return []
}
