import { durationMs } from '#contract/console-api/vocabulary.ts'
import { formatDuration, formatShortTime } from '../i18n/format.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { FilterChip } from '../ui/Filters.tsx'
import { Popup } from '../ui/Popup.tsx'
import { useNow } from '../ui/use-now.ts'
import { TimeForm } from './TimeForm.tsx'

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
        renderTrigger={(props) => (
          <Button {...props} icon="clock">
            {t('common.timeFilter.label')}
          </Button>
        )}
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
