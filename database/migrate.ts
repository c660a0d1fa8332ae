import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

import pg from 'pg'

import { commitsItself, neededFor, replacedText } from './migration-rules.ts'
import { quoteName } from './names.ts'
import { isPgError, PG } from './transaction.ts'

export type MigrationSource = {
  /** The schema that the files create; created if missing. */
  schema: string
  /** The folder of `0001_name.sql`, `0002_name.sql` and so on. */
  folder: URL | string
}

export type Migration = {
  name: string
  sql: string
  /** Of its text, or of the text that it replaces. */
  sha256: string
}

/** A row of the table of migrations. */
export type AppliedMigration = {
  name: string
  sha256: string
  /** The number of the migration that a program must know to run beside this one; null: this one itself. */
  needs: string | null
}

/**
 * The name of a row in the table of migrations that says: a restore of this schema has not completed. No program starts
 * on it, not even an earlier version, for which it is a migration of a newer one.
 */
export const RESTORING = 'restore_in_progress'

/** The second migrations of versions before 0.1.0, which the first release replaced by one for each schema. */
const BEFORE_FIRST_RELEASE: ReadonlySet<string> = new Set([
  '0002_installations_by_place',
  '0002_saved_view_request',
])

/** The oldest PostgreSQL version that is tested. */
const oldestVersion = 15
/** Replicas that start together wait this long for the one that migrates. */
const WAIT_FOR_OTHERS_MS = 300_000
/** Statements queue behind DDL that waits for a lock, so a migration gives up sooner than they do. */
const waitForLockMs = 15_000
/** How often a migration is tried that meets a deadlock, or waits too long for a lock. */
const TRIES = 5
/** One that works in batches meets more of them, and a try continues with what earlier ones left. */
const TRIES_IN_BATCHES = 50
/** The longest time between two tries. */
const MAX_PAUSE_MS = 2_500

/**
 * Brings one schema up to date: runs the files that `<schema>.migration` does not list, in order, one replica at a
 * time, each in its own transaction with `search_path` set to the schema, or in the batches that it commits itself.
 * Returns the names that it ran. Throws, and changes nothing, if a file that already ran was changed or is missing, or if
 * the schema is so much newer than the files that this program cannot use it.
 *
 * @param options.until the name of the last migration to run; default: all.
 * @param options.waitForOthersMs how long to wait for another process that migrates; default 5 minutes.
 * @param options.isRestoring whether the caller is the restore that has not completed; default false.
 */
export async function migrate(
  pool: pg.Pool,
  source: MigrationSource,
  {
    until,
    isRestoring = false,
    waitForOthersMs = WAIT_FOR_OTHERS_MS,
  }: { until?: string; isRestoring?: boolean; waitForOthersMs?: number } = {},
): Promise<string[]> {
  const all = await readMigrations(source.folder)
  const migrations = until === undefined ? all : all.filter(({ name }) => name <= until)
  const client = await pool.connect()
  try {
    await refusePooledTransactions(pool, client)
    const ran = await migrateOn(client, source.schema, migrations, { isRestoring, waitForOthersMs })
    client.release()
    return ran
  } catch (error) {
    // Destroyed, not returned: that releases the advisory lock and all session settings.
    client.release(true)
    throw error
  }
}

/** Which migrations are pending. Changes nothing. Throws if the schema is not one that this program can use. */
export async function findPending(pool: pg.Pool, source: MigrationSource): Promise<string[]> {
  const migrations = await readMigrations(source.folder)
  const isMigrated = (await stateOfSchema(pool, source.schema)) === 'migrated'
  const applied = isMigrated ? await readTable(pool, `${quoteName(source.schema)}.migration`) : []
  return pendingMigrations(source.schema, migrations, applied).map(({ name }) => name)
}

/** Throws one line if migrations are pending, for a program that may not run them. Changes nothing. */
export async function refusePending(pool: pg.Pool, source: MigrationSource): Promise<void> {
  const pending = await findPending(pool, source)
  if (pending.length === 0) return
  throw new Error(
    `The database schema "${source.schema}" lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} (up to ${pending.at(-1)}); ` +
      'run "npm run migrate", or set DATABASE_MIGRATE=on.',
  )
}

