import { formatClockTime, formatDay, formatTimeOfDay } from '../../../../i18n/format.ts'
import { zoneOffset } from '../../../../i18n/zone.ts'
import { ticksBetween, type TimeScale } from './time-scale.ts'

/** A visible part of the axis: time to scale with its ticks, or a compressed pause. */
export type AxisPart =
  | {
      kind: 'time'
      from: number
      left: number
      width: number
      step: number
      ticks: { at: number; x: number }[]
    }
  | { kind: 'pause'; from: number; left: number; width: number; lengthMs: number }

/** Maps times to positions on the screen, for the axis and for every row. */
export type Drawing = {
  x: (moment: number) => number
  width: number
  now: number
  isLive: boolean
  axis: readonly AxisPart[]
}

/** Room for a tick with its label. */
const TICK_PX = 92

/** The visible parts of an axis of this width. */
export function axisOf(
  { stretches }: Pick<TimeScale, 'stretches'>,
  { x, width }: Pick<Drawing, 'x' | 'width'>,
): AxisPart[] {
  if (width <= 0) return []
  return stretches.flatMap((stretch): AxisPart[] => {
    const [start, end] = [x(stretch.from), x(stretch.to)]
    if (end < 0 || start > width) return []
    const [left, right] = [Math.max(0, start), Math.min(width, end)]
    const place = { left, width: right - left }
    if (stretch.kind === 'pause')
      return [{ kind: 'pause', from: stretch.from, ...place, lengthMs: stretch.to - stretch.from }]
    const momentAt = (at: number) =>
      end === start
        ? stretch.from
        : stretch.from + ((at - start) / (end - start)) * (stretch.to - stretch.from)
    const from = momentAt(left)
    const offsetMs = zoneOffset(from) * 60_000
    const room = Math.floor(place.width / TICK_PX)
    const { step, ticks } = ticksBetween(from, momentAt(right), { room, offsetMs })
    // the left edge is drawn anyway
    const marks = ticks.map((at) => ({ at, x: x(at) })).filter((tick) => tick.x > left + 0.5)
    return [{ kind: 'time', from, ...place, step, ticks: marks }]
  })
}

/** The time of a tick, as exactly as the distance between the ticks needs it. */
export function tickText(at: number, step: number): string {
  if (step < 1000) return `${formatClockTime(at)}.${String(new Date(at).getMilliseconds()).padStart(3, '0')}`
  if (step < 60_000) return formatClockTime(at)
  return step < 86_400_000 ? formatTimeOfDay(at) : formatDay(at)
}

/** Label and track side by side if there is space, otherwise one above the other. */
export const rowGrid =
  'grid grid-cols-1 @lg:grid-cols-[10rem_minmax(0,1fr)] @2xl:grid-cols-[14rem_minmax(0,1fr)] @4xl:grid-cols-[17rem_minmax(0,1fr)]'
/** The track in its cell. Gestures on it zoom and move the axis. */
export const trackCell = 'relative mx-4 touch-pan-y select-none @lg:ml-0'
