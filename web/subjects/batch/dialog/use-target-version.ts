import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isDowngrade, isRecalled, newestVersion } from '#contract/protocol/version-order.ts'
import { apiQuery } from '../../../api/query.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { BundleTargets } from '../bundle-targets.ts'

/**
 * The version to upgrade to, or to install: the newest one, unless another is chosen.
 *
 * @param initial Chosen to begin with.
 */
export function useTargetVersion(bundle: BundleTargets | undefined, initial?: string) {
  const t = useText()
  const [picked, setPicked] = useState(() =>
    bundle === undefined || initial === undefined ? null : { key: bundle.key, version: initial },
  )
  const versions = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: { environmentKey: bundle?.environmentKey ?? '', bundleId: bundle?.bundleId ?? '' },
      query: { limit: 200 },
    }),
    enabled: bundle !== undefined,
  })
  const options = (versions.data?.items ?? [])
    .filter((one) => !isRecalled(one))
    .map(({ version, standing }) => ({
      value: version,
      label: standing === undefined ? version : t('catalog.standing.option', { version }),
    }))
  const newest = newestVersion(versions.data?.items ?? [])?.version
  const chosen = picked !== null && picked.key === bundle?.key ? picked.version : newest
  const targets = bundle?.targets ?? []
  const downgraded = targets.filter(({ version }) => isDowngrade(version, chosen ?? null)).length
  return {
    options,
    chosen: bundle === undefined ? undefined : chosen,
    isDowngrade: downgraded === 0 ? 'none' : downgraded === targets.length ? 'all' : 'some',
    choose: (version: string) => bundle && setPicked({ key: bundle.key, version }),
  }
}
