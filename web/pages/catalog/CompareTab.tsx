import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { BundleVersion } from '#contract/console-api/shapes.ts'
import { manifestQuery } from '../../subjects/manifest/manifest-query.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { compareManifests } from '../../subjects/manifest/compare-manifests.ts'
import { ManifestComparison } from '../../subjects/manifest/ManifestComparison.tsx'
import type { Manifest } from '../../subjects/manifest/writers.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'

/** The differences between this version and another, always from the older to the newer. */
export function CompareTab({
  params,
  manifest,
  versions,
  other,
}: {
  params: { env: string; bundle: string; version: string }
  manifest: Manifest
  /** Newest first. */
  versions: readonly BundleVersion[]
  other: string | undefined
}) {
  const t = useText()
  const navigate = useNavigate()
  const at = versions.findIndex(({ version }) => version === params.version)
  // defaults to the previous version, the most common comparison
  const chosen = other ?? (versions[at + 1] ?? versions[at - 1])?.version
  const otherAt = versions.findIndex(({ version }) => version === chosen)
  const query = useQuery({
    ...manifestQuery({ environmentKey: params.env, bundleId: params.bundle, version: chosen ?? '' }),
    enabled: chosen !== undefined,
    staleTime: Infinity,
  })
  const error = useErrorView(query.error)
  const isOlder = otherAt === -1 || at === -1 || otherAt > at
  const [before, after] = isOlder ? [query.data, manifest] : [manifest, query.data]
  const comparison = useMemo(() => before && after && compareManifests(before, after), [before, after])
  if (versions.length === 1) return <p className="text-muted">{t('catalog.version.compare.none')}</p>
  return (
    <div className="space-y-4">
      <Field label={t('catalog.version.compare.with')} className="w-56">
        {(wiring) => (
          <Select
            {...wiring}
            className="mono"
            value={chosen ?? ''}
            placeholder={t('catalog.version.compare.choose')}
            options={versions
              .filter(({ version }) => version !== params.version)
              .map(({ version }) => ({ value: version, label: version }))}
            onChange={(event) =>
              void navigate({
                ...paths.bundleVersion(params, {
                  tab: 'compare',
                  ...(event.target.value && { with: event.target.value }),
                }),
                replace: true,
              })
            }
          />
        )}
      </Field>
      {error && <ErrorState error={error} onRetry={() => void query.refetch()} />}
      {comparison && before && after ? (
        <>
          <h2 className="text-md font-semibold">
            {t('catalog.version.compare.direction', { before: before.version, after: after.version })}
          </h2>
          <ManifestComparison comparison={comparison} />
        </>
      ) : (
        !error && chosen !== undefined && <SkeletonLines lines={5} />
      )}
    </div>
  )
}
