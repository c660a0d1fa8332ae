import { inTransaction, isPgError, PG } from '#database/transaction.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { listDataKeys } from '../store/data-keys/list-data-keys.ts'
import type { DataKeyRow } from '../store/data-keys/list-data-keys.ts'
import { lockDataKeys } from '../store/data-keys/lock-data-keys.ts'
import { rewrapDataKeyRow } from '../store/data-keys/rewrap-data-key.ts'
import { unwrapDataKey, wrapDataKey } from './data-key.ts'
import { makeDataKey, wrongKey } from './open-vault.ts'
import type { SealingKey } from './sealing-key.ts'
import type { Db, Tx } from '../model/db.ts'

/**
 * Makes a new data key the current one; answers both. Replicas learn of it by themselves, seal anew what the old one has
 * sealed, and forget the old one.
 *
 * @throws SettingsError where the sealing key of this database is not among those given.
 */
export function rotateDataKey(
  db: Db,
  sealingKeys: readonly SealingKey[],
): Promise<{ from: DataKeyRow; to: DataKeyRow }> {
  return inTransaction(db, async (tx) => {
    await lockDataKeys(tx)
    const from = (await requireDataKeys(tx)).find(({ replacedAt }) => replacedAt === null)
    if (from === undefined) throw new Error('no data key is the current one')
    // with the sealing key that is in use: the replicas have that one for sure
    const sealingKey = sealingKeys.find(({ fingerprint }) => fingerprint === from.fingerprint)
    if (sealingKey === undefined) throw wrongKey(from, sealingKeys)
    return { from, to: await makeDataKey(tx, sealingKey) }
  })
}

/**
 * Wraps all data keys with another sealing key, in one transaction; answers how many. What they have sealed stays as it
 * is, and replicas that run go on.
 *
 * @throws SettingsError where the sealing key of this database is not among `from`.
 */
export function rewrapDataKeys(db: Db, from: readonly SealingKey[], to: SealingKey): Promise<number> {
  return inTransaction(db, async (tx) => {
    await lockDataKeys(tx)
    const rows = await requireDataKeys(tx)
    for (const row of rows) {
      // those that it wraps already are left as they are: so this may be run again
      if (row.fingerprint === to.fingerprint) continue
      const dataKey = unwrapDataKey(row, from)
      if (dataKey === null) throw wrongKey(row, from)
      await rewrapDataKeyRow(tx, wrapDataKey(dataKey, to))
    }
    return rows.length
  })
}

async function requireDataKeys(tx: Tx): Promise<DataKeyRow[]> {
  const rows = await listDataKeys(tx)
  if (rows.length > 0) return rows
  throw noDataKeys()
}

/** For a database that no runtime of a version with data keys has used. */
export function explainMissingKeys(error: unknown): never {
  throw isPgError(error, PG.undefinedTable) ? noDataKeys() : error
}

const noDataKeys = (): SettingsError =>
  new SettingsError('This database has no data keys yet; a runtime makes the first one when it starts')
