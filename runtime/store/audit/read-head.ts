import type { Db } from '../../model/db.ts'

export interface AuditHead {
  /** 0 as long as there is no entry. */
  sequence: number
  hash: Buffer
}

/** Where the chain ends. */
export function readHead(db: Db): Promise<AuditHead> {
  return db.selectFrom('runtime.audit_head').select(['sequence', 'hash']).executeTakeFirstOrThrow()
}
