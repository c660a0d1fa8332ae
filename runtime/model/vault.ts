import type { JWK } from 'jose'
import type { PlatformKey, Signature } from '#contract/runtime-api/platform-keys.ts'
import type { Db } from './db.ts'

/**
 * Where a sealed value is stored: the table, the key of the row, and the part of it. The place is bound to the value:
 * a value that is sealed for one place does not open in another, so nobody can move a secret to where it is shown or
 * sent elsewhere.
 */
export type Place = readonly (string | number)[]

/** Seals values that must not be stored in the clear. Fast and synchronous; one for each replica. */
export interface Vault {
  seal(plain: Uint8Array, place: Place): Buffer
  /**
   * Throws UnknownDataKey if another replica has added a key that this one has not read yet, otherwise DoesNotOpen.
   */
  open(sealed: Buffer, place: Place): Buffer
  /** The id of the data key that seals now. */
  currentKeyId(): number
  /** A digest that reveals nothing without the key. */
  digest(message: string): Buffer
  /** Throws as `open` does. */
  isDigestOf(digest: Buffer, message: string): boolean
  /** Signs a text with each platform key. */
  signatures(kind: SignedKind, text: string): Signature[]
  /** The public halves of the platform keys. */
  platformKeys(): PlatformKey[]
  /** Reads the data keys of the database again. */
  learn(db: Db): Promise<void>
  /** Whether it has last read a data key that none of its sealing keys unwraps: it cannot open what others seal. */
  lacksKeys(): boolean
}

/** What the platform signs for readers outside of it. */
export type SignedKind = 'operation receipt' | 'audit anchor'

/** A data key as stored in the database. */
export interface WrappedDataKey {
  id: number
  wrapped: Buffer
  /** The fingerprint of the sealing key that wrapped it. */
  fingerprint: string
}

/** The public half of a signing key, as published in a JWKS. */
export type PublicKey = JWK & { kid: string }
