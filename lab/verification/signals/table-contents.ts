import { readJson } from '../invariants/reader.ts'
import type { Reader } from '../invariants/reader.ts'

/** Everything that a worker may change: each row as a text, by table. */
export type TableContents = Record<string, string[]>

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

export async function readContents(reader: Reader): Promise<TableContents> {
  const rowsOf = (table: string, where = ''): string =>
    `'${table}', (select coalesce(json_agg(t::text order by t::text), '[]') from runtime.${table} t ${where})`
  // attempts that have ended; an open one may still be recorded as late
  const attempts = rowsOf('attempt', 'where finished_at is not null and not late')
  const parts = [...TABLES.map((table) => rowsOf(table)), attempts]
  // the statement builds exactly this shape
  return (await readJson(
    reader,
    `select json_build_object(${parts.join(', ')})::text as json`,
    [],
  )) as TableContents
}

export function changedTables(before: TableContents, after: TableContents): string[] {
  return Object.keys(before).filter((table) => before[table]?.join('\n') !== after[table]?.join('\n'))
}
