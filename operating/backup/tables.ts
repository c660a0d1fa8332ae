import type pg from 'pg'
import type { TableHead } from './format.ts'

/**
 * The tables of runtime and console with the columns that can be written, except the tables of migrations. Partitioned
 * tables are read through their root.
 */
export async function listTables(client: Pick<pg.ClientBase, 'query'>): Promise<TableHead[]> {
  const { rows } = await client.query<TableHead>(`
    select format('%I.%I', schema.nspname, class.relname) as "table",
      json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum) as columns
    from pg_class as class
    join pg_namespace as schema on schema.oid = class.relnamespace
    join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where schema.nspname in ('runtime', 'bff') and class.relkind in ('r', 'p') and not class.relispartition
      and class.relname <> 'migration'
    group by 1 order by 1`)
  return rows
}
