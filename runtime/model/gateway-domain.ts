import type { Scope } from '#contract/protocol/scope.ts'

/** A property of a gateway that sets its domain. */
export interface DomainUse {
  locator: string
  property: string
  /** In lower case. */
  domain: string
}

/** A use that is stored. */
export interface DomainHolder extends DomainUse {
  bundleInstallId: string
  scope: Scope
}
