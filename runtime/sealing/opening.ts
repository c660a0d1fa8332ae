import { asError } from '#http-kit/text/as-error.ts'
import type { Vault } from '../model/vault.ts'
import type { Db } from '../model/db.ts'

/** A sealed value names a data key that is not known here, or not yet. */
export class UnknownDataKey extends Error {
  override name = 'UnknownDataKey'
}

/** A sealed value is damaged, or does not belong where it stands. */
export class DoesNotOpen extends Error {
  override name = 'DoesNotOpen'
}

/**
 * Opens what was read from the database. A data key that another replica has made since is read first: who sees a value sees
 * the key that sealed it.
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
 * The same for each of several. One that does not open, or is damaged in any other way, is answered as the error of that and
 * spoils none of the others.
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
  // what was learned counts, also where not all could be; the others do not depend on it
  const untold = await vault.learn(db).then(() => null, asError)
  const again = openAll()
  return untold === null ? again : again.map((one) => (one instanceof UnknownDataKey ? untold : one))
}
