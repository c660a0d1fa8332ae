import { Cron } from 'croner'
import { isSchedule } from '#contract/json-schema/cron.ts'
import { isTimeZone } from '#contract/json-schema/time-zone.ts'
import { localeState } from '../../../i18n/locale.ts'
import { useText } from '../../../i18n/use-text.ts'
import { FreeTextInput } from '../../../ui/FreeTextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { describeCron } from './describe-cron.ts'
import { dataValue, setData } from '../edit.ts'

const SHOWN_RUNS = 3

/** A schedule in cron's five fields: its meaning in words, and its next runs in its time zone. */
export function CronControl({ definition, value, onEdit, wiring, readOnly, zone = 'UTC' }: ControlProps) {
  const t = useText()
  const data = dataValue(value)
  const text = typeof data === 'string' ? data : ''
  const runs = nextRuns(text, zone)
  const words = isSchedule(text) ? describeCron(text, t, weekdayNames) : null
  return (
    <div>
      <FreeTextInput
        {...wiring}
        code
        className="max-w-80"
        value={text}
        readOnly={readOnly}
        onText={(next) => onEdit(setData(definition, next))}
      />
      <div className="mt-1.5 text-xs text-muted empty:hidden" aria-live="polite">
        {words !== null && <p className="font-medium text-ink">{words}</p>}
        {runs !== null && (
          <p>{t('forms.cron.next', { zone, runs: runs.map((run) => runText(run, zone)).join(' · ') })}</p>
        )}
      </div>
    </div>
  )
}

/** The next runs; null if the text is not a schedule, which is the error of the field, or the zone is not known. */
function nextRuns(text: string, zone: string): Date[] | null {
  if (!isSchedule(text) || !isTimeZone(zone)) return null
  try {
    return new Cron(text, { timezone: zone, paused: true }).nextRuns(SHOWN_RUNS)
  } catch {
    // the zone may be younger than the browser
    return null
  }
}

/** In the schedule's time zone, with the weekday, which is what people check. */
function runText(run: Date, zone: string): string {
  return new Intl.DateTimeFormat(language(), {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(run)
}

/** "Monday, Tuesday and Friday". 4 January 1970 was a Sunday. */
function weekdayNames(weekdays: readonly number[]): string {
  const name = new Intl.DateTimeFormat(language(), { weekday: 'long', timeZone: 'UTC' })
  const names = weekdays.map((weekday) => name.format(Date.UTC(1970, 0, 4 + weekday)))
  return new Intl.ListFormat(language(), { type: 'conjunction' }).format(names)
}

const language = (): string => (localeState().locale === 'zh' ? 'zh-CN' : 'en-GB')