async function migrateOn(
  client: pg.PoolClient,
  schema: string,
  migrations: Migration[],
  { isRestoring, waitForOthersMs }: { isRestoring: boolean; waitForOthersMs: number },
): Promise<string[]> {
  await refuseUnusableServer(client)
  const lockName = `bundle-console migrate ${schema}`
  await detectLostClient(client)
  await client.query(`set lock_timeout = ${waitForOthersMs}; set statement_timeout = 0`)
  await lockMigrations(client, schema, lockName)
  await client.query(`set lock_timeout = ${waitForLockMs}; set idle_in_transaction_session_timeout = 0`)
  const applied = await readApplied(client, schema)
  const relevant = isRestoring ? applied.filter(({ name }) => name !== RESTORING) : applied
  const pending = pendingMigrations(schema, migrations, relevant)
  for (const migration of pending) await run(client, schema, migration)
  await unlockMigrations(client, lockName)
  await client.query(
    `reset lock_timeout; reset statement_timeout; reset idle_in_transaction_session_timeout;
    reset client_connection_check_interval`,
  )
  return pending.map(({ name }) => name)
}

async function refuseUnusableServer(client: pg.PoolClient): Promise<void> {
  const found = await client.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int4 as version, current_setting('server_encoding') as encoding`,
  )
  const { version = 0, encoding = '' } = found.rows[0] ?? {}
  refuseServer(version, encoding)
}

/** Throws if the server is not supported: `version` as in `server_version_num`. */
export function refuseServer(version: number, encoding: string): void {
  if (version < oldestVersion * 10_000) {
    throw new Error(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}; ${oldestVersion} or newer is needed.`,
    )
  }
  if (encoding !== 'UTF8') throw new Error(`The database has the encoding ${encoding}; create one with UTF8.`)
}

/**
 * A server notices a lost client only at the end of a long statement, so a killed replica's migration would continue
 * for nothing and block the next start.
 */
async function detectLostClient(client: pg.PoolClient): Promise<void> {
  await client.query('set client_connection_check_interval = 1000').catch((error: unknown) => {
    // not supported on this system: the next start only waits longer
    if (!isPgError(error, PG.invalidParameterValue)) throw error
  })
}

const POOLED =
  'A pooler in transaction mode is between this program and the database: it gives each transaction another session of the ' +
  'server, so the lock for migrations cannot be held. Set DATABASE_DIRECT_URL to the address of the server itself, or set ' +
  'DATABASE_MIGRATE=off and run "npm run migrate" where the server can be reached (docs/operating/postgresql.md#connection-poolers).'

/** How often the sessions are compared: other users of the pooler may have taken the session in between. */
const COMPARISONS = 3
/** A pooler in session mode without a free session keeps the other connection waiting. */
const comparisonTimeoutMs = 5_000

/**
 * Throws if a pooler gives each transaction another session of the server. While another connection is in a transaction,
 * this one must still have the session that it had before, and the other one a session of its own.
 */
async function refusePooledTransactions(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const other = new pg.Client({ ...pool.options, query_timeout: comparisonTimeoutMs })
  other.on('error', () => {})
  try {
    await other.connect()
    for (let comparison = 0; comparison < COMPARISONS; comparison++) {
      const before = await sessionOf(client)
      await other.query('begin')
      const isShared = (await sessionOf(other)) === before || (await sessionOf(client)) !== before
      await other.query('rollback')
      if (isShared) throw new PooledTransactions(POOLED)
    }
  } catch (error) {
    if (error instanceof PooledTransactions) throw error
    // no second session is free: nothing is known, and the unlock tells it
  } finally {
    await other.end().catch(() => {})
  }
}

class PooledTransactions extends Error {}

