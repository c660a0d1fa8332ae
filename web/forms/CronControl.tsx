import { Cron } from 'croner'
import { useText } from '../i18n/use-text.ts'
import { TextInput } from '../ui/TextInput.tsx'
import { Time } from '../ui/Time.tsx'
import type { ControlProps } from './control-props.ts'
import { dataValue, setData } from './edit.ts'

const SHOWN_RUNS = 3

/** A schedule in cron's five fields, with the next times at which it runs. */
export function CronControl({ definition, value, onEdit, wiring, readOnly, zone = 'UTC' }: ControlProps) {
  const t = useText()
  const data = dataValue(value)
  const text = typeof data === 'string' ? data : ''
  const runs = nextRuns(text, zone)
  return (
    <div>
      <TextInput
        {...wiring}
        code
        value={text}
        readOnly={readOnly}
        onChange={(event) => onEdit(setData(definition, event.target.value))}
      />
      {text !== '' && (
        <div className="mt-1 text-xs text-muted" aria-live="polite">
          {runs === null ? (
            t('forms.cron.invalid')
          ) : runs.length === 0 ? (
            t('forms.cron.never')
          ) : (
            <>
              {t('forms.cron.next')} {t('forms.cron.zone', { zone })}:{' '}
              {runs.map((run, index) => (
                <span key={run}>
                  {index > 0 && ' · '}
                  <Time at={run} />
                </span>
              ))}
            </>
          )}
        </div>
      )}
    </div>
  )
}

function nextRuns(text: string, zone: string): string[] | null {
  try {
    return new Cron(text, { timezone: zone, paused: true })
      .nextRuns(SHOWN_RUNS)
      .map((run) => run.toISOString())
  } catch {
    return null
  }
}
