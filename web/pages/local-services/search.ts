import { given, text, type Raw } from '../../search.ts'

export const localServicesSearch = (raw: Raw) => given({ service: text(raw, 'service') })
export type LocalServicesSearch = ReturnType<typeof localServicesSearch>
