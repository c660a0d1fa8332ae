import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { newestVersion } from '#contract/protocol/version-order.ts'
import { apiQuery } from '../../api/query.ts'
import { manifestQuery } from '../../subjects/manifest/manifest-query.ts'
import { LostRequestNotice, useEditedInput } from '../../subjects/change-requests/edited-request.tsx'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { Section } from '../../ui/Card.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { LeaveGuard } from '../../forms/form/LeaveGuard.tsx'
import { emptyInput, hasInput } from '../../subjects/operation-form/use-operation-form.ts'
import { BundleChoice, ScopeChoice } from './install/InstallChoices.tsx'
import { CopyNotice, whyNotCopied, useLastConfiguration } from './install/CopyNotice.tsx'
import { InstallForm } from './install/InstallForm.tsx'
import type { InstallSearch } from '#contract/console-api/pages/installations.ts'

const route = getRouteApi('/installations/new')
const VERSION_LIMIT = 200

/**
 * Selects the scope, the bundle version and the values. Scope and version are in the address, so that a link can
 * prepare an install. The install of a change request has a form of its own.
 */
export function InstallPage() {
  return <Prepared key={route.useSearch().change} />
}

function Prepared() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: SearchChange<InstallSearch>) =>
    void navigate({ search: (old) => omitUndefined({ ...old, ...next }), replace: true })
  const { environmentKey, applicationRuntimeId, workspaceId, copyFrom } = search
  const scope =
    environmentKey !== undefined && applicationRuntimeId !== undefined && workspaceId !== undefined
      ? { environmentKey, applicationRuntimeId, workspaceId }
      : null
  const bundle =
    search.bundleEnvironmentKey !== undefined && search.bundleId !== undefined
      ? { environmentKey: search.bundleEnvironmentKey, bundleId: search.bundleId }
      : null

  const versions = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: bundle ?? { environmentKey: '', bundleId: '' },
      query: { limit: VERSION_LIMIT },
    }),
    enabled: bundle !== null,
  })
  const latest = useFirstLatest(bundle, newestVersion(versions.data?.items ?? [])?.version)
  const version = search.version ?? (bundle === null ? undefined : latest)
  const [input] = useState(emptyInput)
  const edited = useEditedInput('INSTALL', search.change, input)
  const source = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}', { params: { bundleInstallId: copyFrom ?? '' } }),
    enabled: copyFrom !== undefined,
  })
  const last = useLastConfiguration(source.data)
  const manifest = useQuery({
    ...manifestQuery({ environmentKey: '', bundleId: '', ...bundle, version: version ?? '' }),
    enabled: bundle !== null && version !== undefined,
  })
  const manifestError = useErrorView(manifest.error)
  const sourceError = useErrorView(source.error)
  const title =
    edited.request?.title ??
    t(copyFrom === undefined ? 'installations.install.title' : 'installations.install.again.title')

  return (
    <Page
      title={title}
      environment={environmentKey}
      trail={[{ label: t('installations.title'), to: paths.installations() }]}
      notice={
        source.data ? (
          <CopyNotice source={source.data} bundle={bundle} onLeave={() => change({ copyFrom: undefined })} />
        ) : (
          sourceError && <ErrorState error={sourceError} onRetry={() => void source.refetch()} />
        )
      }
    >
      <div className="space-y-7">
        <LostRequestNotice {...edited} />
        <div className="grid gap-7 xl:grid-cols-2">
          <Section title={t('installations.install.where')}>
            <ScopeChoice
              scope={scope}
              onChange={(chosen) =>
                change({
                  environmentKey: chosen?.environmentKey,
                  applicationRuntimeId: chosen?.applicationRuntimeId,
                  workspaceId: chosen?.workspaceId,
                })
              }
            />
          </Section>
          <Section title={t('installations.install.what')}>
            <BundleChoice
              bundle={bundle}
              version={version}
              versions={bundle === null ? [] : (versions.data?.items ?? [])}
              onBundle={(chosen) =>
                change({
                  bundleEnvironmentKey: chosen?.environmentKey,
                  bundleId: chosen?.bundleId,
                  version: undefined,
                })
              }
              onVersion={(chosen) => change({ version: chosen })}
            />
          </Section>
        </div>
        {manifest.data && bundle !== null && version !== undefined && !edited.isPending ? (
          <InstallForm
            key={`${bundle.environmentKey}/${bundle.bundleId}/${version}/${edited.request?.changeRequestId}`}
            manifest={manifest.data}
            scope={scope}
            copy={
              source.data && copyFrom !== undefined
                ? {
                    bundleInstallId: copyFrom,
                    from: source.data.installation,
                    last: last ?? 'unknown',
                    isRefused: whyNotCopied(source.data, bundle) !== null,
                  }
                : null
            }
            input={input}
            edited={edited.request}
          />
        ) : manifestError ? (
          <ErrorState error={manifestError} onRetry={() => void manifest.refetch()} />
        ) : (
          <Section title={t('installations.install.values')}>
            <LeaveGuard
              isDirty={hasInput(input)}
              isSamePage={({ pathname }) => pathname === '/installations/new'}
            />
            {bundle !== null && version !== undefined ? (
              <SkeletonLines lines={6} />
            ) : (
              <p className="text-muted">{t('installations.install.values.choose')}</p>
            )}
          </Section>
        )}
      </div>
    </Page>
  )
}

/**
 * The version that was the latest when the bundle was chosen. A version that is published later does not replace it
 * while someone is entering values.
 */
function useFirstLatest(
  bundle: { environmentKey: string; bundleId: string } | null,
  latest: string | undefined,
): string | undefined {
  const key = bundle === null ? null : `${bundle.environmentKey}/${bundle.bundleId}`
  const [first, setFirst] = useState<{ key: string; version: string } | null>(null)
  if (key !== null && latest !== undefined && first?.key !== key) setFirst({ key, version: latest })
  return first?.key === key ? first?.version : latest
}
