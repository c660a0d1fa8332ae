import { durationMs, momentAt } from '#contract/console-api/vocabulary.ts'
import { formatDuration, formatShortTime } from '../../i18n/format.ts'
import { type PlainTextKey, useText } from '../../i18n/use-text.ts'
import { Button } from '../Button.tsx'
import { FilterButton, FilterChip } from './FilterBar.tsx'
import { closePopup, Popup } from '../Popup.tsx'
import { useNow } from '../use-now.ts'
import { useState } from 'react'
import { Field } from '../Field.tsx'
import { TextInput } from '../TextInput.tsx'
import { localInput, momentOfInput } from './local-time.ts'
import { parseTime } from './parse-time.ts'

export type TimeRange = { since?: string | undefined; until?: string | undefined }

/**
 * Filters by time: two moments, or how long before now. A list of the last 24 hours stays one, also in a saved view; two
 * moments show the same list tomorrow.
 */
export function TimeFilter({
  since,
  until,
  onChange,
  isRelative = false,
}: TimeRange & {
  onChange: (range: TimeRange) => void
  /** The list understands durations before now. */
  isRelative?: boolean
}) {
  const t = useText()
  return (
    <>
      <Popup
        label={t('common.timeFilter.label')}
        renderTrigger={(props) => <FilterButton {...props} label={t('common.timeFilter.label')} />}
      >
        <TimeForm
          key={`${since} ${until}`}
          since={since}
          until={until}
          onChange={onChange}
          isRelative={isRelative}
        />
      </Popup>
      {since !== undefined && (
        <FilterChip
          label={t('common.timeFilter.since')}
          value={<Moment at={since} />}
          onRemove={() => onChange({ since: undefined, until })}
        />
      )}
      {until !== undefined && (
        <FilterChip
          label={t('common.timeFilter.until')}
          value={<Moment at={until} />}
          onRemove={() => onChange({ since, until: undefined })}
        />
      )}
    </>
  )
}

function Moment({ at }: { at: string }) {
  const t = useText()
  const now = useNow(60_000)
  const ms = durationMs(at)
  if (ms !== null) return <>{t('common.timeFilter.ago', { duration: formatDuration(ms, t) })}</>
  const moment = Date.parse(at)
  return <>{Number.isNaN(moment) ? at : formatShortTime(moment, now)}</>
}

const PRESETS: readonly { label: PlainTextKey; duration: string }[] = [
  { label: 'common.timeFilter.lastHour', duration: 'PT1H' },
  { label: 'common.timeFilter.lastDay', duration: 'PT24H' },
  { label: 'common.timeFilter.lastWeek', duration: 'P7D' },
]

/** The popup of the time filter: presets, or two moments. */
function TimeForm({
  since,
  until,
  onChange,
  isRelative,
}: TimeRange & { onChange: (range: TimeRange) => void; isRelative: boolean }) {
  const t = useText()
  const [from, setFrom] = useState(localInput(since))
  const [to, setTo] = useState(localInput(until))
  const [around, setAround] = useState('')
  const [isUnknown, setUnknown] = useState(false)
  return (
    <form
      className="w-64 max-w-[calc(100vw-2rem)] space-y-3 p-2"
      onSubmit={(event) => {
        event.preventDefault()
        const range = around.trim() === '' ? undefined : parseTime(around, Date.now())
        setUnknown(range === null)
        if (range === null) return
        closePopup(event.currentTarget)
        if (range !== undefined) return onChange(range)
        onChange({ since: momentOfInput(from), until: momentOfInput(to) })
      }}
    >
      <div className="flex flex-col gap-1">
        {PRESETS.map(({ label, duration }) => (
          <button
            key={duration}
            type="button"
            onClick={(event) => {
              closePopup(event.currentTarget)
              onChange({ since: isRelative ? duration : momentAt(duration, Date.now()), until: undefined })
            }}
            className="h-8 rounded-md px-2 text-left hover:bg-hover"
          >
            {t(label)}
          </button>
        ))}
      </div>
      <Field
        label={t('common.timeFilter.around')}
        help={t('common.timeFilter.example')}
        error={isUnknown ? t('common.timeFilter.unknown') : undefined}
      >
        {(wiring) => (
          <TextInput
            {...wiring}
            maxLength={40}
            value={around}
            onChange={(event) => setAround(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('common.timeFilter.since')}>
        {(wiring) => (
          <input
            {...wiring}
            type="datetime-local"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
            className="control"
          />
        )}
      </Field>
      <Field label={t('common.timeFilter.until')}>
        {(wiring) => (
          <input
            {...wiring}
            type="datetime-local"
            value={to}
            onChange={(event) => setTo(event.target.value)}
            className="control"
          />
        )}
      </Field>
      <Button type="submit" variant="primary" className="w-full">
        {t('common.filter.apply')}
      </Button>
    </form>
  )
}
