import pg from 'pg'
import { bffMigrations } from '#bff/store/tables.ts'
import { migrate, readMigrations } from '#database/migrate.ts'
import type { MigrationSource } from '#database/migrate.ts'
import { quoteName } from '#database/names.ts'
import { openDatabase } from '#database/pool.ts'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { authenticatedText } from './format.ts'
import type { Header, TableHead, Trailer } from './format.ts'
import { readBackup } from './read-backup.ts'
import { createMarkedSchemas } from './restore-marker.ts'
import { listTables } from './tables.ts'

const SOURCES = { runtime: RUNTIME_MIGRATIONS, bff: bffMigrations }

export const SCHEMAS: readonly string[] = Object.keys(SOURCES)

/**
 * Restores a backup into a database without the schemas of this program, and then migrates it to this version. No
 * program starts on the schemas until the caller removes the mark of {@link createMarkedSchemas}. If it fails, the schemas are
 * dropped.
 *
 * @param checked what the caller has read of the file and authenticated. If the file is another one by now, nothing is restored.
 * @returns the header of the backup and the number of rows.
 */
export async function restoreDatabase(
  connection: ConnectionSettings,
  file: string,
  checked: Trailer,
): Promise<{ header: Header; rows: number }> {
  const client = new pg.Client({ ...clientConfig(connection), application_name: 'bundle-console-restore' })
  await client.connect()
  try {
    await refuseUsedDatabase(client)
    await client.query(`set statement_timeout = 0; set idle_in_transaction_session_timeout = 0;
      set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'`)
    await createMarkedSchemas(client, SCHEMAS)
    try {
      return await load(client, connection, { file, checked })
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      await client.query('drop schema if exists runtime cascade; drop schema if exists bff cascade')
      throw error
    }
  } finally {
    await client.end()
  }
}

