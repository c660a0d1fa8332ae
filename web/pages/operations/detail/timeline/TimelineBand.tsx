import { useText } from '../../../../i18n/use-text.ts'
import { cx } from '../../../../ui/class-names.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { StepBadge } from '../../../../ui/StateBadge.tsx'
import type { Phase, StepState } from '../../../../ui/states.ts'
import { rowGrid, trackCell, type Drawing } from './drawing.ts'
import type { ResourcesBand } from '../calls/timeline.ts'
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
  const isVisible = between && drawing.x(between.to) >= 0 && drawing.x(between.from) <= drawing.width
  const text =
    count === 0 ? t('operations.detail.resources.none') : t('operations.detail.resources.row', { n: count })
  return (
    <div className={rowGrid}>
      <p className="px-4 pt-2 text-muted @lg:py-2">{text}</p>
      <div data-track="" className={cx(trackCell, '@lg:h-9', between ? 'h-9' : 'h-2')}>
        <TrackLines drawing={drawing} />
        {isVisible && drawing.width > 0 && (
          <span
            title={t('operations.detail.between')}
            className="absolute top-1.5 flex h-6 items-center justify-end rounded-sm border border-quiet-line bg-quiet-tint px-1 text-ok"
            style={placeOf(between, drawing)}
          >
            <Icon name="done" size={12} />
          </span>
        )}
      </div>
    </div>
  )
}

function placeOf(between: NonNullable<ResourcesBand['between']>, { x, width }: Drawing) {
  const from = Math.min(Math.max(0, x(between.from)), width - 22)
  return { left: from, width: Math.max(22, Math.min(width, x(between.to)) - from) }
}