async function sessionOf(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

async function lockMigrations(client: pg.PoolClient, schema: string, lockName: string): Promise<void> {
  const started = performance.now()
  try {
    await client.query(patiently('select pg_advisory_lock(hashtextextended($1, 0))'), [lockName])
  } catch (error) {
    if (!isPgError(error, PG.lockNotAvailable)) throw error
    const seconds = Math.round((performance.now() - started) / 1_000)
    const holder = await holderOf(client, lockName)
    const who = holder === undefined ? 'A session' : `The session ${holder.pid} (${holder.about})`
    throw new Error(
      `${who} of the database server has held the lock for migrating the schema "${schema}" for at least ${seconds} seconds. ` +
        'If a program is migrating, restart this one when it is done, or stop it. ' +
        `Otherwise a pooler has kept the lock: end it with "select pg_terminate_backend(${holder?.pid ?? '…'})".`,
      { cause: error },
    )
  }
}

async function holderOf(client: pg.PoolClient, lockName: string) {
  const { rows } = await client.query<{ pid: number; about: string }>(
    `select pid, concat_ws(', ', nullif(application_name, ''), client_addr, state,
      'connected since ' || to_char(backend_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as about
    from pg_locks left join pg_stat_activity as activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and (classid::int8 << 32 | objid::int8) = hashtextextended($1, 0)`,
    [lockName],
  )
  return rows[0]
}

/** Throws if another session holds the lock, and ends that session: a pooler would keep the lock for as long as it. */
async function unlockMigrations(client: pg.PoolClient, lockName: string): Promise<void> {
  const { rows } = await client.query<{ unlocked: boolean }>(
    'select pg_advisory_unlock(hashtextextended($1, 0)) as unlocked',
    [lockName],
  )
  if (rows[0]?.unlocked === true) return
  const holder = await holderOf(client, lockName)
  if (holder !== undefined)
    await client.query('select pg_terminate_backend($1)', [holder.pid]).catch(() => {})
  throw new PooledTransactions(POOLED)
}

/** The driver has its own timeout, meant for short statements. */
function patiently(text: string): pg.QueryConfig & { query_timeout: number } {
  return { text, query_timeout: 2 ** 31 - 1 }
}

async function readApplied(client: pg.PoolClient, schema: string): Promise<AppliedMigration[]> {
  const name = quoteName(schema)
  const state = await stateOfSchema(client, schema)
  // Checked first: "create schema if not exists" needs the right to create even if the schema exists.
  if (state === 'missing') await client.query(`create schema ${name}`).catch(explainMissingPrivilege(schema))
  if (state !== 'migrated') await createTable(client, schema)
  return readTable(client, `${name}.migration`)
}

/**
 * Whether the schema exists and has the table of migrations.
 *
 * @throws Error with one line if it is the schema of another program, or of another user.
 */
async function stateOfSchema(
  client: Pick<pg.Pool, 'query'>,
  schema: string,
): Promise<'missing' | 'empty' | 'migrated'> {
  const { rows } = await client.query<{
    owner: string
    mayUse: boolean
    mayCreate: boolean
    hasTables: boolean
    isMigrated: boolean
  }>(
    `select nspowner::regrole::text as owner,
      has_schema_privilege(oid, 'usage') as "mayUse", has_schema_privilege(oid, 'create') as "mayCreate",
      exists (select from pg_class where relnamespace = pg_namespace.oid) as "hasTables",
      exists (select from pg_class where relnamespace = pg_namespace.oid and relname = 'migration') as "isMigrated"
    from pg_namespace where nspname = $1`,
    [schema],
  )
  const [found] = rows
  if (found === undefined) return 'missing'
  if (!found.mayUse || !(found.mayCreate || found.isMigrated))
    throw new Error(
      `The schema "${schema}" of the database belongs to the user "${found.owner}". Make the user of DATABASE_URL its owner, or name another database.`,
    )
  if (found.isMigrated) return 'migrated'
  if (found.hasTables)
    throw new Error(
      `The schema "${schema}" of the database has tables of another program. Name another database in DATABASE_URL.`,
    )
  return 'empty'
}

/** Creates the table of migrations of a schema. */
export async function createTable(client: Pick<pg.ClientBase, 'query'>, schema: string): Promise<void> {
  await client.query(
    `create table ${quoteName(schema)}.migration (
      name text primary key,
      sha256 text not null,
      needs text,
      applied_at timestamptz not null default clock_timestamp()
    )`,
  )
}

/** As JSON, because the table of a version before 0.1.0 may lack the column `needs`; that is then said in a sentence. */
async function readTable(client: Pick<pg.Pool, 'query'>, table: string): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>(
    `select name, sha256, to_jsonb(migration) ->> 'needs' as needs from ${table} order by name`,
  )
  return rows
}

function explainMissingPrivilege(schema: string) {
  return (error: unknown): never => {
    if (!isPgError(error, PG.insufficientPrivilege)) throw error
    throw new Error(
      `The user of the database may not create the schema "${schema}" in it. Make the user the owner of the database, or grant ` +
        'create on the database to it, or create the schema with the user as its owner.',
      { cause: error },
    )
  }
}

/** Which migrations are left to run. Throws if the applied migrations do not match the folder. */
export function pendingMigrations(
  schema: string,
  migrations: Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  refuseRestoring(schema, applied)
  if (applied.some(({ name }) => BEFORE_FIRST_RELEASE.has(name)))
    throw new Error(
      `The database schema "${schema}" is of a version before 0.1.0, which this version cannot migrate. Nothing was changed. ` +
        'Make a backup with the last of those versions and restore it with this one: ' +
        'docs/operating/upgrade.md#from-a-version-before-010 has the commands.',
    )
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const lastKnown = migrations.at(-1)?.name ?? ''
  for (const { name, sha256, needs } of applied) {
    const file = known.get(name)
    // a migration of a newer version leaves in place everything that this version uses
    if (!file && name > lastKnown && needs !== null && lastKnown >= needs) continue
    if (!file && name > lastKnown) {
      throw new Error(
        `The database schema "${schema}" was brought to ${name} by a newer version of this program; this version ` +
          `knows it up to ${lastKnown || 'nothing'}. Start the newer version, or restore an earlier backup.`,
      )
    }
    if (!file) {
      throw new Error(`Migration ${name} ran on the schema "${schema}", but its file is missing; restore it.`)
    }
    if (file.sha256 !== sha256) {
      throw new Error(
        `Migration ${name} of the schema "${schema}" was changed after it ran. ` +
          'Install an unchanged release; in development, restore the old file and write the change as a new migration.',
      )
    }
  }
  const lastApplied = applied.at(-1)?.name ?? ''
  const pending = migrations.filter(({ name }) => name > lastApplied)
  const late = migrations.find(
    ({ name }) => name < lastApplied && !applied.some((done) => done.name === name),
  )
  if (late) {
    throw new Error(
      `Migration ${late.name} sorts before ${lastApplied}, which already ran on the schema "${schema}". ` +
        'Give it the highest number.',
    )
  }
  return pending
}

