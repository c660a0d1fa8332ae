import { omitUndefined, oneOf, text, whole, type Raw } from './search-params.ts'

export const versionsSearch = (raw: Raw) =>
  omitUndefined({
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    upgrade: oneOf(raw, 'upgrade', ['available']),
    q: text(raw, 'q'),
    cursor: text(raw, 'cursor'),
    bundleCursor: text(raw, 'bundleCursor'),
  })
export type VersionsSearch = ReturnType<typeof versionsSearch>

export const versionsCall = (search: VersionsSearch) => ({ query: { ...search, limit: 50 } })
