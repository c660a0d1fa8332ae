import { useQuery } from '@tanstack/react-query'
import { summaryCall } from '#contract/console-api/pages/overview.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { OverviewSummary } from './OverviewSummary.tsx'
import { Mine } from './Mine.tsx'
import { MyDrafts } from './MyDrafts.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { OperationsPlot } from './OperationsPlot.tsx'
import { apiQuery } from '../../api/query.ts'
import { formatDuration } from '../../i18n/format.ts'
import { Notice } from '../../ui/Notice.tsx'

/** What the person works on, what needs attention, the last 24 hours, and the totals. */
export function OverviewPage() {
  const t = useText()
  return (
    <Page title={t('overview.title')}>
      <div className="grid gap-x-8 gap-y-8 xl:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="min-w-0 space-y-8">
          <Clocks />
          <Mine />
          <MyDrafts />
          <NeedsAttention />
          <OperationsPlot />
        </div>
        <OverviewSummary />
      </div>
    </Page>
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
