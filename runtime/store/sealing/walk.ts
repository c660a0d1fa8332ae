import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'

/** A table to read in the order of its primary key. */
export interface WalkedTable {
  name: string
  /** The columns of the primary key with their types. */
  key: readonly (readonly [column: string, type: 'bigint' | 'text' | 'uuid'])[]
  /** The columns to read besides the key. */
  columns: RawBuilder<unknown>
}

export type WalkedRow<Columns> = Columns & { row_key: string[] }

/** Returns at most `limit` rows after a key. */
export async function readPage<Columns>(
  db: Db,
  { name, key, columns }: WalkedTable,
  after: readonly string[] | null,
  limit: number,
): Promise<WalkedRow<Columns>[]> {
  const keyColumns = sql.join(key.map(([column]) => sql.ref(`walked.${column}`)))
  const { rows } = await sql<WalkedRow<Columns>>`
    select array[${sql.join(key.map(([column]) => sql`${sql.ref(`walked.${column}`)}::text`))}] as row_key, ${columns}
    from ${sql.table(`runtime.${name}`)} as walked
    where ${after === null ? sql`true` : sql`(${keyColumns}) > (${keyValues(key, after)})`}
    order by ${keyColumns}
    limit ${limit}`.execute(db)
  return rows
}

/** A column whose content changes. JSON is compared and written as text. */
export interface ColumnChange {
  column: string
  type: 'json' | 'jsonb' | 'bytea'
  from: string | Buffer
  to: string | Buffer
}

/**
 * Changes a column of one row if it still has the value that was read; a writer in between has sealed its value with
 * the current key. A separate statement, so that others wait for this row only.
 */
export async function changeRow(
  db: Db,
  { name, key }: WalkedTable,
  rowKey: readonly string[],
  { column, type, from, to }: ColumnChange,
): Promise<void> {
  const current = type === 'bytea' ? sql.ref(column) : sql`${sql.ref(column)}::text`
  await sql`
      update ${sql.table(`runtime.${name}`)}
      set ${sql.ref(column)} = ${to}::${sql.raw(type)}
      where (${sql.join(key.map(([part]) => sql.ref(part)))}) = (${keyValues(key, rowKey)})
        and ${current} = ${from}::${sql.raw(type === 'bytea' ? 'bytea' : 'text')}`.execute(db)
}

const keyValues = (key: WalkedTable['key'], values: readonly string[]): RawBuilder<unknown> =>
  sql.join(key.map(([, type], index) => sql`${values[index]}::${sql.raw(type)}`))
