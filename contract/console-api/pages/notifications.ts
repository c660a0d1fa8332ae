import { omitUndefined, text, type Raw } from './search-params.ts'

/** The page of a webhook's log. */
export const webhookSearch = (raw: Raw) => omitUndefined({ cursor: text(raw, 'cursor') })
export type WebhookSearch = ReturnType<typeof webhookSearch>

export const webhooksCall = { query: {} }
export const deliveriesCall = (webhookId: string, search: WebhookSearch) => ({
  params: { webhookId },
  query: { ...search, limit: 50 },
})
