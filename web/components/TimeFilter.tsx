import { useState } from 'react'
import { formatShortTime } from '../i18n/format.ts'
import { useText, type PlainTextKey } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { FilterChip } from '../ui/Filters.tsx'
import { closePopup, Popup } from '../ui/Popup.tsx'
import { useNow } from '../ui/use-now.ts'
import { localInput, momentOfInput } from './local-time.ts'

type Range = { since?: string | undefined; until?: string | undefined }

const HOUR = 3_600_000
const PRESETS: readonly { label: PlainTextKey; ms: number }[] = [
  { label: 'common.timeFilter.lastHour', ms: HOUR },
  { label: 'common.timeFilter.lastDay', ms: 24 * HOUR },
  { label: 'common.timeFilter.lastWeek', ms: 7 * 24 * HOUR },
]

/** Filters by time. The address contains absolute times, not "today": a pasted link shows the same list tomorrow. */
export function TimeFilter({ since, until, onChange }: Range & { onChange: (range: Range) => void }) {
  const t = useText()
  return (
    <>
      <Popup
        label={t('common.timeFilter.label')}
        renderTrigger={(props) => (
          <Button {...props} icon="clock">
            {t('common.timeFilter.label')}
          </Button>
        )}
      >
        <TimeForm key={`${since} ${until}`} since={since} until={until} onChange={onChange} />
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
  const moment = Date.parse(at)
  const now = useNow(60_000)
  return <>{Number.isNaN(moment) ? at : formatShortTime(moment, now)}</>
}

function TimeForm({ since, until, onChange }: Range & { onChange: (range: Range) => void }) {
  const t = useText()
  const [from, setFrom] = useState(localInput(since))
  const [to, setTo] = useState(localInput(until))
  return (
    <form
      className="w-64 max-w-[calc(100vw-2rem)] space-y-3 p-2"
      onSubmit={(event) => {
        event.preventDefault()
        closePopup(event.currentTarget)
        onChange({ since: momentOfInput(from), until: momentOfInput(to) })
      }}
    >
      <div className="flex flex-col gap-1">
        {PRESETS.map(({ label, ms }) => (
          <button
            key={ms}
            type="button"
            onClick={(event) => {
              closePopup(event.currentTarget)
              onChange({ since: new Date(Date.now() - ms).toISOString(), until: undefined })
            }}
            className="h-8 rounded-md px-2 text-left hover:bg-hover"
          >
            {t(label)}
          </button>
        ))}
      </div>
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
