import type { Scope } from '#contract/protocol/scope.ts'
import { omitUndefined, text, whole, type Raw } from './search-params.ts'

/** With the three parts of a scope: the services that it may use. */
export const servicesSearch = (raw: Raw) =>
  omitUndefined({
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    q: text(raw, 'q'),
    cursor: text(raw, 'cursor'),
  })
export type ServicesSearch = ReturnType<typeof servicesSearch>

export const servicesCall = (search: ServicesSearch) => ({ query: { ...search, limit: 50 } })
/** The services that references in a scope may name. */
export const availableServicesCall = (scope: Scope) => ({ query: { ...scope, limit: 200 } })
export const serviceCall = (serviceId: string) => ({ params: { serviceId } })
