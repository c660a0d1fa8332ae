import type { Installation } from '#contract/console-api/shapes.ts'

export interface BatchTarget {
  /** Of the installation, or of the operation to retry; of an INSTALL, the scope. */
  id: string
  installation: Omit<Installation['installation'], 'bundleInstallId'>
  title: string | null
  version: string | null
}

export interface BundleTargets {
  key: string
  bundleId: string
  environmentKey: string
  targets: BatchTarget[]
}

/** The targets by bundle, the bundle with most targets first. */
export function bundlesOf(targets: readonly BatchTarget[]): BundleTargets[] {
  const groups = Map.groupBy(targets, ({ installation: { bundle } }) =>
    JSON.stringify([bundle.environmentKey, bundle.bundleId]),
  )
  return [...groups]
    .map(([key, of]) => ({ key, ...of[0]!.installation.bundle, targets: of }))
    .toSorted((a, b) => b.targets.length - a.targets.length)
}

export const scopeOf = ({ installation }: BatchTarget) => ({
  environmentKey: installation.environmentKey,
  applicationRuntimeId: installation.applicationRuntimeId,
  workspaceId: installation.workspaceId,
})
