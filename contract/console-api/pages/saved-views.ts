import { auditSearch } from './audit.ts'
import { batchesSearch } from './batches.ts'
import { installationsSearch } from './installations.ts'
import { operationsSearch } from './operations.ts'
import { rawSearch, type Raw } from './search-params.ts'
import { versionsSearch } from './versions.ts'

/** The pages whose filters can be saved as a view, with what reads the parameters of their addresses. */
const SEARCHES = {
  operations: operationsSearch,
  installations: installationsSearch,
  versions: versionsSearch,
  batches: batchesSearch,
  audit: auditSearch,
} as const satisfies Record<string, (raw: Raw) => object>

export type ViewPage = keyof typeof SEARCHES
export const VIEW_PAGES = Object.keys(SEARCHES) as [ViewPage, ...ViewPage[]]

/** Characters of a view's name and of its search string. */
export const VIEW_NAME_MAX = 60
export const VIEW_SEARCH_MAX = 2_000

/** The parameters that are a position in a list. */
const POSITIONS: ReadonlySet<string> = new Set(['cursor', 'bundleCursor'])

/**
 * The search string of a page's parameters, in one order and without the position in the list, so that equal filters have
 * equal strings. Empty without filters.
 */
export function viewSearch(parameters: Readonly<Record<string, unknown>>): string {
  return Object.entries(parameters)
    .filter(([name, value]) => !POSITIONS.has(name) && value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    .toSorted()
    .join('&')
}

/** The parameters in a search string; null if it is not one. */
export function viewParameters(search: string): Raw | null {
  try {
    const parts = search.split('&').map((part) => {
      const [name = '', ...value] = part.split('=')
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))] as const
    })
    return rawSearch(parts)
  } catch {
    return null
  }
}

/** Whether a search string consists of filters that the page understands, each with a value that it understands. */
export function isViewSearch(page: ViewPage, search: string): boolean {
  const raw = viewParameters(search)
  if (raw === null) return false
  const understood = new Map<string, unknown>(Object.entries(SEARCHES[page](raw)))
  return Object.entries(raw).every(
    ([name, value]) =>
      // one way to write it, so that equal views have equal strings
      !POSITIONS.has(name) &&
      !Array.isArray(value) &&
      understood.has(name) &&
      inOrder(understood.get(name)) === inOrder(value),
  )
}

/** A list of names means the same in any order. */
const inOrder = (value: unknown): string => String(value).split(',').toSorted().join(',')
