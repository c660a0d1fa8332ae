import type { Batch } from '#contract/console-api/shapes.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useRichText, useText, type Translate } from '../../i18n/use-text.ts'
import { BatchProgress } from '../../subjects/batch/BatchProgress.tsx'
import { needsPerson } from '../../subjects/batch/batch-looks.ts'
import { paths } from '../../addresses/paths.ts'
import { cx } from '../../ui/class-names.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Countdown, Time } from '../../ui/Time.tsx'
import { toneText, type Tone } from '../../ui/tone.ts'

type Wave = NonNullable<Batch['byWave']>[number]

/** The waves of a batch as a row of steps, with the results of each. */
export function WaveSteps({ batch }: { batch: Batch }) {
  const t = useText()
  const { byWave = [], waves, waiting } = batch
  if (byWave.length === 0) return null
  return (
    <ol
      aria-label={t('batches.waves')}
      className="mb-3 grid grid-cols-[repeat(auto-fit,minmax(min(100%,11rem),1fr))] gap-2"
    >
      {byWave.map((wave) => {
        const state = waiting?.wave === wave.wave ? 'WAITS' : stateOf(wave)
        const { icon, tone } = LOOK[state]
        const isTimed = state === 'WAITS' && !needsPerson(batch)
        return (
          <li
            key={wave.wave}
            className={cx(
              'min-w-0 rounded-lg border bg-surface px-3 py-2',
              state === 'WAITS' || state === 'RUNS' ? 'border-line-strong' : 'border-line',
            )}
          >
            <p className="flex flex-wrap items-center gap-x-2">
              <Icon name={icon} size={14} className={toneText[isTimed ? 'live' : tone]} />
              <span className="font-medium">{t('batches.wave', { number: wave.wave })}</span>
              <span className="text-xs text-muted">
                {state === 'WAITS' && waiting?.until !== undefined ? (
                  <Countdown to={waiting.until} />
                ) : (
                  t(`batches.waves.state.${state}`)
                )}
              </span>
            </p>
            {waves?.environments !== undefined && (
              <p className="mb-1 text-xs wrap-anywhere text-muted">{joinList(t, wave.environments)}</p>
            )}
            <BatchProgress counts={wave.counts} />
            {wave.released === true && (
              <p className="mt-1 text-xs text-doubt">{t('batches.waves.released')}</p>
            )}
          </li>
        )
      })}
    </ol>
  )
}

type State = 'WAITS' | 'RUNS' | 'DONE' | 'FAILED' | 'NEXT' | 'SKIPPED'

const LOOK: Record<State, { icon: IconName; tone: Tone }> = {
  WAITS: { icon: 'waiting', tone: 'doubt' },
  RUNS: { icon: 'running', tone: 'live' },
  DONE: { icon: 'done', tone: 'ok' },
  FAILED: { icon: 'warning', tone: 'doubt' },
  NEXT: { icon: 'pending', tone: 'quiet' },
  SKIPPED: { icon: 'nothing', tone: 'quiet' },
}

function stateOf({ counts }: Wave): State {
  const { PENDING, RUNNING, SUCCEEDED, FAILED, REFUSED, SKIPPED } = counts
  const begun = RUNNING + SUCCEEDED + FAILED + REFUSED
  if (begun === 0) return SKIPPED > 0 ? 'SKIPPED' : 'NEXT'
  if (RUNNING > 0 || PENDING > 0) return 'RUNS'
  return FAILED + REFUSED + SKIPPED > 0 ? 'FAILED' : 'DONE'
}

/** Why the next wave does not start yet, until when, and what a person can do. */
export function WaitingNotice({ batch }: { batch: Batch }) {
  const t = useText()
  const rich = useRichText()
  const { waiting, waves } = batch
  if (waiting === undefined || waves === undefined) return null
  const { wave, until, plugins } = waiting
  const last = wave - 1
  return (
    <Notice
      tone={needsPerson(batch) ? 'warn' : 'info'}
      icon="waiting"
      live
      title={t('batches.waves.waits', { number: wave })}
    >
      <ul className="space-y-0.5">
        {until !== undefined && (
          <li>{rich('batches.waves.because.SOAK', { number: last, time: <Time at={until} exact /> })}</li>
        )}
        {waiting.because.includes('FAILURES') && (
          <li>{t('batches.waves.because.FAILURES', { number: last, max: allowed(waves.maxFailures, t) })}</li>
        )}
        {plugins.map(({ pluginId, success }) => (
          <li key={pluginId}>
            {rich('batches.waves.because.PLUGINS', {
              plugin: <TextLink to={paths.plugin(pluginId)}>{pluginId}</TextLink>,
              number: last,
              success,
              min: waves.minPluginSuccess ?? 0,
            })}
          </li>
        ))}
      </ul>
      <p className="mt-1">
        {t(needsPerson(batch) ? 'batches.waves.next.person' : 'batches.waves.next.itself')}
      </p>
    </Notice>
  )
}

const allowed = (max: number | string, t: Translate): string =>
  max === 0 || max === '0%' ? t('batches.waves.none') : String(max)
