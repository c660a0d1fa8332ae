import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { isRecalled, newestVersion } from '#contract/protocol/version-order.ts'
import { bundleVersionCall, bundleVersionsCall, VERSION_TABS } from '#contract/console-api/pages/catalog.ts'
import type { BundleVersion } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { wholeOf } from '../../subjects/manifest/manifest-query.ts'
import { useMay } from '../../api/session.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Segments } from '../../ui/Id.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { Time } from '../../ui/Time.tsx'
import { CompareTab } from './CompareTab.tsx'
import { StandingActions, StandingNotice } from './Standing.tsx'
import { ManifestTab } from './ManifestTab.tsx'
import { Select } from '../../ui/Select.tsx'
import type { Manifest } from '../../subjects/manifest/writers.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { JsonTree } from '../../ui/value/JsonTree.tsx'

const route = getRouteApi('/catalog/$env/$bundle/$version')

export function BundleVersionPage() {
  const t = useText()
  const rich = useRichText()
  const params = route.useParams()
  const { tab = 'manifest', with: other } = route.useSearch()
  const bundle = { environmentKey: params.env, bundleId: params.bundle }
  const manifest = useQuery({
    ...apiQuery(
      'GET /bundles/{environmentKey}/{bundleId}/versions/{version}',
      bundleVersionCall({ ...bundle, version: params.version }),
    ),
    // a published version never changes
    staleTime: Infinity,
  })
  const versions = useQuery(
    apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', bundleVersionsCall(bundle)),
  )
  const error = useErrorView(manifest.error)
  const mayInstall = useMay('installation:install', 'anywhere')
  const items = versions.data?.items ?? []
  const entry = items.find(({ version }) => version === params.version)
  const mayStart = mayInstall && !(entry && isRecalled(entry))
  const name = manifest.data?.title ?? params.bundle
  const [isInstalling, setInstalling] = useState(false)
  return (
    <Page
      title={`${name} ${params.version}`}
      trail={[{ label: t('catalog.title'), to: paths.catalog() }]}
      state={newestVersion(items)?.version === params.version && <Badge>{t('catalog.version.latest')}</Badge>}
      meta={
        <>
          <Segments parts={[params.env, params.bundle]} />
          {entry && (
            <span>
              {rich('catalog.version.published', {
                at: <Time at={entry.publishedAt} />,
                who: entry.publishedBy.name,
              })}
            </span>
          )}
        </>
      }
      actions={
        <>
          <VersionSwitch params={params} versions={items} />
          <LinkButton
            to={paths.installations({ bundleId: params.bundle, version: params.version })}
            icon="installations"
          >
            {t('catalog.version.installed')}
          </LinkButton>
          {mayStart && (
            <Button icon="batches" {...LazyBatchDialog.onIntent} onClick={() => setInstalling(true)}>
              {t('catalog.version.installIn')}
            </Button>
          )}
          {entry && <StandingActions entry={entry} />}
          {mayStart && (
            <LinkButton
              variant="primary"
              // in the line of a phone, it would be out of view
              className="max-sm:order-first"
              icon="plus"
              to={paths.installationNew({
                bundleEnvironmentKey: params.env,
                bundleId: params.bundle,
                version: params.version,
              })}
            >
              {t('catalog.version.install')}
            </LinkButton>
          )}
        </>
      }
      tabs={
        <Tabs
          label={t('catalog.version.tab.label')}
          current={tab}
          tabs={VERSION_TABS.map((id) => ({
            id,
            label: t(`catalog.version.tab.${id}`),
            to: paths.bundleVersion(params, id === 'manifest' ? {} : { tab: id }),
          }))}
        />
      }
    >
      {entry && <StandingNotice entry={entry} />}
      {error ? (
        <ErrorState error={error} retrying={manifest.isFetching} onRetry={() => void manifest.refetch()} />
      ) : !manifest.data ? (
        <SkeletonLines lines={10} />
      ) : tab === 'json' ? (
        <JsonTab manifest={manifest.data} />
      ) : tab === 'compare' ? (
        <CompareTab params={params} manifest={wholeOf(manifest.data)} versions={items} other={other} />
      ) : (
        <ManifestTab manifest={wholeOf(manifest.data)} />
      )}
      {isInstalling && (
        <Suspense>
          <LazyBatchDialog
            action="INSTALL"
            targets={[]}
            install={{ bundle, title: name, version: params.version }}
            onClose={() => setInstalling(false)}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** Switches to another version of the same bundle, on the same page. */
function VersionSwitch({
  params,
  versions,
}: {
  params: { env: string; bundle: string; version: string }
  versions: readonly BundleVersion[]
}) {
  const t = useText()
  const navigate = useNavigate()
  const isKnown = versions.some(({ version }) => version === params.version)
  return (
    <Select
      aria-label={t('catalog.version.versions')}
      className="mono w-36 sm:max-lg:w-22"
      value={params.version}
      options={[
        ...(isKnown ? [] : [{ value: params.version, label: params.version }]),
        ...versions.map(({ version }) => ({ value: version, label: version })),
      ]}
      onChange={(event) => void navigate(paths.bundleVersion({ ...params, version: event.target.value }))}
    />
  )
}

function JsonTab({ manifest }: { manifest: Manifest }) {
  const t = useText()
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">{t('catalog.version.json.about')}</p>
        <CopyButton text={() => JSON.stringify(manifest, null, 2)}>
          {t('catalog.version.json.copy')}
        </CopyButton>
      </div>
      <JsonTree value={manifest} label={t('catalog.version.tab.json')} openDepth={3} />
    </>
  )
}
