import type { TypedValue } from '#contract/protocol/typed-value.ts'

/**
 * A sensitive value as it stands in the database. It goes on saying what it is, so that SQL that looks for references need
 * not know of sealing; nothing from outside looks like it, as a Data has no other fields than its own.
 */
export interface SealedData {
  '@type': 'Data'
  isSensitive: true
  sealed: string
}

/** A typed value as it stands in the database. */
export type StoredValue = TypedValue | SealedData
