import {
  formatDuration,
  formatLocalTime,
  formatRelativeTime,
  formatMinute,
  formatUtcTime,
} from '../i18n/format.ts'
import { useText, type Translate } from '../i18n/use-text.ts'
import { useAsOf } from './as-of.ts'
import { cx } from './class-names.ts'
import { Tooltip } from './Tooltip.tsx'
import { useNow } from './use-now.ts'

/**
 * A relative time; hover and focus show the exact local time and UTC. In rows (`inRow`) it is not a tab stop: the page
 * of the row has it.
 */
export function Time({
  at,
  exact = false,
  inRow = false,
  isAge = false,
  className,
}: {
  at: string | number
  /** Shows the local time instead of "4 min ago"; one that a person chose, to the minute. */
  exact?: boolean | 'minute'
  inRow?: boolean
  /** It is an age: shows how many days ago it was, also after more than a week. */
  isAge?: boolean
  className?: string | undefined
}) {
  const t = useText()
  const moment = typeof at === 'number' ? at : Date.parse(at)
  // times over an hour old change slowly, but one clock is cheaper than choosing one
  const now = useNow(1000)
  if (Number.isNaN(moment)) return <span className={className}>{at}</span>
  return (
    <Tooltip text={<BothZones at={moment} />}>
      {(target) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the exact time must be reachable by keyboard
        <time
          {...target}
          dateTime={new Date(moment).toISOString()}
          tabIndex={inRow ? undefined : 0}
          // one to the minute stands in a sentence, and its zone makes it too wide for a narrow column
          className={cx('rounded-sm', exact !== 'minute' && 'whitespace-nowrap', className)}
        >
          {exact === 'minute'
            ? formatMinute(moment)
            : exact
              ? formatLocalTime(moment)
              : formatRelativeTime(moment, now, t, isAge)}
        </time>
      )}
    </Tooltip>
  )
}

function BothZones({ at }: { at: number }) {
  const t = useText()
  return (
    <span className="grid grid-cols-[auto_auto] gap-x-2 whitespace-nowrap">
      <span className="opacity-70">{t('common.time.local')}</span>
      <span>{formatLocalTime(at)}</span>
      <span className="opacity-70">{t('common.time.utc')}</span>
      <span>{formatUtcTime(at)}</span>
    </span>
  )
}

/** A duration; with `since` only, it keeps counting. */
export function Duration({ ms, since }: { ms?: number | null; since?: string | number | null }) {
  const t = useText()
  if (ms !== null && ms !== undefined)
    return <span className="whitespace-nowrap tabular-nums">{formatDuration(ms, t)}</span>
  if (since === null || since === undefined) return null
  return <Running since={toMoment(since)} />
}

function Running({ since }: { since: number }) {
  const t = useText()
  const clock = useNow(1000)
  const now = useAsOf() ?? clock
  return (
    <span className="whitespace-nowrap tabular-nums">{clockText(Math.floor((now - since) / 1000), t)}</span>
  )
}

/** Counts down to a time and then stays at zero. Screen readers do not announce each second. */
export function Countdown({ to, className }: { to: string | number; className?: string | undefined }) {
  const t = useText()
  const now = useNow(1000)
  return (
    <span role="timer" aria-live="off" className={cx('whitespace-nowrap', className)}>
      {clockText(Math.ceil((toMoment(to) - now) / 1000), t)}
    </span>
  )
}

/** Whole seconds of a running clock, never below zero. */
const clockText = (seconds: number, t: Translate): string =>
  seconds <= 0 ? t('common.duration.seconds', { n: 0 }) : formatDuration(seconds * 1000, t)

const toMoment = (at: string | number) => (typeof at === 'number' ? at : Date.parse(at))
