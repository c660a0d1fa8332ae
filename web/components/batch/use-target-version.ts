import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '../../api/query.ts'
import type { BundleTargets } from './bundle-targets.ts'

/** The version to upgrade to: the newest one, unless another is chosen. */
export function useTargetVersion(bundle: BundleTargets | undefined) {
  const [picked, setPicked] = useState<{ key: string; version: string } | null>(null)
  const versions = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: { environmentKey: bundle?.environmentKey ?? '', bundleId: bundle?.bundleId ?? '' },
      query: { limit: 200 },
    }),
    enabled: bundle !== undefined,
  })
  const options = (versions.data?.items ?? []).map(({ version }) => version)
  const chosen = picked !== null && picked.key === bundle?.key ? picked.version : options[0]
  // newest first, by the time of publishing
  const place = (version: string | null) => (version === null ? -1 : options.indexOf(version))
  const isDowngrade =
    chosen !== undefined &&
    (bundle?.targets ?? []).some(({ version }) => place(version) !== -1 && place(version) < place(chosen))
  return {
    options,
    chosen: bundle === undefined ? undefined : chosen,
    isDowngrade,
    choose: (version: string) => bundle && setPicked({ key: bundle.key, version }),
  }
}
