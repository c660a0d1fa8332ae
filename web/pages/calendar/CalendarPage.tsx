import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CALENDAR_VIEWS, calendarCall, calendarSearch } from '#contract/console-api/pages/calendar.ts'
import type { CalendarSearch } from '#contract/console-api/pages/calendar.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { localDate } from '../../i18n/zone.ts'
import { Page } from '../../layouts/Page.tsx'
import { useScopeFilter } from '../../subjects/scopes/use-scope-search.ts'
import { Button } from '../../ui/Button.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { TextFilters } from '../../ui/filters/TextFilters.tsx'
import { SegmentedControl } from '../../ui/SegmentedControl.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { CalendarGrid } from './CalendarGrid.tsx'
import { addDays, addMonths, dateFormat, dateOf, shownDays, type CalendarView } from './days.ts'

const route = getRouteApi('/change-requests/calendar')

/** Freezes, schedules and past operations in a month or a week, of everything or of one place. */
export function CalendarPage() {
  const t = useText()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const today = localDate(useNow(60_000)).toISOString().slice(0, 10)
  const { view = 'month', day = today } = search
  const shown = shownDays(view, day)
  const query = useQuery({
    ...apiQuery('GET /calendar', calendarCall(shown, search)),
    placeholderData: keepPreviousData,
  })
  const error = useErrorView(query.error)
  const scope = useScopeFilter(search)
  const { view: _, day: __, ...places } = search
  const go = (next: SearchChange<CalendarSearch>) =>
    void navigate({ search: omitUndefined({ ...search, ...next }), replace: true, state: true })
  const step = (n: number) => go({ day: view === 'week' ? addDays(day, 7 * n) : addMonths(day, n) })
  return (
    <Page
      title={t('calendar.title')}
      trail={[{ label: t('changes.title'), to: paths.changeRequests() }]}
      lead={t('calendar.about')}
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Button icon="chevronLeft" label={t(`calendar.previous.${view}`)} onClick={() => step(-1)} />
        <Button onClick={() => go({ day: undefined })}>{t('calendar.today')}</Button>
        <Button icon="chevronRight" label={t(`calendar.next.${view}`)} onClick={() => step(1)} />
        <h2 className="min-w-44 px-1 text-md font-semibold" aria-live="polite">
          {titleOf(view, day, shown.from)}
        </h2>
        <SegmentedControl
          label={t('calendar.view')}
          value={view}
          options={CALENDAR_VIEWS.map((value) => ({ value, label: t(`calendar.view.${value}`) }))}
          onChange={(value) => go({ view: value === 'month' ? undefined : value })}
        />
        <FilterBar
          onClear={
            Object.keys(places).length > 0 && (() => void navigate({ search: omitUndefined({ view, day }) }))
          }
        >
          <TextFilters
            label={t('calendar.place')}
            onOpen={scope.ask}
            // parsed like an address: an invalid workspace is ignored
            onChange={(values) => go({ ...values, ...calendarSearch(values) })}
            filters={scope.filters}
          />
        </FilterBar>
      </div>
      {query.data === undefined ? (
        error === null ? (
          <Skeleton className="h-96 rounded-lg" />
        ) : (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        )
      ) : (
        <>
          {query.data.isMore && <p className="mb-2 text-muted">{t('calendar.more')}</p>}
          <CalendarGrid
            calendar={query.data}
            shown={shown}
            view={view}
            day={day}
            today={today}
            places={places}
            onDay={(next) => go({ day: next })}
          />
        </>
      )}
    </Page>
  )
}

/** `November 2026`, or the first and the last day of the week. */
function titleOf(view: CalendarView, day: string, first: string): string {
  if (view === 'month') return dateFormat({ month: 'long', year: 'numeric' }).format(dateOf(day))
  const ofWeek = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' })
  return ofWeek.formatRange(dateOf(first), dateOf(addDays(first, 6)))
}
