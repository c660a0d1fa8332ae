import { omitUndefined, text, type Raw } from './search-params.ts'

export const scopesSearch = (raw: Raw) =>
  omitUndefined({
    q: text(raw, 'q'),
    environmentKey: text(raw, 'environmentKey'),
    cursor: text(raw, 'cursor'),
  })
export type ScopesSearch = ReturnType<typeof scopesSearch>

export const scopesCall = (search: ScopesSearch) => ({ query: { ...search, limit: 100 } })
