import { useText } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { StepBadge } from '../../../ui/StateBadge.tsx'
import type { Phase, StepState } from '../../../ui/states.ts'
import { rowGrid, type Drawing } from './drawing.ts'
import type { ResourcesBand } from './timeline.ts'
import { TrackLines } from './TimelineAxis.tsx'

export function BandHead({ phase, state }: { phase: Phase; state: StepState }) {
  const t = useText()
  return (
    <div className="flex items-center justify-between gap-3 border-y border-line bg-sunken px-4 py-1 first:border-t-0">
      <h3 className="text-xs font-semibold">{t(`vocabulary.phase.${phase}`)}</h3>
      <StepBadge state={state} look="plain" />
    </div>
  )
}

/** What the runtime does itself, in one transaction, without plugins or attempts. */
export function ResourcesRow({ band, drawing }: { band: ResourcesBand; drawing: Drawing }) {
  const t = useText()
  const { between, count } = band
  const text =
    count === 0 ? t('operations.detail.resources.none') : t('operations.detail.resources.row', { n: count })
  return (
    <div className={rowGrid}>
      <p className="px-4 pt-2 text-muted sm:py-2">{text}</p>
      <div className={cx('relative mx-4 sm:ml-0 sm:h-9', between ? 'h-9' : 'h-2')}>
        <TrackLines drawing={drawing} />
        {between && drawing.width > 0 && (
          <span
            title={t('operations.detail.between')}
            className="absolute top-1.5 flex h-6 items-center justify-end rounded-sm border border-quiet-line bg-quiet-tint px-1 text-ok"
            style={{
              left: Math.min(drawing.x(between.from), drawing.width - 22),
              width: Math.max(22, drawing.x(between.to) - drawing.x(between.from)),
            }}
          >
            <Icon name="done" size={12} />
          </span>
        )}
      </div>
    </div>
  )
}
