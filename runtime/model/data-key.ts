/** A data key as it stands in the database. */
export interface WrappedDataKey {
  id: number
  wrapped: Buffer
  /** Of the sealing key that wrapped it. */
  fingerprint: string
}
