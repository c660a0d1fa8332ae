import type { Db } from './db.ts'

/**
 * Where a sealed value stands: table, key of the row, and what in it. It is bound to the value: what is sealed for one place
 * does not open in another, so nobody can move a secret to where it is shown or sent elsewhere.
 */
export type Place = readonly (string | number)[]

/** Seals what must not stand in the database as it is. Fast and synchronous; one for each replica. */
export interface Vault {
  seal(plain: Uint8Array, place: Place): Buffer
  /** Throws UnknownDataKey where another replica has made a key that this one has not read yet, else DoesNotOpen. */
  open(sealed: Buffer, place: Place): Buffer
  /** The data key that seals now. */
  currentKeyId(): number
  /** A digest that says nothing to those without the key. */
  digest(message: string): Buffer
  /** Throws as `open` does. */
  isDigestOf(digest: Buffer, message: string): boolean
  /** Reads the data keys of the database again. */
  learn(db: Db): Promise<void>
}
