import { sqliteStore, type SqliteTransaction } from '@bundle-console/plugin-sdk'

export type Tx = SqliteTransaction

/** The database in the file DATA_FILE. */
export const openStore = () =>
  sqliteStore(process.env['DATA_FILE'] ?? './data/mailbox-maker.sqlite', {
    schema: `CREATE TABLE IF NOT EXISTS mailbox (
      install TEXT, locator TEXT, name TEXT, address TEXT, PRIMARY KEY (install, locator)
    )`,
  })

export function keep(
  tx: Tx,
  install: string,
  locator: string,
  { name, address }: { name: string; address: string },
): void {
  tx.prepare('INSERT OR REPLACE INTO mailbox VALUES (?, ?, ?, ?)').run(install, locator, name, address)
}

/** Without a locator, all mailboxes of the installation. Returns whether there was one. */
export function forget(tx: Tx, install: string, locator: string | null): boolean {
  const { changes } = tx
    .prepare('DELETE FROM mailbox WHERE install = ? AND locator = coalesce(?, locator)')
    .run(install, locator)
  return Number(changes) > 0
}

/** Without a locator, all mailboxes of the installation; without that, all. */
export const find = (tx: Tx, install: string | null = null, locator: string | null = null): unknown[] =>
  tx
    .prepare('SELECT * FROM mailbox WHERE install = coalesce(?, install) AND locator = coalesce(?, locator)')
    .all(install, locator)
