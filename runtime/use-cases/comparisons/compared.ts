import type { Comparison } from '../../engine/changes/compare.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'

/** What one request compares with the hidden values of a scope. */
export interface Compared {
  scope: ScopeRow
  /** With the installation that owns the resource; null if none does. */
  comparisons: readonly OwnedComparison[]
  /** Whether a write of the given values replaces the hidden ones at once. An upgrade may fail, and then it has only compared. */
  replaces: boolean
}
export type OwnedComparison = Comparison & { bundleInstallId: string | null }

/**
 * What happens before a request shows whether a given value equals a hidden one. `never`: it does not show it, and each
 * given value counts as a change. Otherwise it is called with what is about to be compared, and throws a DomainError
 * TOO_MANY_COMPARISONS beyond the limit.
 */
export type Comparing = 'never' | ((compared: Compared) => Promise<void>)
