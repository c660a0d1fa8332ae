import type { Ref } from 'react'
import { formatDuration, formatExactTime, formatRoughDuration, zoneOf } from '../../../../i18n/format.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { cx } from '../../../../ui/class-names.ts'
import { rowGrid, tickText, trackCell, type AxisPart, type Drawing } from './drawing.ts'
import type { runsOf, ResourcesBand } from '../calls/timeline.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { StepBadge } from '../../../../ui/StateBadge.tsx'
import type { Phase, StepState } from '../../../../ui/states.ts'

const PAUSE_PX = 40
/** The width of a time to the millisecond. */
const LABEL_PX = 84

/** Clock times at the edges of what is visible and at round times between them, in the person's time zone. */
export function Axis({
  ref,
  drawing,
  runs,
}: {
  ref: Ref<HTMLDivElement>
  runs: ReturnType<typeof runsOf>
  drawing: Drawing
}) {
  const t = useText()
  const { axis, x, width } = drawing
  const [first] = axis
  return (
    <div className={cx(rowGrid, 'border-b border-line bg-sunken')}>
      <span className="px-4 pt-1 text-xs text-muted @lg:pt-4">
        {first && t('operationTimeline.zone', { zone: zoneOf(first.from) })}
      </span>
      <div ref={ref} aria-hidden="true" data-track="" className={cx(trackCell, 'h-9 text-xs text-muted')}>
        {axis.map((part) => (
          <PartLabels key={part.from} part={part} />
        ))}
        {runs
          .filter(({ from }) => x(from) >= 0 && x(from) <= width)
          .map(({ run, from }) => (
            <span
              key={run}
              className="absolute top-0.5 border-l border-moved pl-1 font-medium whitespace-nowrap text-moved"
              style={{ left: x(from) }}
            >
              {t('operations.field.run', { run })}
            </span>
          ))}
      </div>
    </div>
  )
}

function PartLabels({ part }: { part: AxisPart }) {
  const t = useText()
  const { left, width } = part
  if (part.kind === 'pause') {
    return (
      <span
        title={t('operations.detail.gap', { time: formatDuration(part.lengthMs, t) })}
        className="absolute bottom-1 truncate text-center text-faint"
        style={{ left, width }}
      >
        {width >= PAUSE_PX && formatRoughDuration(part.lengthMs, t)}
      </span>
    )
  }
  const { from, step, ticks } = part
  return (
    <>
      {width >= LABEL_PX / 2 && (
        <span
          title={formatExactTime(from)}
          className="absolute bottom-1 overflow-hidden font-medium whitespace-nowrap text-ink tabular-nums"
          style={{ left, maxWidth: width }}
        >
          {tickText(from, Math.min(step, 1000))}
        </span>
      )}
      {ticks
        .filter(({ x }) => x - left >= LABEL_PX * 1.6 && left + width - x >= LABEL_PX / 2)
        .map(({ at, x }) => (
          <span
            key={at}
            title={formatExactTime(at)}
            className="absolute bottom-1 -translate-x-1/2 whitespace-nowrap tabular-nums"
            style={{ left: x }}
          >
            {tickText(at, step)}
          </span>
        ))}
    </>
  )
}

/** The background of every row: ticks, pauses, and the current time. */
export function TrackLines({ drawing: { axis, x, now, isLive, width } }: { drawing: Drawing }) {
  return (
    <span aria-hidden="true" className="absolute inset-0">
      {axis.map((part) =>
        part.kind === 'pause' ? (
          <span
            key={part.from}
            className="absolute inset-y-0 bg-[repeating-linear-gradient(115deg,transparent_0_5px,var(--line)_5px_6px)]"
            style={{ left: part.left, width: part.width }}
          />
        ) : (
          [part.left, ...part.ticks.map((tick) => tick.x)].map((left) => (
            <span key={left} className="absolute inset-y-0 w-px bg-line" style={{ left }} />
          ))
        ),
      )}
      {isLive && x(now) >= 0 && x(now) <= width && (
        <span className="absolute inset-y-0 w-px bg-live" style={{ left: x(now) }} />
      )}
    </span>
  )
}

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
