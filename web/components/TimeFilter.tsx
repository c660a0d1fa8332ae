import { formatShortTime } from '../i18n/format.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { FilterChip } from '../ui/Filters.tsx'
import { Popup } from '../ui/Popup.tsx'
import { useNow } from '../ui/use-now.ts'
import { lazyPart } from './lazy-part.ts'

export type TimeRange = { since?: string | undefined; until?: string | undefined }

const TimeForm = lazyPart(async () => (await import('./filter-forms.ts')).TimeForm)

/** Filters by time. The address contains absolute times, not "today": a pasted link shows the same list tomorrow. */
export function TimeFilter({ since, until, onChange }: TimeRange & { onChange: (range: TimeRange) => void }) {
  const t = useText()
  return (
    <>
      <Popup
        label={t('common.timeFilter.label')}
        renderTrigger={(props) => (
          <Button {...props} {...TimeForm.onIntent} icon="clock">
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
