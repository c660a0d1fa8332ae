import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { CalendarSearch } from '#contract/console-api/pages/calendar.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { Calendar } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { formatTimeOfDay } from '../../i18n/format.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { changeStateText, lookOfChange } from '../../subjects/change-requests/change-looks.ts'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink, TextLink } from '../../ui/Link.tsx'
import { toneText } from '../../ui/tone.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  entriesOfDay,
  isEmpty,
  startOf,
  type Counts,
  type DayEntries,
  type CalendarView,
} from './days.ts'

/** Entries of a day in a month; the week has all of them. */
const SHOWN_MAX = 3

interface Shown {
  view: CalendarView
  today: string
  /** The scope, or the part of one, that the calendar is about. */
  places: Omit<CalendarSearch, 'view' | 'day'>
}

/** The days as a grid of weeks, and in a small window as a list of those on which something is. */
export function CalendarGrid({
  shown: { from, days },
  calendar,
  day: selected,
  onDay,
  ...shown
}: Shown & {
  calendar: Calendar
  shown: { from: string; days: number }
  day: string
  onDay: (day: string) => void
}) {
  const t = useText()
  const grid = useRef<HTMLOListElement>(null)
  const wantsFocus = useRef(false)
  // the day that the arrow keys have reached; the address changes only where they leave the days that are shown
  const [reached, setReached] = useState<string | null>(null)
  const all = Array.from({ length: days }, (_, index) => addDays(from, index)).map((day) => ({
    day,
    entries: entriesOfDay(calendar, day),
  }))
  useEffect(() => {
    if (!wantsFocus.current) return
    wantsFocus.current = false
    linkOf(grid.current, selected)?.focus()
  }, [selected])
  const stop = all.some(({ day }) => day === reached) ? reached : selected
  const move = (event: KeyboardEvent<HTMLOListElement>) => {
    const focused = (event.target as HTMLElement).dataset['dayLink']
    const step = STEPS[event.key]
    if (focused === undefined || step === undefined) return
    event.preventDefault()
    const next = addDays(focused, step)
    const link = linkOf(grid.current, next)
    setReached(link ? next : null)
    if (link) return link.focus()
    wantsFocus.current = true
    onDay(next)
  }
  return (
    <>
      <div aria-hidden="true" className="hidden grid-cols-7 text-xs font-medium text-muted md:grid">
        {all.slice(0, 7).map(({ day }) => (
          <span key={day} className="px-2 pb-1">
            {weekdayOf(day)}
          </span>
        ))}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the arrow keys move between its links */}
      <ol
        ref={grid}
        aria-label={t('calendar.days')}
        onKeyDown={move}
        className="overflow-hidden rounded-lg border border-line bg-surface md:grid md:grid-cols-7 md:gap-px md:bg-line"
      >
        {all.map(({ day, entries }) => (
          <Day
            key={day}
            {...shown}
            day={day}
            entries={entries}
            isTabStop={day === stop}
            isOutside={shown.view === 'month' && day.slice(0, 7) !== selected.slice(0, 7)}
          />
        ))}
        {all.every(({ entries }) => isEmpty(entries)) && (
          <li className="p-4 text-muted md:hidden">{t('calendar.empty')}</li>
        )}
      </ol>
    </>
  )
}

const linkOf = (grid: HTMLElement | null, day: string) =>
  grid?.querySelector<HTMLElement>(`[data-day-link="${day}"]`)

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

const weekdayOf = (day: string) => dateFormat({ weekday: 'short' }).format(dateOf(day))
const nameOf = (day: string) =>
  dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }).format(dateOf(day))

/** The number of a day, as large as a target must be. */
const DAY_TARGET = 'flex min-h-6 min-w-6 items-center'

