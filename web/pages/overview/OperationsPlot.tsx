import { useQuery } from '@tanstack/react-query'
import { firstHour, hourlyCountsCall } from '#contract/console-api/pages/overview.ts'
import { paths } from '../../addresses/paths.ts'
import { apiQuery } from '../../api/query.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { formatNumber, formatTimeOfDay } from '../../i18n/format.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Plot, type Look } from '../../ui/plot/Plot.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { partsText, hoursOf, RESULTS, totalsOf, type HourCount, type Result } from './plot.ts'
import { PlotTable } from './PlotTable.tsx'

const HOUR_MS = 3_600_000

const LOOKS: Readonly<Record<Result, Look>> = {
  SUCCEEDED: { ink: 'var(--ok)', texture: 'light' },
  IN_PROGRESS: { ink: 'var(--live)', texture: 'dots' },
  TAKEN_OVER: { ink: 'var(--moved)', texture: 'stripes' },
  FAILED: { ink: 'var(--danger-fill)' },
}

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
        <Plot
          kind="bars"
          isLow
          series={RESULTS.map((result) => ({
            id: result,
            label: t(`overview.result.${result}`),
            look: LOOKS[result],
            values: hours.map(({ counts }) => counts[result]),
          }))}
          times={hours.map(({ from }) => from)}
          end={hours.at(-1)?.to ?? first}
          format={formatNumber}
          formatTime={formatTimeOfDay}
          formatBucket={(from, to) => `${formatTimeOfDay(from)}–${formatTimeOfDay(to)}`}
          linkOf={(index) => operationsOf(hours[index])}
        />
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

const operationsOf = (hour: HourCount | undefined) =>
  paths.operations(
    hour && { since: new Date(hour.from).toISOString(), until: new Date(hour.to).toISOString() },
  )
