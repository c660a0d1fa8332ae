import type { Scope } from '#contract/protocol/scope.ts'
import { omitUndefined, oneOf, text, type Raw } from './search-params.ts'

/** `service` is the one that is shown; `action` is a new one that is made. */
export const localServicesSearch = (raw: Raw) =>
  omitUndefined({ service: text(raw, 'service'), action: oneOf(raw, 'action', ['new']) })
export type LocalServicesSearch = ReturnType<typeof localServicesSearch>

export const localServicesCall = (scope: Scope) => ({ params: scope, query: { limit: 200 } })
