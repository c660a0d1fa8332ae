import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { waitingCall } from '#contract/console-api/pages/change-requests.ts'
import { activeFreezesCall } from '#contract/console-api/pages/freezes.ts'
import { webhooksCall } from '#contract/console-api/pages/notifications.ts'
import { pausesCall } from '#contract/console-api/pages/pauses.ts'
import { overviewCausesCall, summaryCall } from '#contract/console-api/pages/overview.ts'
import { useMay } from '../../api/session.ts'
import { paths } from '../../addresses/paths.ts'
import { Card } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LinkButton, TextLink } from '../../ui/Link.tsx'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Pauses } from '../../subjects/gate/Pauses.tsx'
import { TroubleNotices } from '../../subjects/troubles/Troubles.tsx'
import { Page } from '../../layouts/Page.tsx'
import { OverviewSummary } from './OverviewSummary.tsx'
import { Mine } from './Mine.tsx'
import { MyDrafts } from './MyDrafts.tsx'
import { MyRequests } from './MyRequests.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { OperationsPlot } from './OperationsPlot.tsx'
import { apiQuery } from '../../api/query.ts'
import { formatDuration } from '../../i18n/format.ts'
import { Notice } from '../../ui/Notice.tsx'

/** What the person works on, what needs attention, the last 24 hours, and the totals. */
export function OverviewPage() {
  const t = useText()
  const isAway = useIsAway()
  const isNew = useIsNew()
  return (
    <Page
      title={t('overview.title')}
      notice={
        <>
          <TroubleNotices />
          <Clocks />
          <ActiveFreezes />
          <ActivePauses />
          <FailingWebhooks />
          <WaitingForMe />
        </>
      }
    >
      {/* one column while there are no totals */}
      <div className="grid gap-x-8 gap-y-8 xl:has-[>:nth-child(2)]:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="min-w-0 space-y-8">
          <Mine />
          <MyDrafts />
          <MyRequests />
          {isNew ? <FirstSteps /> : <NeedsAttention />}
          {!isAway && !isNew && <OperationsPlot />}
        </div>
        {!isAway && !isNew && <OverviewSummary />}
      </div>
    </Page>
  )
}

/** Whether nothing can be read. {@link NeedsAttention} says so, and the other parts do not say it again. */
function useIsAway(): boolean {
  const queries = [
    useQuery(apiQuery('GET /causes', overviewCausesCall)),
    useQuery(apiQuery('GET /summary', summaryCall)),
  ]
  return queries.every(({ data, errorUpdateCount }) => data === undefined && errorUpdateCount > 0)
}

/** Whether nothing was ever installed in the person's scopes, so that every list and count would be empty. */
function useIsNew(): boolean {
  const { data } = useQuery(apiQuery('GET /summary', summaryCall))
  return data !== undefined && Object.values(data.installations).every((count) => count === 0)
}

/** In place of empty lists: what to do first, for people who may. For others, a deployment in use may look empty. */
function FirstSteps() {
  const t = useText()
  const mayRegister = useMay('plugin:write', 'everywhere')
  const mayPublish = useMay('catalog:write', 'everywhere')
  const mayBegin = mayRegister && mayPublish
  return (
    <Card>
      <EmptyState
        icon="installations"
        title={t('installations.empty.title')}
        message={t(mayBegin ? 'overview.new.message' : 'installations.visible')}
        action={
          mayBegin && (
            <div className="flex flex-wrap justify-center gap-2">
              <LinkButton to={paths.plugins()} icon="plugins">
                {t('plugins.title')}
              </LinkButton>
              <LinkButton to={paths.catalog()} icon="catalog">
                {t('catalog.title')}
              </LinkButton>
            </div>
          )
        }
      />
    </Card>
  )
}

/** Says that changes are frozen in some of the person's scopes. */
function ActiveFreezes() {
  const t = useText()
  const rich = useRichText()
  const { data } = useQuery(apiQuery('GET /freezes', activeFreezesCall))
  const active = data?.items ?? []
  if (active.length === 0) return null
  return (
    <Notice tone="warn" icon="lock">
      {rich('freezes.overview', {
        n: active.length,
        names: active.map(({ name }, index) => (
          <Fragment key={name}>
            {index > 0 && t('common.punctuation.list')}
            <TextLink to={paths.freezes()}>{name}</TextLink>
          </Fragment>
        )),
      })}
    </Notice>
  )
}

/** What somebody paused in the person's scopes, and the paused plugins. */
function ActivePauses() {
  const { data } = useQuery(apiQuery('GET /pauses', pausesCall))
  return <Pauses pauses={data?.items ?? []} isLinked />
}

/** Names the webhooks whose receivers accept nothing, to people who may manage them: a broken pager is silent. */
function FailingWebhooks() {
  const t = useText()
  const rich = useRichText()
  const may = useMay('notification:write', 'everywhere')
  const { data } = useQuery({ ...apiQuery('GET /webhooks', webhooksCall), enabled: may })
  const failing = (data?.items ?? []).filter(({ enabled, failingSince }) => enabled && failingSince !== null)
  if (failing.length === 0) return null
  return (
    <Notice tone="warn">
      {rich('overview.webhooks', {
        n: failing.length,
        names: failing.map(({ webhookId, title }, index) => (
          <Fragment key={webhookId}>
            {index > 0 && t('common.punctuation.list')}
            <TextLink to={paths.notification(webhookId)}>{title}</TextLink>
          </Fragment>
        )),
      })}
    </Notice>
  )
}

/** Leads to the change requests that wait for an approval by the person. */
function WaitingForMe() {
  const t = useText()
  const may = useMay('change:approve', 'anywhere')
  const { data } = useQuery({ ...apiQuery('GET /change-requests/waiting', waitingCall), enabled: may })
  if (data === undefined || data.count === 0) return null
  return (
    <Notice icon="review">
      <TextLink to={paths.changeRequests({ waiting: 'me' })}>
        {t('changes.waiting.overview', { n: data.count })}
      </TextLink>
    </Notice>
  )
}

/** Says that the clocks of the servers differ, as long as they do. */
export function Clocks() {
  const t = useText()
  const { data } = useQuery(apiQuery('GET /summary', summaryCall))
  const aheadMs = data?.clockAheadMs ?? null
  if (aheadMs === null) return null
  return (
    <Notice tone="warn" live>
      {t('overview.clocks', { time: formatDuration(Math.abs(aheadMs), t) })}
    </Notice>
  )
}
