import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { OverviewSummary } from './OverviewSummary.tsx'
import { Clocks } from './Clocks.tsx'
import { MyDrafts } from './MyDrafts.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { OperationsPlot } from './OperationsPlot.tsx'

/** What needs attention now, the last 24 hours, and the totals. */
export function OverviewPage() {
  const t = useText()
  return (
    <Page title={t('overview.title')}>
      <div className="grid gap-x-8 gap-y-8 xl:grid-cols-[minmax(0,1fr)_17rem]">
        <div className="min-w-0 space-y-8">
          <Clocks />
          <MyDrafts />
          <NeedsAttention />
          <OperationsPlot />
        </div>
        <OverviewSummary />
      </div>
    </Page>
  )
}
