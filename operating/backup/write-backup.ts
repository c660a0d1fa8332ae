import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { refuseRestoring } from '#database/migrate.ts'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { explainFailedWrite, SettingsError } from '#http-kit/settings.ts'
import { codesOf } from '#runtime/keys/authentication.ts'
import type { SealingKey } from '#runtime/keys/sealing-key.ts'
import { authenticatedText, FORMAT } from './format.ts'
import type { Header, Trailer, TableHead } from './format.ts'
import { listTables } from './tables.ts'
import type { Product } from '../version.ts'
import { quoteName } from '#database/names.ts'

/** Lines are collected up to this length, because each part costs more than its bytes. */
const PART_LENGTH = 64 * 1024

/** What a backup contains. */
export interface BackupSummary {
  tables: number
  rows: number
  /** The fingerprints of the sealing keys that open its values. */
  sealingKeys: string[]
}

/**
 * Writes all tables of runtime and console, as they are at one moment, to a new file. Programs may run meanwhile; the
 * open transaction delays their live events until the backup is complete. An incomplete file never has the name.
 */
export async function writeBackup(options: {
  connection: ConnectionSettings
  file: string
  product: Product
  /** With each of them a restore can tell that nobody has changed the backup. */
  keys: readonly Pick<SealingKey, 'key' | 'fingerprint'>[]
}): Promise<BackupSummary> {
  const { connection, file, product, keys } = options
  const client = new pg.Client({ ...clientConfig(connection), application_name: 'bundle-console-backup' })
  const partial = `${file}.partial`
  await client.connect()
  try {
    await client.query(`set statement_timeout = 0; set idle_in_transaction_session_timeout = 0;
      set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1`)
    await refuseIncomplete(client)
    await beginSnapshot(client)
    const summary: BackupSummary = { tables: 0, rows: 0, sealingKeys: [] }
    await pipeline(
      Readable.from(partsOf(linesOf(client, { product, keys }, summary))),
      createGzip({ level: 4 }),
      createWriteStream(partial, { flags: 'wx', mode: 0o600 }),
    )
    await sync(partial)
    await rename(partial, file)
    return summary
  } catch (error) {
    // one that exists is written by another backup, or is left of one that was killed
    const isOthers = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isOthers) await rm(partial, { force: true }).catch(() => undefined)
    return explainFailedWrite(partial)(error)
  } finally {
    await client.end()
  }
}

/** A database that no program has used, or only a runtime. */
async function refuseIncomplete(client: pg.Client): Promise<void> {
  for (const schema of ['runtime', 'bff']) {
    const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
      `${schema}.migration`,
    ])
    if (rows[0]?.there !== true)
      throw new SettingsError(
        `The database has no schema "${schema}". If it is the right one, run "npm run migrate" first; otherwise correct DATABASE_URL.`,
      )
  }
}

/**
 * Locks the tables before the snapshot is taken. Otherwise a migration could rewrite one in between, and PostgreSQL would
 * show it as empty. A migration that changes a table waits for the backup, and the backup for one that runs.
 */
async function beginSnapshot(client: pg.Client): Promise<void> {
  const tables = await listTables(client)
  const locks = tables.map(({ table }) => `lock table ${table} in access share mode;`)
  await client.query(`begin isolation level repeatable read read only; ${locks.join(' ')}`)
}

async function* linesOf(
  client: pg.Client,
  { product, keys }: { product: Product; keys: readonly Pick<SealingKey, 'key' | 'fingerprint'>[] },
  summary: BackupSummary,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  const line = (value: unknown): string => {
    const text = `${JSON.stringify(value)}\n`
    hash.update(text)
    return text
  }
  const header = await headerOf(client, product)
  summary.sealingKeys = header.sealingKeys
  yield line(header)
  for (const head of await listTables(client)) {
    yield line(head)
    let rows = 0
    for await (const row of readRows(client, head)) {
      rows += 1
      yield line(row)
    }
    yield line({ end: head.table, rows })
    summary.tables += 1
    summary.rows += rows
  }
  const sequences = await sequencesOf(client)
  const content = { sequences, rows: summary.rows, sha256: hash.digest('hex') }
  const trailer: Trailer = { ...content, authentication: codesOf(keys, 'backup', authenticatedText(content)) }
  yield `${JSON.stringify(trailer)}\n`
}

async function* partsOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let part = ''
  for await (const line of lines) {
    part += line
    if (part.length < PART_LENGTH) continue
    yield part
    part = ''
  }
  yield part
}

async function headerOf(client: pg.Client, product: Product): Promise<Header> {
  const migrations = async (schema: 'runtime' | 'bff') => {
    const found = await client.query<{ name: string; sha256: string }>(
      `select name, sha256 from ${schema}.migration order by name`,
    )
    refuseRestoring(schema, found.rows)
    return found.rows
  }
  const applied = { runtime: await migrations('runtime'), bff: await migrations('bff') }
  const keys = await client.query<{ sealing_key: string }>(
    'select distinct sealing_key from runtime.data_key order by 1',
  )
  return {
    format: FORMAT,
    at: new Date().toISOString(),
    ...product,
    migrations: applied,
    sealingKeys: keys.rows.map((row) => row.sealing_key),
  }
}

/** Not those of unlogged tables: PostgreSQL 15 cannot read them on a standby that was promoted, and no value is needed. */
async function sequencesOf(client: pg.Client): Promise<Trailer['sequences']> {
  const { rows } = await client.query<{ name: string; value: string }>(`
    select format('%I.%I', nspname, relname) as name, pg_sequence_last_value(sequence.oid)::text as value
    from (
      select class.oid, nspname, relname from pg_class as class join pg_namespace as schema on schema.oid = relnamespace
      where relkind = 'S' and relpersistence = 'p' and nspname in ('runtime', 'bff') offset 0
    ) as sequence
    where pg_sequence_last_value(sequence.oid) is not null order by 1`)
  return rows
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r')
  await handle.sync()
  await handle.close()
}

/** The rows of a page: fewer if they are large, so that a page has about `PAGE_BYTES`. */
const FIRST_PAGE = 16
const LARGEST_PAGE = 256
const PAGE_BYTES = 8 * 2 ** 20

/** All rows of a table as text, in the client's transaction. One page of them is in memory at a time. */
export async function* readRows(
  client: Pick<pg.Client, 'query'>,
  { table, columns }: TableHead,
): AsyncGenerator<(string | null)[]> {
  const texts = columns.map(({ name }) => `${quoteName(name)}::text`).join(', ')
  await client.query(`declare backup no scroll cursor for select ${texts} from ${table}`)
  for (let page = FIRST_PAGE; ;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `fetch ${page} from backup`,
      rowMode: 'array',
    })
    yield* rows
    if (rows.length < page) break
    page = nextPage(page, rows)
  }
  await client.query('close backup')
}

/** As many rows as fit if they are like the largest, and at most twice as many: the next ones may be larger. */
function nextPage(page: number, rows: readonly (string | null)[][]): number {
  const lengths = rows.map((row) => row.reduce((sum, text) => sum + (text?.length ?? 0), 1))
  const fitting = Math.floor(PAGE_BYTES / Math.max(...lengths))
  return Math.max(1, Math.min(fitting, 2 * page, LARGEST_PAGE))
}
