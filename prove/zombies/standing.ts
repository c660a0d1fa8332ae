import { readJson } from '../invariants/reader.ts'
import type { Reader } from '../invariants/reader.ts'

/** Everything that a worker may change, table by table, each row as one text. */
export type Standing = Record<string, string[]>

const TABLES = [
  'operation',
  'plugin_call',
  'installation',
  'installed_resource',
  'configuration_property',
  'scope',
  'snapshot',
  'snapshot_change',
  'audit_entry',
  'event',
] as const

/** Attempts that have ended; what is open may still be ended as late. */
const ATTEMPTS = `select coalesce(json_agg(a::text order by a::text), '[]') from runtime.attempt a where finished_at is not null and not late`

export async function readStanding(reader: Reader): Promise<Standing> {
  const parts = TABLES.map(
    (table) =>
      `'${table}', (select coalesce(json_agg(t::text order by t::text), '[]') from runtime.${table} t)`,
  )
  const text = `select json_build_object(${parts.join(', ')}, 'attempt', (${ATTEMPTS}))::text as json`
  // the statement builds just this shape
  return (await readJson(reader, text, [])) as Standing
}

/** The tables that do not stand as they stood. */
export function changedTables(before: Standing, after: Standing): string[] {
  return Object.keys(before).filter((table) => before[table]?.join('\n') !== after[table]?.join('\n'))
}
