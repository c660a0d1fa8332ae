import { useMemo } from 'react'
import { useText } from '../../../../i18n/use-text.ts'
import { cx } from '../../../../ui/class-names.ts'
import type { Drawing } from './drawing.ts'
import { TIME_PARTS, partsOfCall, type TimePart, type PartSpan } from '../calls/time-spent.ts'
import type { Bar } from '../calls/timeline.ts'

const HEIGHT = 8

/** Shapes differ too, so that the parts are distinguishable without their colors. `lines` are tops and heights. */
const LOOK: Record<TimePart, { color: string; lines: readonly (readonly [y: number, height: number])[] }> = {
  backOff: { color: 'fill-muted', lines: [[3.25, 1.5]] },
  worker: {
    color: 'fill-part-worker',
    lines: [
      [0, 2],
      [6, 2],
    ],
  },
  network: { color: 'fill-part-network', lines: [[4, 4]] },
  plugin: { color: 'fill-part-plugin', lines: [[0, 8]] },
  recording: { color: 'fill-part-recording', lines: [[0, 4]] },
  restart: { color: 'fill-faint', lines: [[3, 2]] },
  noWrites: { color: 'fill-faint', lines: [[3, 2]] },
  unknown: { color: 'fill-faint', lines: [[3, 2]] },
}
/** The distance between the dashes of what is not known. */
const DASH_PX = 5
/** What is narrower cannot be seen. */
const LEAST_PX = 0.3

/** How the time of a row was spent, to scale, below its bars. The texts of the bars say the same. */
export function PartStrip({ bars, drawing }: { bars: readonly Bar[]; drawing: Drawing }) {
  // zooming and the clock draw it again far more often than the attempts change
  const spans = useMemo(() => partsOfCall(bars), [bars])
  if (drawing.width === 0) return null
  return (
    <svg
      aria-hidden="true"
      width={drawing.width}
      height={HEIGHT}
      className="pointer-events-none absolute bottom-1 left-0"
    >
      {TIME_PARTS.map((part) => (
        <Shape key={part} part={part} d={pathOf(part, spans, drawing)} />
      ))}
    </svg>
  )
}

function Shape({ part, d }: { part: TimePart; d: string }) {
  if (d === '') return null
  return <path data-part={part} d={d} className={cx(LOOK[part].color, 'forced-colors:fill-[CanvasText]')} />
}

function pathOf(part: TimePart, spans: readonly PartSpan[], { x, width }: Drawing): string {
  return spans
    .filter((span) => span.part === part)
    .map((span) => {
      const [from, to] = [Math.max(0, x(span.from)), Math.min(width, x(span.to))]
      return to - from < LEAST_PX ? '' : shapeOf(part, from, to)
    })
    .join('')
}

function shapeOf(part: TimePart, from: number, to: number): string {
  const rectangles = (start: number, end: number) =>
    LOOK[part].lines
      .map(([y, height]) => `M${round(start)} ${y}H${round(end)}v${height}H${round(start)}z`)
      .join('')
  if (part !== 'unknown' && part !== 'restart' && part !== 'noWrites') return rectangles(from, to)
  const count = Math.ceil((to - from) / DASH_PX)
  return Array.from({ length: count }, (_, index) => from + index * DASH_PX)
    .map((start) => rectangles(start, Math.min(to, start + DASH_PX - 2)))
    .join('')
}

const round = (px: number): number => Math.round(px * 10) / 10

/** The sign of a part, beside its name. */
export function PartSign({ part }: { part: TimePart }) {
  return (
    <svg aria-hidden="true" width="16" height={HEIGHT} className="shrink-0">
      <Shape part={part} d={shapeOf(part, 0, 16)} />
    </svg>
  )
}

/** The names of the parts, and what each of them includes. */
export function PartLegend({ parts }: { parts: readonly TimePart[] }) {
  const t = useText()
  if (parts.length === 0) return null
  return (
    <details className="mt-2 text-xs text-muted">
      <summary className="flex min-h-6 cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 rounded-sm">
        {parts.map((part) => (
          <span key={part} className="inline-flex items-center gap-1.5">
            <PartSign part={part} />
            {t(`operationTimeline.part.${part}`)}
          </span>
        ))}
        <span className="underline">{t('operationTimeline.part.about')}</span>
      </summary>
      <dl className="mt-2 grid max-w-[90ch] gap-x-4 gap-y-1 sm:grid-cols-[11rem_minmax(0,1fr)]">
        {parts.map((part) => (
          <div key={part} className="contents">
            <dt className="font-medium text-ink">{t(`operationTimeline.part.${part}`)}</dt>
            <dd>{t(`operationTimeline.part.${part}.meaning`)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
