import { given, oneOf, text, type Raw } from '../../search.ts'

export const CONFIGURATION_TABS = ['form', 'document', 'history'] as const

/** `resource` is the locator of the resource that is shown. */
export const configurationSearch = (raw: Raw) =>
  given({ tab: oneOf(raw, 'tab', CONFIGURATION_TABS), resource: text(raw, 'resource') })
export type ConfigurationSearch = ReturnType<typeof configurationSearch>
