import { sql } from 'kysely'
import type { Selectable, RawBuilder } from 'kysely'
import type { Db } from '../model/db.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { untilFull } from './full-page.ts'
import type { OfFullPage } from './full-page.ts'

/** A pass through a table, and whether it began so late that no replica used an earlier data key anymore. */
export type PassRow = Selectable<RuntimeTables['runtime.sealing_pass']> & { began_after_grace: boolean }

/** Returns the state of the last pass through each table, by table. */
export async function findPasses(
  db: Db,
  { keyMadeAt, graceMs }: { keyMadeAt: string; graceMs: number },
): Promise<Map<string, PassRow>> {
  const beganAfterGrace = sql<boolean>`started_at >= ${keyMadeAt}::timestamptz + ${graceMs} * interval '1 millisecond'`
  const rows = await db
    .selectFrom('runtime.sealing_pass')
    .selectAll()
    .select(beganAfterGrace.as('began_after_grace'))
    .execute()
  return new Map(rows.map((row) => [row.table_name, row]))
}

/**
 * Starts a pass through a table with a data key: the first one with that key, or a later one once no replica uses an
 * earlier key. Does nothing if a pass is running or none is due.
 */
export async function startPass(
  db: Db,
  pass: { table: string; dataKeyId: number; keyMadeAt: string; graceMs: number },
): Promise<void> {
  const peace = sql`${pass.keyMadeAt}::timestamptz + ${pass.graceMs} * interval '1 millisecond'`
  await sql`
    insert into runtime.sealing_pass as pass (table_name, data_key_id)
    values (${pass.table}, ${pass.dataKeyId})
    on conflict (table_name) do update
    set data_key_id = excluded.data_key_id, started_at = clock_timestamp(), last_row = null, unopened = 0,
      finished_at = null
    where pass.data_key_id < excluded.data_key_id
      or (pass.finished_at is not null and pass.started_at < ${peace} and clock_timestamp() >= ${peace})`.execute(
    db,
  )
}

/**
 * Records the progress of a pass; `to` null ends it. Returns false, and records nothing, if another replica has
 * advanced the pass in the meantime.
 */
export async function advancePass(
  db: Db,
  pass: { table: string; dataKeyId: number; from: readonly string[] | null },
  { to, unopened }: { to: readonly string[] | null; unopened: number },
): Promise<boolean> {
  const from = pass.from === null ? null : JSON.stringify(pass.from)
  const advanced = await sql`
    update runtime.sealing_pass
    set last_row = ${to === null ? null : JSON.stringify(to)}::json, unopened = unopened + ${unopened},
      finished_at = case when ${to === null} then clock_timestamp() end
    where table_name = ${pass.table} and data_key_id = ${pass.dataKeyId} and finished_at is null
      and last_row::text is not distinct from ${from}::text`.execute(db)
  return advanced.numAffectedRows === 1n
}

/** A table to read in the order of its primary key. */
export interface WalkedTable {
  name: string
  /** The columns of the primary key with their types. */
  key: readonly (readonly [column: string, type: 'bigint' | 'text' | 'uuid'])[]
  /** The columns to read besides the key. */
  columns: RawBuilder<unknown>
  /** Those of the table that may be large: a page is full of them. */
  large: readonly string[]
  /** What the columns need of other tables: a subquery, named `other`, that may read the page as `walked`. */
  other?: RawBuilder<unknown>
}

/**
 * The ledger supplies missing definitions: it is the authority for current sensitivity. The definitions of a resource, up to a
 * megabyte, are read once for all of its properties in the page.
 */
const sensitiveNow = sql`
  select ledger.scope_id, ledger.locator, definition.key as property
  from (select distinct scope_id, locator from walked) as resource
  join runtime.installed_resource as ledger using (scope_id, locator)
  cross join lateral json_each(ledger.definitions) as definition
  where (definition.value ->> 'isSensitive')::boolean`
const isSensitiveNow = sql<boolean>`((scope_id, locator, property) in (select scope_id, locator, property from other))`

/** Every table that may hold a sensitive value. */
export const WALKED_TABLES = {
  configuration: {
    name: 'configuration_property',
    key: [
      ['scope_id', 'bigint'],
      ['locator', 'text'],
      ['property', 'text'],
    ],
    columns: sql`value::text, ${isSensitiveNow} as is_sensitive`,
    large: ['value'],
    other: sensitiveNow,
  },
  history: {
    name: 'snapshot_change',
    key: [
      ['scope_id', 'bigint'],
      ['snapshot_version', 'bigint'],
      ['locator', 'text'],
      ['property', 'text'],
    ],
    columns: sql`before::text, after::text, is_sensitive or ${isSensitiveNow} as is_sensitive`,
    large: ['before', 'after'],
    other: sensitiveNow,
  },
  ledger: {
    name: 'installed_resource',
    key: [
      ['bundle_install_id', 'uuid'],
      ['locator', 'text'],
    ],
    columns: sql`properties::text, definitions`,
    large: ['properties', 'definitions'],
  },
  plans: {
    name: 'operation_plan',
    key: [['operation_id', 'uuid']],
    columns: sql`plan::text`,
    large: ['plan'],
  },
  calls: {
    name: 'plugin_call',
    key: [
      ['operation_id', 'uuid'],
      ['stage', 'text'],
      ['plugin_id', 'text'],
    ],
    columns: sql`writes::text, request, stage as call_stage`,
    large: ['writes', 'request'],
  },
  batches: { name: 'batch', key: [['batch_id', 'uuid']], columns: sql`input`, large: ['input'] },
  changeRequests: {
    name: 'change_request',
    key: [['change_request_id', 'uuid']],
    columns: sql`content`,
    large: ['content'],
  },
  webhooks: {
    name: 'webhook',
    key: [['webhook_id', 'uuid']],
    columns: sql`secret, address`,
    large: ['address'],
  },
} satisfies Record<string, WalkedTable>

export type WalkedRow<Columns> = Columns & OfFullPage & { row_key: string[] }

/** Returns the rows after a key until the page is full of values, at most `limit`: a page must fit into the memory. */
export async function readPage<Columns>(
  db: Db,
  { name, key, columns, large, other = sql`select` }: WalkedTable,
  after: readonly string[] | null,
  limit: number,
): Promise<WalkedRow<Columns>[]> {
  const keyColumns = sql.join(key.map(([column]) => sql.ref(`walked.${column}`)))
  const page = untilFull(
    sql`
      select * from ${sql.table(`runtime.${name}`)} as walked
      where ${after === null ? sql`true` : sql`(${keyColumns}) > (${keyValues(key, after)})`}
      order by ${keyColumns}
      limit ${limit}`,
    {
      order: sql.join(key.map(([column]) => sql.ref(`entry.${column}`))),
      values: large.map((column) => sql.ref(`entry.${column}`)),
    },
  )
  const { rows } = await sql<WalkedRow<Columns>>`
    with walked as (${page}), other as materialized (${other})
    select found, array[${sql.join(key.map(([column]) => sql`${sql.ref(`walked.${column}`)}::text`))}] as row_key, ${columns}
    from walked
    order by ${keyColumns}`.execute(db)
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
