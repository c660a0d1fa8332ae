/** A data key as stored in the database. */
export interface WrappedDataKey {
  id: number
  wrapped: Buffer
  /** The fingerprint of the sealing key that wrapped it. */
  fingerprint: string
}
