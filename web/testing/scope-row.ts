import type { ScopeRow } from '#contract/console-api/shapes.ts'

/** A scope with one installation, as lists have it; `given` replaces fields of it. */
export const scopeRowWith = (given: Partial<ScopeRow>): ScopeRow => ({
  environmentKey: 'staging',
  applicationRuntimeId: 'eu',
  workspaceId: 1,
  snapshotVersion: 1,
  savedAt: '2026-11-22T08:00:00.000Z',
  savedBy: { id: 'mira', name: 'Mira' },
  installations: 1,
  claimed: 0,
  failed: 0,
  ...given,
})
