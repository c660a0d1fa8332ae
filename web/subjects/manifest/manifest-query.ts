import { withoutShared } from '#contract/protocol/shared-definitions.ts'
import { apiQuery } from '../../api/query.ts'
import type { Manifest } from './writers.ts'

const NAME = 'GET /bundles/{environmentKey}/{bundleId}/versions/{version}'

/** Reads a manifest, each property with the shared definitions that it needs. */
export const manifestQuery = (params: { environmentKey: string; bundleId: string; version: string }) => ({
  ...apiQuery(NAME, { params }),
  select: wholeOf,
})

const known = new WeakMap<Manifest, Manifest>()

/** A manifest with the shared definitions in its properties; the same for the same manifest. */
export function wholeOf(manifest: Manifest): Manifest {
  const whole = known.get(manifest) ?? withoutShared(manifest)
  known.set(manifest, whole)
  return whole
}
