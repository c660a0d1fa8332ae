import type { TimeScale } from './time-scale.ts'

/** The visible part of the axis, in milliseconds since the epoch; null shows all of it. */
export type TimeWindow = { from: number; to: number } | null

/** The shortest time that the axis shows. */
const SHORTEST_MS = 5

type ZoomScale = Pick<TimeScale, 'at' | 'momentAt' | 'stretches'>

/** The visible part in shares of the whole axis, 0 to 1. */
export function sharesOf({ at }: Pick<TimeScale, 'at'>, window: TimeWindow): { from: number; to: number } {
  return window === null ? { from: 0, to: 1 } : { from: at(window.from), to: at(window.to) }
}

/** Magnifies by `factor` around a place that keeps its position: 0 is the left edge, 1 the right one. */
export function zoomed(scale: ZoomScale, window: TimeWindow, factor: number, anchor = 0.5): TimeWindow {
  const { from, to } = sharesOf(scale, window)
  const at = from + (to - from) * anchor
  const size = Math.max((to - from) / factor, Math.min(to - from, leastShare(scale, at)))
  return size >= 1 ? null : windowOf(scale, at - size * anchor, size)
}

/** Whether {@link zoomed} with a factor above 1 would show less time. */
export function canZoomIn(scale: ZoomScale, window: TimeWindow): boolean {
  const { from, to } = sharesOf(scale, window)
  return to - from > leastShare(scale, (from + to) / 2) * 1.001
}

/** Moves the visible part by a share of itself; negative is earlier. */
export function moved(scale: ZoomScale, window: TimeWindow, by: number): TimeWindow {
  if (window === null) return null
  const { from, to } = sharesOf(scale, window)
  return windowOf(scale, from + (to - from) * by, to - from)
}

/** The visible part, moved only if the moment is outside it. */
export function showing(scale: ZoomScale, window: TimeWindow, moment: number): TimeWindow {
  if (window === null || (moment >= window.from && moment <= window.to)) return window
  const { from, to } = sharesOf(scale, window)
  return windowOf(scale, scale.at(moment) - (to - from) / 2, to - from)
}

function windowOf({ momentAt }: ZoomScale, start: number, size: number): TimeWindow {
  const from = Math.min(Math.max(start, 0), 1 - size)
  return { from: momentAt(from), to: momentAt(from + size) }
}

/** The share of the axis that the shortest time has at a place. */
function leastShare({ stretches }: ZoomScale, share: number): number {
  const stretch = stretches.find(({ end }) => share <= end) ?? stretches.at(-1)
  if (stretch === undefined) return 1
  const { from, to, start, end } = stretch
  return Math.min(1, (SHORTEST_MS * (end - start)) / Math.max(1, to - from))
}
