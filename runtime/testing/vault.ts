import { createHash } from 'node:crypto'
import { inTransaction } from '#database/transaction.ts'
import { listDataKeys, lockDataKeys } from '../store/data-keys.ts'
import { Keyring } from '../keys/keyring.ts'
import { makeDataKey } from '../keys/open-vault.ts'
import type { SealingKey } from '../keys/sealing-key.ts'
import type { Db } from '../model/db.ts'

/** The sealing key of tests. It opens what another test setup has sealed on the same database. */
export const TEST_SEALING_KEY: SealingKey = {
  key: createHash('sha256').update('the sealing key of tests').digest(),
  fingerprint: 'of-tests',
  source: 'the sealing key of tests',
}

/** A real vault on a database. Its keys never expire, whatever a test does to its clock. */
export function testVault(db: Db): Promise<Keyring> {
  return inTransaction(db, async (tx) => {
    await lockDataKeys(tx)
    const found = await listDataKeys(tx)
    const keyring = new Keyring({ now: () => new Date(0), monotonic: () => 0 })
    keyring.addDataKeys(found.length > 0 ? found : [await makeDataKey(tx, TEST_SEALING_KEY)], [
      TEST_SEALING_KEY,
    ])
    return keyring
  })
}
