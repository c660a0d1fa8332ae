import { omitUndefined, oneOf, text, type Raw } from './search-params.ts'

export const catalogSearch = (raw: Raw) =>
  omitUndefined({
    environmentKey: text(raw, 'environmentKey'),
    q: text(raw, 'q'),
    cursor: text(raw, 'cursor'),
  })
export type CatalogSearch = ReturnType<typeof catalogSearch>

export const VERSION_TABS = ['manifest', 'compare', 'json'] as const

/** `with` is the version that this one is compared with. */
export const bundleVersionSearch = (raw: Raw) =>
  omitUndefined({ tab: oneOf(raw, 'tab', VERSION_TABS), with: text(raw, 'with') })
export type BundleVersionSearch = ReturnType<typeof bundleVersionSearch>

export const catalogCall = (search: CatalogSearch) => ({ query: { ...search, limit: 50 } })

type Bundle = { environmentKey: string; bundleId: string }
export const bundleVersionCall = (version: Bundle & { version: string }) => ({ params: version })
export const bundleVersionsCall = (bundle: Bundle) => ({ params: bundle, query: { limit: 200 } })
