import { given, oneOf, text, type Raw } from '../../search.ts'

export const catalogSearch = (raw: Raw) =>
  given({
    environmentKey: text(raw, 'environmentKey'),
    q: text(raw, 'q'),
    cursor: text(raw, 'cursor'),
  })
export type CatalogSearch = ReturnType<typeof catalogSearch>

export const VERSION_TABS = ['manifest', 'compare', 'json'] as const

/** `with` is the version that this one is compared with. */
export const bundleVersionSearch = (raw: Raw) =>
  given({ tab: oneOf(raw, 'tab', VERSION_TABS), with: text(raw, 'with') })
export type BundleVersionSearch = ReturnType<typeof bundleVersionSearch>
