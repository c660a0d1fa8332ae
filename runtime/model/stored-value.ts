import type { TypedValue } from '#contract/protocol/typed-value.ts'

/**
 * A sensitive value as stored in the database. It keeps its `@type`, so that SQL that searches for references need
 * not know about sealing. No external value looks like it, because a Data has no other fields than its own.
 */
export interface SealedData {
  '@type': 'Data'
  isSensitive: true
  sealed: string
}

/** A typed value as stored in the database. */
export type StoredValue = TypedValue | SealedData
