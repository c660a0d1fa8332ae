import { given, text, type Raw } from '../../search.ts'

export const catalogSearch = (raw: Raw) => given({ q: text(raw, 'q'), cursor: text(raw, 'cursor') })
export type CatalogSearch = ReturnType<typeof catalogSearch>
