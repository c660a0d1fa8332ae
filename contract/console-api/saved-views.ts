import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { listOf, Person, plainName, Timestamp, Uuid } from '#contract/runtime-api/common.ts'
import { isViewSearch, VIEW_NAME_MAX, VIEW_PAGES, VIEW_SEARCH_MAX } from './pages/saved-views.ts'
import type { ViewPage } from './pages/saved-views.ts'

const page = z.enum(VIEW_PAGES)
const name = plainName(VIEW_NAME_MAX)

const settings = {
  page,
  name,
  /** The filters, as the page has them in its address. */
  search: z.string().max(VIEW_SEARCH_MAX, `Must be at most ${VIEW_SEARCH_MAX} characters`),
  /** Whether everyone who may see the page sees the view. */
  shared: z.boolean(),
}

/** Named filters of a page. A view stores no data: what it shows depends on what its reader may see. */
export const SavedView = z.object({
  ...settings,
  viewId: Uuid,
  owner: Person,
  /** Whether the caller may change and delete it: its owner may, and an administrator if it is shared. */
  editable: z.boolean(),
  updatedAt: Timestamp,
})
export type SavedView = z.infer<typeof SavedView>

const hasFilters = (view: { page: ViewPage; search?: string | undefined }) =>
  view.search === undefined || isViewSearch(view.page, view.search)
const wrongFilters = {
  path: ['search'],
  message: 'Must contain only filters of this page, and at least one',
}
const params = z.strictObject({ viewId: Uuid })

/** The endpoints of saved views. The BFF stores them; the runtime does not know them. */
export const savedViewApi = defineEndpoints({
  'GET /saved-views': {
    summary: 'The caller’s own views and the shared ones, of pages that the caller may see, by name',
    access: { needs: 'session' },
    query: z.strictObject({}),
    answer: listOf(SavedView),
    codes: [],
  },
  'POST /saved-views': {
    summary: 'Save the filters of a page under a name',
    access: { needs: 'session' },
    body: z.strictObject(settings).refine(hasFilters, wrongFilters),
    answer: SavedView,
    codes: ['IDEMPOTENCY_KEY_REUSED'],
  },
  'PUT /saved-views/{viewId}': {
    summary: 'Rename, share or change a view; its page and what is not given stay',
    access: { needs: 'session' },
    params,
    body: z.strictObject(settings).partial().required({ page: true }).refine(hasFilters, wrongFilters),
    answer: SavedView,
    codes: ['NOT_FOUND'],
  },
  'DELETE /saved-views/{viewId}': {
    summary: 'Delete a view',
    access: { needs: 'session' },
    params,
    answer: z.object({ viewId: Uuid }),
    codes: ['NOT_FOUND'],
  },
})