function Day({
  day,
  entries,
  isTabStop,
  isOutside,
  view,
  today,
  places,
}: Shown & { day: string; entries: DayEntries; isTabStop: boolean; isOutside: boolean }) {
  const t = useText()
  const isMonth = view === 'month'
  const lines = linesOf(entries, t, isMonth)
  const visible = isMonth ? lines.slice(0, SHOWN_MAX) : lines
  const week = paths.calendar(omitUndefined({ ...places, view: 'week', day }))
  const name = nameOf(day)
  const number = (
    <>
      <span className="hidden md:inline" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      <span className="md:sr-only">{name}</span>
    </>
  )
  return (
    <li
      aria-current={day === today ? 'date' : undefined}
      className={cx(
        'min-w-0 gap-1 border-b border-line p-2 last:border-b-0 md:flex md:flex-col md:border-b-0',
        isOutside ? 'bg-sunken' : 'bg-surface',
        isMonth ? 'md:min-h-26' : 'md:min-h-80',
        isEmpty(entries) ? 'hidden md:flex' : 'flex flex-col',
      )}
    >
      <span
        className={cx(
          'self-start text-xs font-medium tabular-nums',
          day === today ? 'rounded-sm bg-accent-tint px-1.5 text-accent' : 'text-muted',
        )}
      >
        {isMonth ? (
          <PlainLink
            to={week}
            tabIndex={isTabStop ? 0 : -1}
            data-day-link={day}
            className={cx(DAY_TARGET, 'rounded-sm')}
          >
            {number}
          </PlainLink>
        ) : (
          <span className={DAY_TARGET}>{number}</span>
        )}
      </span>
      {visible.length > 0 && (
        <ul className="space-y-1 text-xs">
          {visible.map(({ key, content }) => (
            <li key={key}>{content}</li>
          ))}
        </ul>
      )}
      {visible.length < lines.length && (
        <TextLink to={week} className="self-start text-xs">
          {t('calendar.others', { n: lines.length - visible.length })}
        </TextLink>
      )}
      <Operations counts={entries.counts} day={day} places={places} />
    </li>
  )
}

/** In a month, an entry has at most two lines, or five where a day is narrow, and its title says all of it. */
function linesOf({ freezes, changeRequests }: DayEntries, t: Translate, isMonth: boolean) {
  const text = cx('min-w-0 wrap-anywhere', isMonth && 'md:line-clamp-5 xl:line-clamp-2')
  return [
    ...freezes.map(({ name, message, from, to }) => {
      const times = timesText(from, to, t)
      return {
        key: `freeze ${name} ${from}`,
        content: (
          <PlainLink
            to={paths.freezes()}
            className="flex min-h-6 gap-1 rounded-sm border border-doubt-line bg-doubt-tint px-1 py-0.5 text-doubt hover:border-ink"
          >
            <Icon name="lock" size={12} className="mt-0.5 shrink-0" />
            <span className={text} title={t('calendar.freeze.whole', { name, times, message })}>
              <span className="sr-only">{t('calendar.freeze')} </span>
              <span className="font-medium">{name}</span> {times}
            </span>
          </PlainLink>
        ),
      }
    }),
    ...changeRequests.map(({ request: { changeRequestId, title, ...request }, from }) => ({
      key: changeRequestId,
      content: (
        <PlainLink
          to={paths.changeRequest(changeRequestId)}
          className="flex min-h-6 gap-1 rounded-sm border border-line px-1 py-0.5 hover:border-ink"
        >
          <Icon
            name={lookOfChange(request).icon}
            size={12}
            className={cx('mt-0.5 shrink-0', toneText[lookOfChange(request).tone])}
          />
          <span className={text} title={title}>
            {from !== null && <span className="tabular-nums">{formatTimeOfDay(from)} </span>}
            {title}
            <span className="sr-only"> {changeStateText(request, t)}</span>
          </span>
        </PlainLink>
      ),
    })),
  ]
}

/** When a freeze blocks on a day. */
function timesText(from: number | null, to: number | null, t: Translate): string {
  if (from !== null && to !== null)
    return t('calendar.between', { from: formatTimeOfDay(from), to: formatTimeOfDay(to) })
  if (from !== null) return t('calendar.from', { from: formatTimeOfDay(from) })
  return to === null ? t('calendar.all') : t('calendar.until', { to: formatTimeOfDay(to) })
}

function Operations({ counts, day, places }: { counts: Counts; day: string; places: Shown['places'] }) {
  const t = useText()
  const sum = (numbers: readonly (number | undefined)[]) =>
    numbers.reduce<number>((total, n) => total + (n ?? 0), 0)
  const [all, failed] = [sum(Object.values(counts)), sum([counts.FAILED, counts.TAKEN_OVER])]
  if (all === 0) return null
  const of = {
    ...places,
    since: new Date(startOf(day)).toISOString(),
    until: new Date(startOf(addDays(day, 1))).toISOString(),
  }
  return (
    <p className="mt-auto flex flex-wrap gap-x-2 text-xs">
      <PlainLink
        to={paths.operations(omitUndefined(of))}
        className="target rounded-sm text-muted hover:text-ink hover:underline"
      >
        {t('calendar.operations', { n: all })}
      </PlainLink>
      {failed > 0 && (
        <PlainLink
          to={paths.operations(omitUndefined({ ...of, state: 'FAILED,TAKEN_OVER' }))}
          className="target rounded-sm font-medium text-fail hover:underline"
        >
          {t('calendar.failed', { n: failed })}
        </PlainLink>
      )}
    </p>
  )
}
