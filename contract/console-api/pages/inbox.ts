import { oneOf, omitUndefined, text, type Raw } from './search-params.ts'

/** `follows` lists what the person follows instead of notifications. */
export const inboxSearch = (raw: Raw) =>
  omitUndefined({
    view: oneOf(raw, 'view', ['unread', 'snoozed', 'follows']),
    cursor: text(raw, 'cursor'),
  })
export type InboxSearch = ReturnType<typeof inboxSearch>

export const inboxCall = ({ view, cursor }: InboxSearch) => ({
  query: omitUndefined({ view: view === 'follows' ? undefined : view, cursor, limit: 50 }),
})
export const unreadCall = { query: {} }
export const followsCall = { query: {} }
