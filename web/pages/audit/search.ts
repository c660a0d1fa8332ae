import type { AuditEntry } from '#contract/console-api/shapes.ts'
import { given, oneOf, text, type Raw } from '../../search.ts'

export type AuditAction = AuditEntry['action']

export const AUDIT_ACTIONS = [
  'configuration.save',
  'installation.install',
  'installation.upgrade',
  'installation.detach',
  'operation.retry',
  'operation.takeover',
  'local-service.save',
  'bundle.publish',
  'plugin.save',
  'plugin.credential.create',
  'plugin.credential.revoke',
  'service.save',
] as const satisfies readonly AuditAction[]

export const auditSearch = (raw: Raw) =>
  given({
    actor: text(raw, 'actor'),
    action: oneOf(raw, 'action', AUDIT_ACTIONS),
    bundleInstallId: text(raw, 'bundleInstallId'),
    since: text(raw, 'since'),
    until: text(raw, 'until'),
    cursor: text(raw, 'cursor'),
  })
export type AuditSearch = ReturnType<typeof auditSearch>
