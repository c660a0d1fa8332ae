import type { Scope } from '#contract/protocol/scope.ts'
import type { AuditAction, BatchAction } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import { recordAudit } from '../audit/record.ts'

/** How the audit names what an item of a batch was refused. */
const AUDIT_ACTION_OF_BATCH: Readonly<Record<BatchAction, AuditAction>> = {
  RETRY: 'operation.retry',
  TAKEOVER: 'operation.takeover',
  INSTALL: 'installation.install',
  UPGRADE: 'installation.upgrade',
  CONFIGURE: 'configuration.save',
  DETACH: 'installation.detach',
}

interface RefusedTarget {
  target: string
  /** As the audit names it. */
  subject: string
  /** Absent before an INSTALL has made it. */
  bundleInstallId?: string
  scope: Scope
  errorCode: string
}

/** Records in the audit that an item of a batch was refused, as a refusal of the ordinary request. */
export function recordRefusal(
  tx: Tx,
  actor: Actor,
  { action, reason }: { action: BatchAction; reason: string | null },
  { target, subject, ...refused }: RefusedTarget,
): Promise<void> {
  const isOperation = action === 'RETRY' || action === 'TAKEOVER'
  return recordAudit(tx, actor, {
    action: AUDIT_ACTION_OF_BATCH[action],
    subject,
    ...refused,
    ...(isOperation && { operationId: target }),
    reason,
    outcome: 'REFUSED',
  })
}
