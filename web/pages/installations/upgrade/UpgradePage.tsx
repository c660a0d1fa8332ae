import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { manifestQuery } from '../../../subjects/manifest/manifest-query.ts'
import { LostRequestNotice, useEditedInput } from '../../../subjects/change-requests/edited-request.tsx'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { compareManifests } from '../../../subjects/manifest/compare-manifests.ts'
import { ManifestComparison } from '../../../subjects/manifest/ManifestComparison.tsx'
import { ScopeText } from '../../../subjects/scopes/ScopeText.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { Page } from '../../../layouts/Page.tsx'
import { paths } from '../../../addresses/paths.ts'
import { Section } from '../../../ui/Card.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Skeleton, SkeletonLines } from '../../../ui/Skeleton.tsx'
import { InstallationBadge } from '../../../ui/StateBadge.tsx'
import { ClaimNotice } from '../detail/ClaimNotice.tsx'
import { LeaveGuard } from '../../../forms/form/LeaveGuard.tsx'
import { emptyInput, hasInput } from '../../../subjects/operation-form/use-operation-form.ts'
import { TargetVersion } from './TargetVersion.tsx'
import { UpgradeForm, type EnteredValues } from './UpgradeForm.tsx'

/** Prepares an upgrade: the target version, its changes, and the values it needs. The address contains the version. */
export function UpgradePage({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const [input] = useState(emptyInput)
  const [base, setBase] = useState<number | null>(null)
  const navigate = useNavigate()
  const { version: target, change } = useSearch({ from: '/installations/$id' })
  const { installation, version, claim } = detail
  const { bundleInstallId, bundle } = installation
  const edited = useEditedInput('UPGRADE', change, input, { bundleInstallId })
  const name = detail.title ?? bundle.bundleId
  return (
    <Page
      environment={installation.environmentKey}
      title={t(
        isDowngrade(version, target ?? null)
          ? 'installations.downgrade.title'
          : 'installations.upgrade.title',
        { bundle: name },
      )}
      trail={[
        { label: t('installations.title'), to: paths.installations() },
        { label: name, to: paths.installation(bundleInstallId) },
      ]}
      state={<InstallationBadge state={detail.state} look="pill" />}
      meta={<ScopeText scope={installation} />}
      notice={claim && <ClaimNotice claim={claim} nextStep={detail.nextStep} />}
    >
      <div className="space-y-7">
        <LostRequestNotice {...edited} />
        <TargetVersion
          bundle={bundle}
          current={version}
          pinnedTo={detail.pin?.versions}
          target={target}
          onChoose={(chosen) =>
            void navigate({
              ...paths.installation(bundleInstallId, {
                action: 'upgrade',
                ...(chosen && { version: chosen }),
                ...(change !== undefined && { change }),
              }),
              replace: true,
            })
          }
        />
        {target !== undefined && version !== null && !edited.isPending && (
          <Prepared
            key={`${target}/${edited.request?.changeRequestId}`}
            detail={detail}
            current={version}
            target={target}
            input={input}
            edited={edited.request}
            base={base}
            onBase={setBase}
          />
        )}
      </div>
    </Page>
  )
}

function Prepared({
  detail,
  current,
  target,
  ...entered
}: {
  detail: InstallationDetail
  current: string
  target: string
} & EnteredValues) {
  const t = useText()
  const { environmentKey, bundleId } = detail.installation.bundle
  const before = useQuery(manifestQuery({ environmentKey, bundleId, version: current }))
  const after = useQuery(manifestQuery({ environmentKey, bundleId, version: target }))
  const error = useErrorView(after.error ?? before.error)
  const comparison = useMemo(
    () => (before.data && after.data ? compareManifests(before.data, after.data) : null),
    [before.data, after.data],
  )
  // a later failure to refresh keeps the loaded data
  if (error && comparison === null)
    return <ErrorState error={error} onRetry={() => void Promise.all([before.refetch(), after.refetch()])} />
  return (
    <>
      <Section title={t('installations.upgrade.changes')} flush>
        {comparison ? (
          <ManifestComparison comparison={comparison} />
        ) : (
          <div className="rounded-lg border border-line p-4">
            <SkeletonLines lines={5} />
          </div>
        )}
      </Section>
      {after.data ? (
        <UpgradeForm {...entered} detail={detail} manifest={after.data} />
      ) : (
        <>
          <Skeleton className="h-24 w-full rounded-lg" />
          <LeaveGuard
            isDirty={hasInput(entered.input)}
            isSamePage={({ pathname, search }) =>
              pathname === `/installations/${detail.installation.bundleInstallId}` &&
              Reflect.get(search, 'action') === 'upgrade'
            }
          />
        </>
      )}
    </>
  )
}
