import { postgresStore, type PostgresTransaction } from '@bundle-console/plugin-sdk'
import { Pool } from 'pg'

export type Tx = PostgresTransaction

/** The database of DATABASE_URL, or of the usual variables of PostgreSQL. */
export function openStore() {
  const connectionString = process.env['DATABASE_URL']
  const pool = new Pool(connectionString === undefined ? {} : { connectionString })
  // a connection that is lost while nobody uses it is replaced
  pool.on('error', (error) => console.error(error.message))
  const store = postgresStore(pool, {
    schema: `CREATE TABLE IF NOT EXISTS mailbox (
      install text, locator text, name text, address text, PRIMARY KEY (install, locator)
    )`,
  })
  return { ...store, close: () => pool.end() }
}

export async function keep(
  tx: Tx,
  install: string,
  locator: string,
  { name, address }: { name: string; address: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO mailbox VALUES ($1, $2, $3, $4)
     ON CONFLICT (install, locator) DO UPDATE SET name = excluded.name, address = excluded.address`,
    [install, locator, name, address],
  )
}

/** Without a locator, all mailboxes of the installation. Returns whether there was one. */
export async function forget(tx: Tx, install: string, locator: string | null): Promise<boolean> {
  const { rowCount } = await tx.query(
    'DELETE FROM mailbox WHERE install = $1 AND locator = coalesce($2, locator)',
    [install, locator],
  )
  return rowCount !== null && rowCount > 0
}

/** Without a locator, all mailboxes of the installation; without that, all. */
export async function find(
  tx: Tx,
  install: string | null = null,
  locator: string | null = null,
): Promise<unknown[]> {
  const { rows } = await tx.query(
    'SELECT * FROM mailbox WHERE install = coalesce($1, install) AND locator = coalesce($2, locator)',
    [install, locator],
  )
  return rows
}