async function refuseUsedDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname in ('runtime', 'bff') order by 1`,
  )
  if (rows.length > 0)
    throw new Error(
      `The database already has the schema "${rows[0]?.name}". Nothing is overwritten: restore into an empty database.`,
    )
}

async function load(
  client: pg.Client,
  connection: ConnectionSettings,
  { file, checked }: { file: string; checked: Trailer },
) {
  let header: Header | null = null
  let trailer: Trailer | null = null
  let tables: TableHead[] = []
  let current: TableHead | null = null
  let finish = async (): Promise<void> => undefined
  for await (const part of readBackup(file)) {
    switch (part.kind) {
      case 'header':
        ;({ header } = part)
        await migrateTo(connection, header)
        await client.query('begin')
        finish = await releaseTables(client)
        tables = await listTables(client)
        break
      case 'table':
        current = matchTable(tables, part.head)
        break
      case 'rows':
        if (current !== null) await insertRows(client, current, part.rows)
        break
      case 'trailer':
        ;({ trailer } = part)
    }
  }
  if (header === null || trailer === null) throw new Error('The backup is empty. Use another one.')
  // who serves the file may give another one to each reader
  if (authenticatedText(trailer) !== authenticatedText(checked))
    throw new Error('The backup was changed while it was restored. Use another one.')
  for (const { name, value } of trailer.sequences)
    await client.query('select setval($1::regclass, $2)', [name, value])
  await finish()
  // a replica that has been running all the time neither calls nor creates anything before the numbers are raised
  if (tables.some(({ table }) => table === 'runtime.server_identity'))
    await client.query(`update runtime.server_identity set identity = 'restoring'`)
  await client.query('commit')
  const { pool, close } = openDatabase(connection, { max: 1, applicationName: 'bundle-console-restore' })
  try {
    for (const source of Object.values(SOURCES)) await migrate(pool, source, { isRestoring: true })
    await pool.query('analyze')
  } finally {
    await close()
  }
  return { header, rows: trailer.rows }
}

/** Creates the schemas as they were in the backup; the later migrations then run on its data, as in an upgrade. */
async function migrateTo(connection: ConnectionSettings, header: Header): Promise<void> {
  const { pool, close } = openDatabase(connection, { max: 1, applicationName: 'bundle-console-restore' })
  try {
    for (const [schema, source] of Object.entries(SOURCES) as [keyof typeof SOURCES, MigrationSource][]) {
      const applied = header.migrations[schema]
      const known = await readMigrations(source.folder)
      if (applied.some(({ name }) => name === REPLACED[schema].second)) {
        refuseOlderThanReplaced(schema, applied.at(-1)?.name)
        await migrate(pool, source, { until: '0001_initial', isRestoring: true })
        continue
      }
      const foreign = applied.find(
        ({ name, sha256 }) => !known.some((file) => file.name === name && file.sha256 === sha256),
      )
      if (foreign !== undefined)
        throw new Error(
          `The backup was made by version ${header.version}, whose migration ${foreign.name} this version does not have. ` +
            'Restore it with that version or a newer one.',
        )
      await migrate(pool, source, { until: applied.at(-1)?.name ?? '', isRestoring: true })
    }
  } finally {
    await close()
  }
}

/**
 * What the first release replaced: the second and the last migration of each schema. `0001_initial` creates the same tables
 * as all of them but for {@link GONE}, so a backup with all of them is restored into those.
 */
const REPLACED = {
  runtime: { second: '0002_installations_by_place', last: '0032_recalled_versions' },
  bff: { second: '0002_saved_view_request', last: '0005_looked_at' },
}

/** The columns that `0001_initial` no longer creates; nothing reads them. */
const GONE: ReadonlySet<string> = new Set(['runtime.operation.failure_group'])

function refuseOlderThanReplaced(schema: keyof typeof REPLACED, last: string | undefined): void {
  if (last === REPLACED[schema].last) return
  throw new Error(
    `The backup is of an early version: its schema "${schema}" ends with ${last}, and this version restores only one that ` +
      `ends with ${REPLACED[schema].last}. Start the last version before 0.1.0 once on its data, and back up with that version ` +
      '(docs/operating/upgrade.md#from-a-version-before-010).',
  )
}

/** Empties the tables, and suspends triggers, foreign keys and missing rights; the result restores all of them. */
async function releaseTables(client: pg.Client): Promise<() => Promise<void>> {
  const keys = await client.query<{ table: string; name: string; definition: string }>(`
    select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conparentid = 0
      and connamespace in ('runtime'::regnamespace, 'bff'::regnamespace) order by oid`)
  const triggers = await client.query<{ table: string; name: string; enabled: string }>(`
    select tgrelid::regclass::text as "table", tgname as name, tgenabled as enabled
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace in ('runtime'::regnamespace, 'bff'::regnamespace) order by pg_trigger.oid`)
  // the migrations take rights of the audit log away from the role that owns the tables
  const rights = await client.query<{ table: string; missing: string }>(`
    select class.oid::regclass::text as "table", string_agg(name, ', ') as missing
    from pg_class as class cross join unnest(array['insert', 'update', 'delete', 'truncate']) as name
    where relnamespace in ('runtime'::regnamespace, 'bff'::regnamespace) and relkind in ('r', 'p')
      and not has_table_privilege(class.oid, name)
    group by 1 order by 1`)
  for (const { table, missing } of rights.rows)
    await client.query(`grant ${missing} on ${table} to current_user`)
  for (const { table, name } of keys.rows)
    await client.query(`alter table ${table} drop constraint ${quoteName(name)}`)
  for (const { table, name } of triggers.rows)
    await client.query(`alter table ${table} disable trigger ${quoteName(name)}`)
  const tables = await listTables(client)
  if (tables.length > 0) await client.query(`truncate ${tables.map(({ table }) => table).join(', ')}`)
  return async () => {
    for (const { table, missing } of rights.rows)
      await client.query(`revoke ${missing} on ${table} from current_user`)
    for (const { table, name, definition } of keys.rows)
      await client.query(`alter table ${table} add constraint ${quoteName(name)} ${definition}`)
    for (const { table, name, enabled } of triggers.rows)
      await client.query(`alter table ${table} ${ENABLE[enabled] ?? 'enable'} trigger ${quoteName(name)}`)
  }
}

const ENABLE: Record<string, string> = { A: 'enable always', R: 'enable replica', D: 'disable' }

/** The table of the same name and columns. The columns are named by the backup, so that their order may differ. */
function matchTable(tables: readonly TableHead[], head: TableHead): TableHead {
  const table = tables.find(({ table: name }) => name === head.table)
  const isSame = (name: string, type: string): boolean =>
    GONE.has(`${head.table}.${name}`) ||
    (table?.columns.some((column) => column.name === name && column.type === type) ?? false)
  if (table === undefined || !head.columns.every(({ name, type }) => isSame(name, type)))
    throw new Error(
      `The backup has a table ${head.table} that its migrations do not create. It is not restored.`,
    )
  return head
}

/**
 * Transaction ids of another server mean nothing here, and no reader has a position in these events. Nobody is signed in after a
 * restore: a session may have been ended since.
 */
const NOT_RESTORED: ReadonlySet<string> = new Set([
  'runtime.event',
  'bff.session',
  'bff.sign_in',
  'bff.idp_record',
])

async function insertRows(
  client: pg.Client,
  { table, columns }: TableHead,
  rows: (string | null)[][],
): Promise<void> {
  if (NOT_RESTORED.has(table)) return
  const kept = columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ name }) => !GONE.has(`${table}.${name}`))
  const names = kept.map(({ name }) => quoteName(name)).join(', ')
  const values = kept.map(({ type, index }) => `(row_value ->> ${index})::${type}`).join(', ')
  await client.query(
    `insert into ${table} (${names}) overriding system value
    select ${values} from json_array_elements($1::json) with ordinality as given (row_value, place) order by place`,
    [JSON.stringify(rows)],
  )
}
