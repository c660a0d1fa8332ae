import type { Ref } from 'react'
import { formatDuration, formatExactTime, formatRoughDuration, zoneOf } from '../../../../i18n/format.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { cx } from '../../../../ui/class-names.ts'
import { rowGrid, tickText, trackCell, type AxisPart, type Drawing } from './drawing.ts'
import type { runsOf } from '../calls/timeline.ts'

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
