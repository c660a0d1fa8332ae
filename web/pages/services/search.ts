import { given, text, type Raw } from '../../search.ts'

export const servicesSearch = (raw: Raw) => given({ q: text(raw, 'q'), cursor: text(raw, 'cursor') })
export type ServicesSearch = ReturnType<typeof servicesSearch>
