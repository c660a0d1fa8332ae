import { given, oneOf, text, type Raw } from '../../search.ts'

/** `service` is the one that is shown; `action` is a new one that is made. */
export const localServicesSearch = (raw: Raw) =>
  given({ service: text(raw, 'service'), action: oneOf(raw, 'action', ['new']) })
export type LocalServicesSearch = ReturnType<typeof localServicesSearch>
