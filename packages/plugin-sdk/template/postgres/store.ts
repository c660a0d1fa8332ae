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
      install text, locator text, address text, PRIMARY KEY (install, locator)
    )`,
  })
  return { ...store, close: () => pool.end() }
}

export async function keep(tx: Tx, install: string, locator: string, address: string): Promise<void> {
  await tx.query(
    `INSERT INTO mailbox VALUES ($1, $2, $3)
     ON CONFLICT (install, locator) DO UPDATE SET address = excluded.address`,
    [install, locator, address],
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

export async function hasMailbox(tx: Tx, install: string): Promise<boolean> {
  const { rows } = await tx.query('SELECT 1 FROM mailbox WHERE install = $1', [install])
  return rows.length > 0
}
