import type { Violation } from '../suite.ts'
import { broken } from './facts.ts'
import { readJson } from './reader.ts'
import type { Reader } from './reader.ts'

/**
 * I15: a text that occurs only in sensitive values is nowhere in the database in plain text, because those are
 * encrypted. Reads every table of the runtime, so it is called once per database rather than for each history.
 */
export async function checkCanary(reader: Reader, canary: string): Promise<Violation[]> {
  const text = `select coalesce(json_agg(tablename order by tablename), '[]')::text as json
    from pg_catalog.pg_tables where schemaname = 'runtime'`
  // the statement builds an array of names
  const tables = (await readJson(reader, text, [])) as string[]
  const found: Violation[] = []
  for (const table of tables) {
    // bytes are printed in hex
    const rows = await readJson(
      reader,
      `select count(*)::text as json from runtime."${table}" t
        where position($1 in t::text) > 0 or position(encode(convert_to($1, 'UTF8'), 'hex') in t::text) > 0`,
      [canary],
    )
    if (rows !== 0) found.push(broken('I15', `${String(rows)} rows of ${table} contain a sensitive value`))
  }
  return found
}

/** I15 outside of the database: logs, responses, events. */
export function checkTexts(canary: string, where: string, texts: Iterable<string>): Violation[] {
  for (const text of texts)
    if (text.includes(canary)) return [broken('I15', `a sensitive value is in ${where}`)]
  return []
}
