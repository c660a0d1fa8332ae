import { AUDIT_ACTIONS } from '#contract/console-api/vocabulary.ts'
import { given, oneOf, text, type Raw } from '../../search.ts'

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
