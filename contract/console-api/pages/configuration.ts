import type { Scope } from '#contract/protocol/scope.ts'
import { omitUndefined, oneOf, text, type Raw } from './search-params.ts'

export const CONFIGURATION_TABS = ['form', 'document', 'history'] as const
export const SHOWN = ['changed', 'invalid'] as const

/**
 * `resource` is the locator of the resource that is shown, `property` the field to go to, `q` and `show` what the form
 * is narrowed to.
 */
export const configurationSearch = (raw: Raw) =>
  omitUndefined({
    tab: oneOf(raw, 'tab', CONFIGURATION_TABS),
    resource: text(raw, 'resource'),
    property: text(raw, 'property'),
    q: text(raw, 'q'),
    show: oneOf(raw, 'show', SHOWN),
  })
export type ConfigurationSearch = ReturnType<typeof configurationSearch>

export const configurationCall = (scope: Scope) => ({ params: scope })
/** What people call the installations of the scope. */
export const configuredInstallationsCall = (scope: Scope) => ({
  query: { ...scope, state: 'ACTIVE', limit: 200 },
})
