import type { Changes } from '#contract/console-api/shapes.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { ScopeKey } from '../../addresses/paths.ts'
import type { Edits } from '../operation-form/property-form.ts'
import { scopeText } from '../scopes/scope-text.ts'
import type { BatchTarget } from './bundle-targets.ts'
import { changesByTarget, type ChosenProperty } from './property-choices.ts'

/** What an INSTALL installs. */
export interface InstalledBundle {
  bundle: BundleRef
  title: string
  /** The version to begin with; the newest one without it. */
  version?: string | undefined
}

/** A scope as the target of an INSTALL. */
export const scopeTarget = (
  { environmentKey, applicationRuntimeId, workspaceId }: ScopeKey,
  { bundle, title }: InstalledBundle,
): BatchTarget => ({
  id: scopeText({ environmentKey, applicationRuntimeId, workspaceId }),
  installation: { environmentKey, applicationRuntimeId, workspaceId, bundle },
  title,
  version: null,
})

/** The values of an INSTALL: those for every scope, and those for each. */
export function installValues(
  targets: readonly BatchTarget[],
  chosen: readonly ChosenProperty[],
  edits: Edits,
): { properties?: Changes; values?: Record<string, Changes> } {
  const entered = (isEach: boolean) =>
    changesByTarget(
      chosen.filter((one) => one.isEach === isEach),
      edits,
    )
  const properties = entered(false).get(targets[0]?.id ?? '')
  const values = Object.fromEntries(entered(true))
  return {
    ...(properties !== undefined && { properties }),
    ...(Object.keys(values).length > 0 && { values }),
  }
}
