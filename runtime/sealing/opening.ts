import { asError } from '#http-kit/text/as-error.ts'
import type { Vault } from '../model/vault.ts'
import type { Db } from '../model/db.ts'

/** A sealed value names a data key that this replica does not know, or not yet. */
export class UnknownDataKey extends Error {
  override name = 'UnknownDataKey'
}

/** A sealed value is damaged, or was sealed for another place. */
export class DoesNotOpen extends Error {
  override name = 'DoesNotOpen'
}

/**
 * Opens values that were read from the database. If another replica has added a data key since, reads the keys first:
 * a transaction that sees a value also sees the key that sealed it.
 */
export async function opening<Opened>(vault: Vault, db: Db, open: () => Opened): Promise<Opened> {
  try {
    return open()
  } catch (error) {
    if (!(error instanceof UnknownDataKey)) throw error
    await vault.learn(db)
    return open()
  }
}

/**
 * Opens each of several values. The result of a value that does not open, or is damaged in another way, is its error;
 * the other values are not affected.
 */
export async function openingEach<Stored, Opened>(
  vault: Vault,
  db: Db,
  all: readonly Stored[],
  open: (stored: Stored) => Opened,
): Promise<(Opened | Error)[]> {
  const openAll = () =>
    all.map((stored) => {
      try {
        return open(stored)
      } catch (error) {
        return asError(error)
      }
    })
  const opened = openAll()
  if (!opened.some((one) => one instanceof UnknownDataKey)) return opened
  // whatever keys could be read are used, even if not all could; the other values do not need them
  const learnError = await vault.learn(db).then(() => null, asError)
  const again = openAll()
  return learnError === null ? again : again.map((one) => (one instanceof UnknownDataKey ? learnError : one))
}
