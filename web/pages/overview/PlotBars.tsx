import { Link } from '@tanstack/react-router'
import { useId, type ReactNode } from 'react'
import { useWidth } from '../../ui/use-width.ts'
import { formatNumber, formatTimeOfDay } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { partsText, countTicks, RESULTS, type HourCount, type Result } from './plot.ts'

const HEIGHT = 104
const TOP = 8
const BOTTOM = 22
const LEFT = 36
/** A narrower bar is not a link, because it is too small to press; the table has the same links. */
const LEAST_TARGET_PX = 24

/** Each result has its own color role, and its own pattern for people who cannot distinguish colors. */
const INK: Record<Result, string> = {
  SUCCEEDED: 'var(--ok)',
  IN_PROGRESS: 'var(--live)',
  TAKEN_OVER: 'var(--moved)',
  FAILED: 'var(--danger-fill)',
}

/** A stacked bar chart. Screen readers skip it, because the text above and the table below contain the same data. */
export function Bars({ hours }: { hours: readonly HourCount[] }) {
  const t = useText()
  const id = useId()
  const [frame, width] = useWidth<HTMLDivElement>()
  const ticks = countTicks(Math.max(...hours.map(({ total }) => total)))
  const top = ticks.at(-1) ?? 1
  const floor = HEIGHT - BOTTOM
  const y = (count: number) => floor - (count / top) * (floor - TOP)
  const step = Math.max(0, width - LEFT) / hours.length
  const labelEvery = step * 3 > 52 ? 3 : 6
  return (
    // its height is reserved, because the width is not known at first
    <div ref={frame} aria-hidden="true" className="mt-2 min-h-26">
      {width > 0 && (
        <svg width={width} height={HEIGHT} className="block overflow-visible text-xs">
          <Textures id={id} />
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={LEFT}
                x2={width}
                y1={y(tick)}
                y2={y(tick)}
                stroke={tick === 0 ? 'var(--control)' : 'var(--line)'}
              />
              <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" fill="var(--muted)">
                {formatNumber(tick)}
              </text>
            </g>
          ))}
          {hours.map((hour, index) => {
            const x = LEFT + index * step
            return (
              <g key={hour.from}>
                {index % labelEvery === 0 && (
                  <>
                    <line x1={x} x2={x} y1={floor} y2={floor + 4} stroke="var(--control)" />
                    <text x={x} y={floor + 16} textAnchor="middle" fill="var(--muted)">
                      {formatTimeOfDay(hour.from)}
                    </text>
                  </>
                )}
                {hour.total > 0 && (
                  <Bar hour={hour} isLink={step >= LEAST_TARGET_PX}>
                    <title>
                      {t('overview.plot.bar', {
                        from: formatTimeOfDay(hour.from),
                        to: formatTimeOfDay(hour.to),
                        parts: partsText(hour.counts, t),
                      })}
                    </title>
                    {/* the whole column is the target, so that a low bar is as easy to click as a high one */}
                    <rect x={x} y={TOP} width={step} height={floor - TOP} fill="transparent" />
                    <Stack
                      hour={hour}
                      x={x + Math.max(1, step * 0.16)}
                      width={Math.max(2, step * 0.68)}
                      y={y}
                      id={id}
                    />
                  </Bar>
                )}
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

function Bar({ hour, isLink, children }: { hour: HourCount; isLink: boolean; children: ReactNode }) {
  if (!isLink) return <g>{children}</g>
  const since = new Date(hour.from).toISOString()
  const until = new Date(hour.to).toISOString()
  return (
    <Link {...paths.operations({ since, until })} tabIndex={-1} preload={false}>
      {children}
    </Link>
  )
}

function Stack({
  hour,
  x,
  width,
  y,
  id,
}: {
  hour: HourCount
  x: number
  width: number
  y: (count: number) => number
  id: string
}) {
  let below = 0
  return RESULTS.map((result) => {
    const count = hour.counts[result]
    const from = below
    below += count
    if (count === 0) return null
    const top = y(from + count)
    return (
      <rect
        key={result}
        x={x}
        y={top}
        width={width}
        // a count above zero is always visible
        height={Math.max(2, y(from) - top - (from > 0 ? 1 : 0))}
        fill={`url(#${id}-${result})`}
        stroke={INK[result]}
        strokeWidth={1}
      />
    )
  })
}

function Textures({ id }: { id: string }) {
  return (
    <defs>
      {RESULTS.map((result) => (
        <pattern key={result} id={`${id}-${result}`} width="6" height="6" patternUnits="userSpaceOnUse">
          <rect width="6" height="6" fill={INK[result]} opacity={result === 'FAILED' ? 1 : 0.28} />
          {result === 'IN_PROGRESS' && <circle cx="3" cy="3" r="1.2" fill={INK[result]} />}
          {result === 'TAKEN_OVER' && <path d="M-1 7 7-1" stroke={INK[result]} strokeWidth="1.4" />}
        </pattern>
      ))}
    </defs>
  )
}

export function Legend() {
  const t = useText()
  const id = useId()
  return (
    <ul aria-hidden="true" className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
      {RESULTS.map((result) => (
        <li key={result} className="flex items-center gap-1.5">
          <svg width="12" height="12">
            <Textures id={id} />
            <rect
              x="0.5"
              y="0.5"
              width="11"
              height="11"
              fill={`url(#${id}-${result})`}
              stroke={INK[result]}
            />
          </svg>
          {t(`overview.result.${result}`)}
        </li>
      ))}
    </ul>
  )
}
