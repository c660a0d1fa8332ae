import { useState } from 'react'
import { isSchedule } from '#contract/json-schema/cron.ts'
import { isTimeZone } from '#contract/json-schema/time-zone.ts'
import { localeState } from '../../../i18n/locale.ts'
import { offsetText } from '../../../i18n/format.ts'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { FreeTextInput } from '../../../ui/FreeTextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { nextRuns, type Irregularity, type Run } from './cron-runs.ts'
import { describeCron } from './describe-cron.ts'
import { dataValue, setData } from '../property-edit.ts'

/** A schedule in cron's five fields: its meaning in words, and its next runs in its time zone. */
export function CronControl({ definition, value, onEdit, wiring, readOnly, zone = 'UTC' }: ControlProps) {
  const t = useText()
  const data = dataValue(value)
  const text = typeof data === 'string' ? data : ''
  const [now] = useState(() => Date.now())
  const coming = runsIn(text, zone, now)
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
        {coming !== null && (
          <>
            <p>
              {t('forms.cron.next', { zone, runs: coming.runs.map((run) => runText(run, now)).join(' · ') })}
            </p>
            {coming.irregular.map((one) => (
              <p key={`${one.kind} ${one.local}`}>{irregularText(one, t)}</p>
            ))}
          </>
        )}
      </div>
    </div>
  )
}

/** The next runs; null if the text is not a schedule, which is the error of the field, or the zone is not known. */
function runsIn(text: string, zone: string, now: number): ReturnType<typeof nextRuns> | null {
  if (!isSchedule(text) || !isTimeZone(zone)) return null
  try {
    return nextRuns(text, zone, now)
  } catch {
    // the zone may be younger than the browser
    return null
  }
}

/** With the weekday, which is what people check, and with the year if it is not this one. */
function runText({ local, offset }: Run, now: number): string {
  const time = dateText(local, {
    weekday: 'short',
    ...yearUnless(now, local),
    hour: '2-digit',
    minute: '2-digit',
  })
  return offset === null ? time : `${time} (${offsetText(offset)})`
}

function irregularText(irregular: Irregularity, t: Translate): string {
  const of = { time: clockText(irregular.local), dateOfYear: dateText(irregular.local, { year: 'numeric' }) }
  if (irregular.kind === 'twice')
    return t(irregular.isBoth ? 'forms.cron.twice' : 'forms.cron.twiceRunsOnce', of)
  return irregular.instead === null
    ? t('forms.cron.missing', of)
    : t('forms.cron.missingRunsAt', { ...of, instead: clockText(irregular.instead) })
}

/** The year of the zone's clock differs from that of UTC for some hours, which nobody reads as another year. */
const yearUnless = (now: number, local: number) =>
  new Date(now).getUTCFullYear() === new Date(local).getUTCFullYear() ? {} : { year: 'numeric' as const }

/** The fields of `local` are those in UTC. */
const dateText = (local: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(tag(), {
    timeZone: 'UTC',
    day: 'numeric',
    month: 'short',
    hourCycle: 'h23',
    ...options,
  }).format(local)

const clockText = (local: number): string => new Date(local).toISOString().slice(11, 16)

/** "Monday, Tuesday and Friday". 4 January 1970 was a Sunday. */
function weekdayNames(weekdays: readonly number[]): string {
  const name = new Intl.DateTimeFormat(tag(), { weekday: 'long', timeZone: 'UTC' })
  const names = weekdays.map((weekday) => name.format(Date.UTC(1970, 0, 4 + weekday)))
  return new Intl.ListFormat(tag(), { type: 'conjunction' }).format(names)
}

const tag = (): string => localeState().formats.tag
