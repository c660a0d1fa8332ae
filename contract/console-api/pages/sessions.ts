import { omitUndefined, text, type Raw } from './search-params.ts'

/** `whose`: everyone, for administrators; absent: one's own. */
export const sessionsSearch = (raw: Raw) =>
  omitUndefined({
    whose: raw['whose'] === 'everyone' ? ('everyone' as const) : undefined,
    q: text(raw, 'q'),
    cursor: text(raw, 'cursor'),
  })
export type SessionsSearch = ReturnType<typeof sessionsSearch>

export const ownSessionsCall = { query: {} }
export const allSessionsCall = ({ q, cursor }: SessionsSearch) => ({
  query: { limit: 50, ...omitUndefined({ q, cursor }) },
})

export const serviceAccountsCall = { query: {} }
