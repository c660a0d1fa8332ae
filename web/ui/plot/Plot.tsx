import { useId } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { joinClauses, labelled } from '../../i18n/punctuation.ts'
import { PlainLink, type LinkTarget } from '../Link.tsx'
import { useWidth } from '../use-width.ts'
import { labelStep, unbroken, valueTicks } from './scale.ts'

const HEIGHT = 176
/** Of a plot among other things, with about half the ticks. */
const LOW = 104
const TOP = 10
const BOTTOM = 24
const LABEL_PX = 56
/** A narrower bucket is not a link, because it is too small to press; the table has the same links. */
const LEAST_TARGET_PX = 24

/** How a series looks. People who cannot distinguish the colors have its texture or its dashes. */
export type Look = { ink: string; texture?: 'light' | 'dots' | 'stripes'; dash?: string }

export type Series = {
  id: string
  label: string
  look: Look
  /** One for each time; null where there is none. */
  values: readonly (number | null)[]
}

type PlotProps = {
  /** Nothing where the section around it has the title: screen readers skip such a plot. */
  title?: string
  /** Stacked bars of counts, or lines. */
  kind: 'bars' | 'lines'
  series: readonly Series[]
  /** The starts of the buckets, equally long, and the end of the last one. In milliseconds since 1970. */
  times: readonly number[]
  end: number
  /** The text of a value, with its unit: on the axis and in tooltips. */
  format: (value: number) => string
  formatTime: (at: number) => string
  /** The text of a bucket in its tooltip; its start by default. */
  formatBucket?: (from: number, to: number) => string
  /** Moments to mark with a line, such as a change. */
  marks?: readonly { at: number; label: string }[]
  isLow?: boolean
  /** Where a press on a bucket leads that has a value. */
  linkOf?: (index: number) => LinkTarget
}

/**
 * A plot with a value axis from zero, a time axis, a legend and a tooltip for each bucket. Screen readers skip the
 * drawing: show the same values in a table beside it.
 */
export function Plot(props: PlotProps) {
  const { title, series, isLow = false } = props
  const [frame, width] = useWidth<HTMLDivElement>()
  const id = useId()
  return (
    <figure className="min-w-0" aria-label={title} aria-hidden={title === undefined || undefined}>
      <figcaption className="grid gap-1">
        {title !== undefined && <span className="font-semibold">{title}</span>}
        <Legend id={id} {...props} />
      </figcaption>
      {/* its height is reserved, because the width is not known at first */}
      <div ref={frame} aria-hidden="true" className={isLow ? 'mt-2 min-h-26' : 'mt-2 min-h-44'}>
        {width > 0 && (
          <svg width={width} height={isLow ? LOW : HEIGHT} className="block overflow-visible text-xs">
            <Textures id={id} series={series} />
            <Drawing id={id} width={width} {...props} />
          </svg>
        )}
      </div>
    </figure>
  )
}

function Drawing({
  id,
  width,
  kind,
  series,
  times,
  end,
  format,
  formatTime,
  formatBucket = formatTime,
  marks,
  isLow = false,
  linkOf,
}: PlotProps & { id: string; width: number }) {
  const t = useText()
  const totals = times.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const largest = Math.max(
    0,
    ...(kind === 'bars' ? totals : series.flatMap(({ values }) => values.map((value) => value ?? 0))),
  )
  const ticks = valueTicks(largest, { whole: kind === 'bars', steps: isLow ? 2 : 4 })
  const left = 12 + 6 * Math.max(...ticks.map((tick) => format(tick).length))
  const top = ticks.at(-1) ?? 1
  const floor = (isLow ? LOW : HEIGHT) - BOTTOM
  const y = (value: number) => floor - (value / top) * (floor - TOP)
  const first = times[0] ?? 0
  const step = Math.max(0, width - left) / Math.max(1, times.length)
  const x = (at: number) => left + ((at - first) / (end - first)) * (width - left)
  const every = labelStep(step, LABEL_PX)
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={left}
            x2={width}
            y1={y(tick)}
            y2={y(tick)}
            stroke={tick === 0 ? 'var(--control)' : 'var(--line)'}
          />
          <text x={left - 8} y={y(tick) + 4} textAnchor="end" fill="var(--muted)">
            {format(tick)}
          </text>
        </g>
      ))}
      {times.map((at, index) =>
        // a label at the end would be clipped
        index % every === 0 && x(at) + LABEL_PX / 2 <= width + 4 ? (
          <g key={at}>
            <line x1={x(at)} x2={x(at)} y1={floor} y2={floor + 4} stroke="var(--control)" />
            <text x={x(at)} y={floor + 16} textAnchor={index === 0 ? 'start' : 'middle'} fill="var(--muted)">
              {formatTime(at)}
            </text>
          </g>
        ) : null,
      )}
      {kind === 'bars'
        ? times.map((at, index) => (
            <Stack key={at} id={id} series={series} index={index} x={x(at)} step={step} y={y} />
          ))
        : series.map(({ id: name, look, values }) => (
            <Line key={name} look={look} values={values} x={(index) => left + (index + 0.5) * step} y={y} />
          ))}
      {marks?.map(({ at, label }) => (
        <g key={at}>
          <line x1={x(at)} x2={x(at)} y1={TOP - 6} y2={floor} stroke="var(--moved)" strokeDasharray="2 3" />
          <path d={`M${x(at) - 4} ${TOP - 8}h8l-4 6z`} fill="var(--moved)" />
          <title>{label}</title>
        </g>
      ))}
      {times.map((at, index) => {
        const parts = series.flatMap(({ label, values }) => {
          const value = values[index] ?? null
          return value === null || (kind === 'bars' && value === 0) ? [] : [labelled(t, label, format(value))]
        })
        const bucket = (
          // the whole height is the target, so that a low bar is as easy to press as a high one
          <rect key={at} x={x(at)} y={TOP} width={step} height={floor - TOP} fill="transparent">
            {parts.length > 0 && (
              <title>{labelled(t, formatBucket(at, times[index + 1] ?? end), joinClauses(t, parts))}</title>
            )}
          </rect>
        )
        if (linkOf === undefined || step < LEAST_TARGET_PX || totals[index] === 0) return bucket
        return (
          <PlainLink key={at} to={linkOf(index)} tabIndex={-1} preload={false}>
            {bucket}
          </PlainLink>
        )
      })}
    </>
  )
}

