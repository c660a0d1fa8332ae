import { AUDIT_ACTIONS } from '../vocabulary.ts'
import { omitUndefined, oneOf, text, time, type Raw } from './search-params.ts'

export const auditSearch = (raw: Raw) =>
  omitUndefined({
    actor: text(raw, 'actor'),
    action: oneOf(raw, 'action', AUDIT_ACTIONS),
    bundleInstallId: text(raw, 'bundleInstallId'),
    since: time(raw, 'since'),
    until: time(raw, 'until'),
    cursor: text(raw, 'cursor'),
  })
export type AuditSearch = ReturnType<typeof auditSearch>

export const auditCall = (search: AuditSearch) => ({ query: { ...search, limit: 50 } })
