import { omitUndefined, someOf, text, type Raw } from './search-params.ts'
import { BATCH_ITEM_STATES, BATCH_STATES } from '../vocabulary.ts'

export const batchesSearch = (raw: Raw) =>
  omitUndefined({ state: someOf(raw, 'state', BATCH_STATES), cursor: text(raw, 'cursor') })
export type BatchesSearch = ReturnType<typeof batchesSearch>

/** `state` are the results that are shown. */
export const batchSearch = (raw: Raw) =>
  omitUndefined({ state: someOf(raw, 'state', BATCH_ITEM_STATES), cursor: text(raw, 'cursor') })
export type BatchSearch = ReturnType<typeof batchSearch>

export const batchesCall = (search: BatchesSearch) => ({ query: { ...search, limit: 50 } })
export const batchCall = (batchId: string) => ({ params: { batchId } })
export const batchItemsCall = (batchId: string, search: BatchSearch) => ({
  params: { batchId },
  query: { ...search, limit: 100 },
})
