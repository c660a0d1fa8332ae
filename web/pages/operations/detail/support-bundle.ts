import type { Installation, Operation, OperationDetail, Person } from '#contract/console-api/shapes.ts'

/** A file with everything that the page of an operation shows, masked in the same way. */
export type SupportBundle = {
  format: 'bundle-console/operation'
  formatVersion: 1
  exportedAt: string
  exportedBy: Person | null
  link: string
  operation: OperationDetail
  /** The installation when the file was created; null if the person could not see it. */
  installation: Installation | null
  /** The operations that it took over, or that took it over. */
  related: readonly Operation[]
}

export function supportBundle(
  parts: Pick<SupportBundle, 'exportedBy' | 'link' | 'operation' | 'installation' | 'related'>,
  now: Date,
): SupportBundle {
  return { format: 'bundle-console/operation', formatVersion: 1, exportedAt: now.toISOString(), ...parts }
}

/** `operation-crm-suite-0199…7f.json`: the bundle name for people, the id for search. */
export function supportBundleName({ operationId, installation }: Operation): string {
  return `operation-${installation.bundle.bundleId.replaceAll(/[^\w.-]/g, '_')}-${operationId}.json`
}
