import type { AuditAction, BatchAction } from '#contract/runtime-api/vocabulary.ts'

/** How the audit names what an item of a batch was refused. */
export const AUDIT_ACTION_OF_BATCH: Readonly<Record<BatchAction, AuditAction>> = {
  RETRY: 'operation.retry',
  TAKEOVER: 'operation.takeover',
  UPGRADE: 'installation.upgrade',
  CONFIGURE: 'configuration.save',
  DETACH: 'installation.detach',
}
