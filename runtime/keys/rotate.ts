import { inTransaction, isPgError, PG } from '#database/transaction.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { runEvery, combineTasks } from '../deps/periodic-task.ts'
import type { PeriodicTask } from '../deps/periodic-task.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { Db, Tx } from '../model/db.ts'
import { listDataKeys, lockDataKeys, rewrapDataKeyRow } from '../store/data-keys.ts'
import type { DataKeyRow } from '../store/data-keys.ts'
import { makeDataKey, wrongKey } from './open-vault.ts'
import { resealAll } from './reseal.ts'
import { unwrapDataKey, wrapDataKey } from './sealing-key.ts'
import type { SealingKey } from './sealing-key.ts'

/**
 * Makes a new data key the current one. Returns the previous and the new key. Replicas discover the new key, reseal
 * the data of the old one, and delete the old one.
 *
 * @throws SettingsError if the sealing key of this database is not among those given.
 */
export function rotateDataKey(
  db: Db,
  sealingKeys: readonly SealingKey[],
): Promise<{ from: DataKeyRow; to: DataKeyRow }> {
  return inTransaction(db, async (tx) => {
    await lockDataKeys(tx)
    const from = (await requireDataKeys(tx)).find(({ replacedAt }) => replacedAt === null)
    if (from === undefined) throw new Error('there is no current data key')
    // with the sealing key in use: a replica that lacks it cannot start
    const sealingKey = sealingKeys.find(({ fingerprint }) => fingerprint === from.fingerprint)
    if (sealingKey === undefined) throw wrongKey(from, sealingKeys)
    return { from, to: await makeDataKey(tx, sealingKey) }
  })
}

/**
 * Wraps all data keys with another sealing key, in one transaction. Returns their number. Sealed values do not
 * change, and running replicas continue.
 *
 * @throws SettingsError if the sealing key of this database is not among `from`.
 */
export function rewrapDataKeys(db: Db, from: readonly SealingKey[], to: SealingKey): Promise<number> {
  return inTransaction(db, async (tx) => {
    await lockDataKeys(tx)
    const rows = await requireDataKeys(tx)
    for (const row of rows) {
      // keys that it wraps already stay as they are, so the command may be repeated
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

/** Reports a database that no runtime with data keys has used yet. */
export function explainMissingKeys(error: unknown): never {
  throw isPgError(error, PG.undefinedTable) ? noDataKeys() : error
}

const noDataKeys = (): SettingsError =>
  new SettingsError('This database has no data keys yet; a runtime creates the first one when it starts')

const EVERY_MS = 60_000

/** Periodically reads new data keys, and reseals with the current key everything that is not sealed with it. */
export function startKeyKeeper(deps: RuntimeDeps): PeriodicTask {
  return combineTasks([
    runEvery(
      deps,
      { everyMs: EVERY_MS, failureMessage: 'the data keys could not be read', first: 'later' },
      () => deps.vault.learn(deps.db),
    ),
    // a separate task, because one run may take hours
    runEvery(
      deps,
      { everyMs: EVERY_MS, failureMessage: 'values could not be resealed', first: 'immediately' },
      (stopped) => resealAll(deps, stopped),
    ),
  ])
}
