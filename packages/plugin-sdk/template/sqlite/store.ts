import { sqliteStore, type SqliteTransaction } from '@bundle-console/plugin-sdk'

export type Tx = SqliteTransaction

/** The database in the file DATA_FILE. */
export const openStore = () =>
  sqliteStore(process.env['DATA_FILE'] ?? './data/mailbox-maker.sqlite', {
    schema: `CREATE TABLE IF NOT EXISTS mailbox (
      install TEXT, locator TEXT, address TEXT, PRIMARY KEY (install, locator)
    )`,
  })

export function keep(tx: Tx, install: string, locator: string, address: string): void {
  tx.prepare('INSERT OR REPLACE INTO mailbox VALUES (?, ?, ?)').run(install, locator, address)
}

/** Without a locator, all mailboxes of the installation. Returns whether there was one. */
export function forget(tx: Tx, install: string, locator: string | null): boolean {
  const { changes } = tx
    .prepare('DELETE FROM mailbox WHERE install = ? AND locator = coalesce(?, locator)')
    .run(install, locator)
  return Number(changes) > 0
}

export const hasMailbox = (tx: Tx, install: string): boolean =>
  tx.prepare('SELECT 1 FROM mailbox WHERE install = ?').get(install) !== undefined
