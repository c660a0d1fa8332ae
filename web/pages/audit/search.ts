import { given, text, type Raw } from '../../search.ts'

export const auditSearch = (raw: Raw) =>
  given({
    actor: text(raw, 'actor'),
    action: text(raw, 'action'),
    target: text(raw, 'target'),
    since: text(raw, 'since'),
    until: text(raw, 'until'),
    q: text(raw, 'q'),
    cursor: text(raw, 'cursor'),
  })
export type AuditSearch = ReturnType<typeof auditSearch>
