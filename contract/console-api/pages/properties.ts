import { RESOURCE_KINDS } from '#contract/protocol/locator.ts'
import { moment, omitUndefined, oneOf, someOf, text, whole, type Raw } from './search-params.ts'
import { VALUE_ORIGINS } from '../vocabulary.ts'

/**
 * A property, by bundle, kind, resource and name; without all four, `q` searches for one. `equals` and `differs` are
 * typed values as JSON.
 */
export const propertiesSearch = (raw: Raw) =>
  omitUndefined({
    bundleId: text(raw, 'bundleId'),
    kind: oneOf(raw, 'kind', RESOURCE_KINDS),
    resource: text(raw, 'resource'),
    property: text(raw, 'property'),
    q: text(raw, 'q'),
    environmentKey: text(raw, 'environmentKey'),
    applicationRuntimeId: text(raw, 'applicationRuntimeId'),
    workspaceId: whole(raw, 'workspaceId'),
    origin: someOf(raw, 'origin', VALUE_ORIGINS),
    equals: text(raw, 'equals'),
    differs: text(raw, 'differs'),
    since: moment(raw, 'since'),
    until: moment(raw, 'until'),
    cursor: text(raw, 'cursor'),
  })
export type PropertiesSearch = ReturnType<typeof propertiesSearch>

/** What a page shows of the property; null if the address names none. */
export function propertiesCall(search: PropertiesSearch) {
  const { bundleId, kind, resource, property, q: _, ...filters } = search
  if (bundleId === undefined || kind === undefined || resource === undefined || property === undefined)
    return null
  return { query: { bundleId, kind, resource, property, ...filters, limit: 100 } }
}

/** The properties that a search finds; null without one. */
export const propertySearchCall = ({ q }: PropertiesSearch) =>
  q === undefined ? null : { query: { q, limit: 100 } }
