import { inTransaction } from '#database/transaction.ts'
import { SettingsError } from '#http-kit/settings.ts'
import {
  insertDataKey,
  hasDataKeyTable,
  listDataKeys,
  lockDataKeys,
  nextDataKeyId,
} from '../store/data-keys.ts'
import type { DataKeyRow } from '../store/data-keys.ts'
import { newDataKey, wrapDataKey, makeSealingKey, readSealingKeys, sealingKeyPath } from './sealing-key.ts'
import type { SealingKey, SealingKeySettings } from './sealing-key.ts'
import type { Keyring } from './keyring.ts'
import type { Db, Tx } from '../model/db.ts'

/**
 * Loads the data keys of the database into the keyring, and creates the first one if there is none. Only then may a
 * sealing key be created: a new one could not open existing data.
 *
 * @throws SettingsError if a sealing key is missing, cannot be used, or is not the one of this database.
 */
export function openVault(keyring: Keyring, db: Db, settings: SealingKeySettings): Promise<void> {
  return inTransaction(db, async (tx) => {
    // when replicas start together on a new database, one creates the keys
    await lockDataKeys(tx)
    const found = await listDataKeys(tx)
    if (found.length > 0) return loadInto(keyring, found, await loadSealingKeys(settings))
    const [sealingKey = await makeSealingKey(settings.dataDir)] = await readSealingKeys(settings)
    const made = await makeDataKey(tx, sealingKey)
    return loadInto(keyring, [made], [sealingKey])
  })
}

/**
 * Loads the data keys of a database that has some, whatever its version. Call it before the schema is changed, so that a
 * wrong sealing key leaves the database as it is.
 *
 * @throws SettingsError as {@link openVault} does.
 */
export async function openExistingVault(
  keyring: Keyring,
  db: Db,
  settings: SealingKeySettings,
): Promise<void> {
  if (!(await hasDataKeyTable(db))) return
  const found = await listDataKeys(db)
  if (found.length > 0) loadInto(keyring, found, await loadSealingKeys(settings))
}

/** Creates a data key and makes it the current one. Call it under the lock of the data keys. */
export async function makeDataKey(tx: Tx, sealingKey: SealingKey): Promise<DataKeyRow> {
  const id = await nextDataKeyId(tx)
  return insertDataKey(tx, wrapDataKey(newDataKey(id), sealingKey))
}

/** Loads the sealing keys for a database that has data keys. */
export async function loadSealingKeys(settings: SealingKeySettings): Promise<SealingKey[]> {
  const sealingKeys = await readSealingKeys(settings)
  if (sealingKeys.length > 0) return sealingKeys
  throw new SettingsError(
    `${sealingKeyPath(settings.dataDir)} is missing, and the database holds values that only that key opens; ` +
      "restore it from a backup, or name a copy of the other replicas' key file in SEALING_KEY_FILE",
  )
}

function loadInto(keyring: Keyring, rows: readonly DataKeyRow[], sealingKeys: readonly SealingKey[]): void {
  const [foreign] = addOrRefuse(keyring, rows, sealingKeys)
  if (foreign !== undefined) throw wrongKey(foreign, sealingKeys)
}

function addOrRefuse(keyring: Keyring, rows: readonly DataKeyRow[], sealingKeys: readonly SealingKey[]) {
  try {
    return keyring.addDataKeys(rows, sealingKeys)
  } catch {
    throw new SettingsError(
      'A data key in the database is damaged: it does not open with the key that wrapped it; ' +
        'restore the table runtime.data_key from a backup',
    )
  }
}

/** Describes which key is needed. A fingerprint reveals nothing about the key. */
export function wrongKey({ fingerprint }: DataKeyRow, sealingKeys: readonly SealingKey[]): SettingsError {
  const given = sealingKeys.map((key) => `${key.source} (${key.fingerprint})`).join(' and ')
  return new SettingsError(
    `${given} does not open the sealed values of this database, which need the sealing key ${fingerprint}; ` +
      'name its file in SEALING_KEY_FILE, or restore it from a backup',
  )
}
