import type { Ref } from 'react'
import { formatClockTime, formatDuration, formatRoughDuration, formatUtcTime } from '../../../i18n/format.ts'
import { useText } from '../../../i18n/use-text.ts'
import { cx } from '../../../ui/class-names.ts'
import { rowGrid, type Drawing } from './drawing.ts'
import type { runsOf } from './timeline.ts'
import { ticksOf, type Stretch } from './time-scale.ts'

const TICK_PX = 92
const PAUSE_PX = 40

/** The clock time at the start of each stretch, then the elapsed time. */
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
  return (
    <div className={cx(rowGrid, 'border-b border-line bg-sunken')}>
      <span className="hidden sm:block" />
      <div ref={ref} aria-hidden="true" className="relative mx-4 h-9 text-xs text-muted sm:ml-0">
        {drawing.width > 0 &&
          drawing.scale.stretches.map((stretch) => (
            <StretchLabels key={stretch.from} stretch={stretch} drawing={drawing} />
          ))}
        {runs.map(({ run, from }) => (
          <span
            key={run}
            className="absolute top-0.5 border-l border-moved pl-1 font-medium whitespace-nowrap text-moved"
            style={{ left: drawing.x(from) }}
          >
            {t('operations.field.run')} {run}
          </span>
        ))}
      </div>
    </div>
  )
}

function StretchLabels({ stretch, drawing }: { stretch: Stretch; drawing: Drawing }) {
  const t = useText()
  const left = drawing.x(stretch.from)
  const room = drawing.x(stretch.to) - left
  if (stretch.kind === 'pause') {
    const length = stretch.to - stretch.from
    return (
      <span
        title={t('operations.detail.gap', { time: formatDuration(length, t) })}
        className="absolute bottom-1 truncate text-center text-faint"
        style={{ left, width: room }}
      >
        {room >= PAUSE_PX && formatRoughDuration(length, t)}
      </span>
    )
  }
  const ticks = ticksOf(stretch, Math.floor(room / TICK_PX))
  return (
    <>
      <span
        title={formatUtcTime(stretch.from)}
        className="absolute bottom-1 font-medium whitespace-nowrap text-ink tabular-nums"
        style={{ left }}
      >
        {formatClockTime(stretch.from)}
      </span>
      {ticks
        .filter((offset) => drawing.x(stretch.from + offset) - left >= 58)
        .map((offset) => (
          <span
            key={offset}
            className="absolute bottom-1 -translate-x-1/2 whitespace-nowrap tabular-nums"
            style={{ left: drawing.x(stretch.from + offset) }}
          >
            +{formatDuration(offset, t)}
          </span>
        ))}
    </>
  )
}

/** The background of every row: ticks, pauses, the starts of manual retries, and the current time. */
export function TrackLines({ drawing }: { drawing: Drawing }) {
  const { scale, x, now, isLive, width } = drawing
  if (width === 0) return null
  return (
    <span aria-hidden="true" className="absolute inset-0">
      {scale.stretches.map((stretch) => {
        const left = x(stretch.from)
        const room = x(stretch.to) - left
        if (stretch.kind === 'pause') {
          return (
            <span
              key={stretch.from}
              className="absolute inset-y-0 bg-[repeating-linear-gradient(115deg,transparent_0_5px,var(--line)_5px_6px)]"
              style={{ left, width: room }}
            />
          )
        }
        return [0, ...ticksOf(stretch, Math.floor(room / TICK_PX))].map((offset) => (
          <span
            key={stretch.from + offset}
            className="absolute inset-y-0 w-px bg-line"
            style={{ left: x(stretch.from + offset) }}
          />
        ))
      })}
      {isLive && <span className="absolute inset-y-0 w-px bg-live" style={{ left: x(now) }} />}
    </span>
  )
}
