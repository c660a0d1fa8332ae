import type { Scope } from '#contract/protocol/scope.ts'
import { omitUndefined, oneOf, someOf, text, whole, type Raw } from './search-params.ts'
import { CHANGE_KINDS, CHANGE_STATES } from '../vocabulary.ts'

/** `waiting` shows what the person may approve, `author` what the person with this ID wrote. */
export const changeRequestsSearch = (raw: Raw) =>
  omitUndefined({
    state: someOf(raw, 'state', CHANGE_STATES),
    kind: someOf(raw, 'kind', CHANGE_KINDS),
    waiting: oneOf(raw, 'waiting', ['me'] as const),
    author: text(raw, 'author'),
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    bundleInstallId: text(raw, 'bundleInstallId'),
    cursor: text(raw, 'cursor'),
  })
export type ChangeRequestsSearch = ReturnType<typeof changeRequestsSearch>

export const changeRequestsCall = (search: ChangeRequestsSearch) => ({ query: { ...search, limit: 50 } })
export const changeRequestCall = (changeRequestId: string) => ({ params: { changeRequestId } })
export const waitingCall = { query: {} }

const OPEN = 'DRAFT,OPEN,CONFLICTED,APPROVED,SCHEDULED,APPLYING'
/** The requests that have not ended, of an installation, of a scope or of a person. */
export const openChangeRequestsCall = (of: { bundleInstallId: string } | Scope | { author: string }) => ({
  query: { ...of, state: OPEN, limit: 20 },
})