function Stack({
  id,
  series,
  index,
  x,
  step,
  y,
}: {
  id: string
  series: readonly Series[]
  index: number
  x: number
  step: number
  y: (value: number) => number
}) {
  let below = 0
  return series.map(({ id: name, look, values }) => {
    const value = values[index] ?? 0
    const from = below
    below += value
    if (value === 0) return null
    return (
      <rect
        key={name}
        x={x + Math.max(1, step * 0.14)}
        y={y(from + value)}
        width={Math.max(2, step * 0.72)}
        // a value above zero is always visible
        height={Math.max(2, y(from) - y(from + value) - (from > 0 ? 1 : 0))}
        fill={`url(#${id}-${name})`}
        stroke={look.ink}
      />
    )
  })
}

function Line({
  look,
  values,
  x,
  y,
}: {
  look: Look
  values: Series['values']
  x: (index: number) => number
  y: (value: number) => number
}) {
  return unbroken(values).map((run) => {
    const points = run.values.map((value, index) => [x(run.first + index), y(value)] as const)
    return (
      <g key={run.first}>
        <polyline
          points={points.map(([px, py]) => `${px},${py}`).join(' ')}
          fill="none"
          stroke={look.ink}
          strokeWidth={1.5}
          strokeDasharray={look.dash}
        />
        {points.map(([px, py]) => (
          <circle
            key={px}
            cx={px}
            cy={py}
            r={2.5}
            fill="var(--surface)"
            stroke={look.ink}
            strokeWidth={1.5}
          />
        ))}
      </g>
    )
  })
}

function Legend({ id, kind, series, marks }: PlotProps & { id: string }) {
  const [mark] = marks ?? []
  if (series.length === 1 && !mark) return null
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {series.map(({ id: name, label, look }) => (
        <li key={name} className="flex items-center gap-1.5">
          <svg width="16" height="12">
            {kind === 'bars' ? (
              <>
                <Textures id={`${id}-legend`} series={series.filter((one) => one.id === name)} />
                <rect
                  x="2.5"
                  y="0.5"
                  width="11"
                  height="11"
                  fill={`url(#${id}-legend-${name})`}
                  stroke={look.ink}
                />
              </>
            ) : (
              <line
                x1="0"
                x2="16"
                y1="6"
                y2="6"
                stroke={look.ink}
                strokeWidth="1.5"
                strokeDasharray={look.dash}
              />
            )}
          </svg>
          {label}
        </li>
      ))}
      {mark && (
        <li className="flex items-center gap-1.5">
          <svg width="8" height="12">
            <path d="M0 1h8l-4 6z" fill="var(--moved)" />
          </svg>
          {mark.label}
        </li>
      )}
    </ul>
  )
}

function Textures({ id, series }: { id: string; series: readonly Series[] }) {
  return (
    <defs>
      {series.map(({ id: name, look: { ink, texture } }) => (
        <pattern key={name} id={`${id}-${name}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" fill={ink} opacity={texture === undefined ? 1 : 0.28} />
          {texture === 'dots' && <circle cx="3" cy="3" r="1.2" fill={ink} />}
          {texture === 'stripes' && <path d="M-1 7 7-1" stroke={ink} strokeWidth="1.4" />}
        </pattern>
      ))}
    </defs>
  )
}