/** Throws one line if the schema is that of a restore that has not completed. */
export function refuseRestoring(schema: string, applied: readonly { name: string }[]): void {
  if (applied.some(({ name }) => name === RESTORING))
    throw new Error(
      `The schema "${schema}" of the database is incomplete: a restore is in progress or was interrupted. ` +
        'If none is running, drop the schemas "runtime" and "bff" (for the embedded database, delete DATA_DIR/postgresql) ' +
        'and restore again.',
    )
}

/** An object exists before the migration that makes it. */
const ALREADY_THERE = [
  PG.duplicateTable,
  PG.duplicateColumn,
  PG.duplicateFunction,
  PG.duplicateSchema,
  PG.duplicateObject,
]

async function run(client: pg.PoolClient, schema: string, migration: Migration): Promise<void> {
  const isInBatches = commitsItself(migration.sql)
  const mostTries = isInBatches ? TRIES_IN_BATCHES : TRIES
  for (let tries = 1; ; tries++) {
    try {
      return await (isInBatches ? runBatches : runOnce)(client, schema, migration)
    } catch (error) {
      if (tries < mostTries && isLockProblem(error)) {
        await client.query('rollback')
        // others get the locks that they waited for
        await sleep(Math.min(tries * 500, MAX_PAUSE_MS))
        continue
      }
      const reason = error instanceof Error ? error.message : String(error)
      const left = isInBatches ? 'failed; the next run continues' : 'failed and was rolled back'
      const remedy = ALREADY_THERE.some((code) => isPgError(error, code))
        ? 'The schema was changed by something else than its migrations: restore a backup into an empty database.'
        : 'Remove the cause, then migrate again.'
      throw new Error(`Migration ${migration.name} of the schema "${schema}" ${left}: ${reason}. ${remedy}`, {
        cause: error,
      })
    }
  }
}

/** Replicas of the previous version lock the same tables in another order, or hold them for long. */
const isLockProblem = (error: unknown): boolean =>
  isPgError(error, PG.deadlockDetected) || isPgError(error, PG.lockNotAvailable)

async function runOnce(client: pg.PoolClient, schema: string, migration: Migration): Promise<void> {
  await client.query(`begin; set local search_path to ${quoteName(schema)}`)
  await client.query(patiently(migration.sql))
  await record(client, schema, migration)
  await client.query('commit')
}

/** It is one statement, so that the server allows it to commit. If it is interrupted, it runs again from its start. */
async function runBatches(client: pg.PoolClient, schema: string, migration: Migration): Promise<void> {
  await client.query(patiently(migration.sql))
  await record(client, schema, migration)
}

async function record(
  client: pg.PoolClient,
  schema: string,
  { name, sql, sha256 }: Migration,
): Promise<void> {
  await client.query(`insert into ${quoteName(schema)}.migration (name, sha256, needs) values ($1, $2, $3)`, [
    name,
    sha256,
    neededFor(sql),
  ])
}

/** Reads a folder of migrations in order. Throws on a name that is not `0001_name.sql` and on a duplicate number. */
export async function readMigrations(folder: URL | string): Promise<Migration[]> {
  const path = folder instanceof URL ? fileURLToPath(folder) : folder
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (file, index) => {
      const number = String(index + 1).padStart(4, '0')
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file) || !file.startsWith(number)) {
        throw new Error(`The migration file ${file} should be named ${number}_name.sql: numbers have no gap.`)
      }
      // Different line endings in a checkout are not a change.
      const sql = (await readFile(join(path, file), 'utf8')).replaceAll('\r\n', '\n')
      return {
        name: file.slice(0, -'.sql'.length),
        sql,
        sha256: replacedText(sql) ?? createHash('sha256').update(sql).digest('hex'),
      }
    }),
  )
}
