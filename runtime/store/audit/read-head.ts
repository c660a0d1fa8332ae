import type { Db } from '../../model/db.ts'

export interface AuditHead {
  /** 0 while there are no entries. */
  sequence: number
  hash: Buffer
}

/** Returns the last link of the audit chain. */
export function readHead(db: Db): Promise<AuditHead> {
  return db.selectFrom('runtime.audit_head').select(['sequence', 'hash']).executeTakeFirstOrThrow()
}
