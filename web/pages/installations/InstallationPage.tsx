import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { apiQuery } from '../../api/query.ts'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { RecentOperations } from '../../subjects/operations/RecentOperations.tsx'
import { FollowButton } from '../../subjects/inbox/FollowButton.tsx'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { paths } from '../../addresses/paths.ts'
import { Count } from '../../ui/Badge.tsx'
import { InstallationBadge } from '../../ui/StateBadge.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { OpenChangeRequests } from '../../subjects/change-requests/OpenChangeRequests.tsx'
import { Actions } from './detail/Actions.tsx'
import { ClaimNotice } from './detail/ClaimNotice.tsx'
import { Identity } from './detail/Identity.tsx'
import { PinNotice } from './detail/Pin.tsx'
import { Plugins } from './detail/Plugins.tsx'
import { ProtectionNotice } from './detail/Protection.tsx'
import { Resources } from './detail/Resources.tsx'
import { INSTALLATION_TABS, installationCall } from '#contract/console-api/pages/installations.ts'
import { References } from './detail/References.tsx'
import { Succession } from './detail/Succession.tsx'

const route = getRouteApi('/installations/$id')

const UpgradePage = lazyPart(async () => (await import('./upgrade/UpgradePage.tsx')).UpgradePage)

export function InstallationPage() {
  const t = useText()
  const { id } = route.useParams()
  const { action, change } = route.useSearch()
  const query = useQuery(apiQuery('GET /installations/{bundleInstallId}', installationCall(id)))
  if (!query.data) {
    return (
      <PendingPage
        id={id}
        trail={[{ label: t('installations.title'), to: paths.installations() }]}
        query={query}
      />
    )
  }
  if (action === 'upgrade') {
    return (
      <Suspense fallback={<Page title={t('installations.upgrade')}>{null}</Page>}>
        <UpgradePage key={`${id}/${change}`} detail={query.data} />
      </Suspense>
    )
  }
  return <Shown detail={query.data} />
}

function Shown({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const { tab = 'resources' } = route.useSearch()
  const { installation, state, title, claim } = detail
  const { bundleInstallId, bundle } = installation
  const counts = {
    resources: detail.resources.length,
    plugins: detail.plugins.length,
    references: null,
    operations: null,
  }
  return (
    <Page
      title={title ?? bundle.bundleId}
      environment={installation.environmentKey}
      trail={[{ label: t('installations.title'), to: paths.installations() }]}
      state={<InstallationBadge state={state} look="pill" />}
      meta={
        <>
          <ScopeLink scope={installation} />
          <FollowButton subject={{ kind: 'installation', bundleInstallId }} />
        </>
      }
      actions={<Actions detail={detail} />}
      notice={
        <>
          {claim && <ClaimNotice claim={claim} nextStep={detail.nextStep} />}
          <OpenChangeRequests of={{ bundleInstallId }} />
        </>
      }
    >
      <ProtectionNotice detail={detail} />
      <PinNotice detail={detail} />
      <Succession detail={detail} />
      <Identity detail={detail} />
      <div className="mb-5">
        <Tabs
          label={t('installations.tab.label')}
          current={tab}
          tabs={INSTALLATION_TABS.map((id) => ({
            id,
            label: t(`installations.tab.${id}`),
            to: paths.installation(bundleInstallId, id === 'resources' ? {} : { tab: id }),
            count: counts[id] !== null && <Count>{counts[id]}</Count>,
          }))}
        />
      </div>
      {tab === 'resources' && <Resources detail={detail} />}
      {tab === 'plugins' && <Plugins plugins={detail.plugins} />}
      {tab === 'references' && <References installation={installation} title={title} />}
      {tab === 'operations' && <RecentOperations of={{ bundleInstallId }} />}
    </Page>
  )
}
