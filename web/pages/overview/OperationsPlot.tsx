import { useQuery } from '@tanstack/react-query'
import { firstHour, hourlyCountsCall } from '#contract/console-api/pages/overview.ts'
import { apiQuery } from '../../api/query.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { partsText, hoursOf, totalsOf, type HourCount } from './plot.ts'
import { Bars, Legend } from './PlotBars.tsx'
import { PlotTable } from './PlotTable.tsx'

const HOUR_MS = 3_600_000

/** The operations of the last 24 hours, by the hour of their request, with their current results. */
export function OperationsPlot() {
  const t = useText()
  const first = firstHour(useNow(HOUR_MS))
  const query = useQuery({
    ...apiQuery('GET /operations/counts', hourlyCountsCall(first)),
    // a new hour keeps the previous data on the screen
    placeholderData: (before) => before,
  })
  const error = useErrorView(query.error)
  if (!query.data) {
    return (
      <Section title={t('overview.plot.title')} flush>
        {error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <Skeleton className="h-64 rounded-lg" />
        )}
      </Section>
    )
  }
  const hours = hoursOf(query.data.buckets, first)
  return (
    <Section title={t('overview.plot.title')} description={summaryText(hours, t)} flush>
      <Card>
        <Legend />
        <Bars hours={hours} />
        <PlotTable hours={hours} />
      </Card>
    </Section>
  )
}

function summaryText(hours: readonly HourCount[], t: Translate): string {
  const totals = totalsOf(hours)
  if (totals.all === 0) return t('overview.plot.none')
  return t('overview.plot.summary', { n: totals.all, parts: partsText(totals, t) })
}
