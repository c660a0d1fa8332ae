import type { Scope } from '#contract/protocol/scope.ts'
import { omitUndefined, oneOf, text, time, whole, type Raw } from './search-params.ts'

export const CONFIGURATION_TABS = ['form', 'document', 'history'] as const
/** Whether the document is open beside the form. */
export const BESIDE = ['document', 'nothing'] as const
/** What the time line of a scope shows. */
export const TIMELINE_RANGES = ['day', 'week', 'month'] as const
export const SHOWN = ['changed', 'invalid', 'set'] as const

/**
 * `resource` is the locator of the resource that is shown, `property` the field to go to, `q` and `show` what the form
 * is narrowed to. `beside` opens or closes the document beside the form; without it, the browser remembers. `change`
 * is the change request that is edited. The history is narrowed by `changedIn` (a locator), `changed` (a property),
 * `by` (a person), `since` and `until`, and `range` is that of its time line; with `from` it compares two snapshots,
 * the second being the current one without `to`, and with `with` the scope with another one.
 */
export const configurationSearch = (raw: Raw) =>
  omitUndefined({
    tab: oneOf(raw, 'tab', CONFIGURATION_TABS),
    resource: text(raw, 'resource'),
    property: text(raw, 'property'),
    q: text(raw, 'q'),
    show: oneOf(raw, 'show', SHOWN),
    beside: oneOf(raw, 'beside', BESIDE),
    changedIn: text(raw, 'changedIn'),
    changed: text(raw, 'changed'),
    by: text(raw, 'by'),
    since: time(raw, 'since'),
    until: time(raw, 'until'),
    range: oneOf(raw, 'range', TIMELINE_RANGES),
    from: whole(raw, 'from'),
    to: whole(raw, 'to'),
    with: text(raw, 'with'),
    change: text(raw, 'change'),
  })
export type ConfigurationSearch = ReturnType<typeof configurationSearch>

export const configurationCall = (scope: Scope) => ({ params: scope })
/** What people call the installations of the scope. */
export const configuredInstallationsCall = (scope: Scope) => ({
  query: { ...scope, state: 'ACTIVE', limit: 200 },
})
/** What the time line of a scope draws, from a moment on: at most 200 of each. */
export const timelineCalls = (scope: Scope, since: string) => ({
  saves: { params: scope, query: { since, limit: 200 } },
  operations: {
    query: { ...scope, since, operationType: 'INSTALL,UPGRADE,DETACH', limit: 200 },
  },
  failures: { query: { ...scope, since, state: 'FAILED,TAKEN_OVER', limit: 200 } },
  plugins: { query: { ...scope, limit: 200 } },
})
