/** A section of the axis: time to scale, or a compressed pause in which nothing happened. */
type Stretch = {
  kind: 'time' | 'pause'
  from: number
  to: number
  /** Shares of the axis, 0 to 1. */
  start: number
  end: number
}

export type TimeScale = {
  stretches: readonly Stretch[]
  /** The place of a moment, 0 to 1, and the moment at a place. */
  at: (moment: number) => number
  momentAt: (share: number) => number
}

/** Shorter pauses are never compressed: back-off must be drawn to scale. */
const SHORTEST_PAUSE_MS = 120_000
/** A pause between two runs was made by a person, so its length says nothing about the plugin. */
const SHORTEST_BETWEEN_RUNS_MS = 2000
const PAUSE_SHARE = 0.07
const MIN_SHARE = 0.1

/**
 * One axis for all rows. Time is drawn to scale, but pauses that are much longer than the rest are compressed: an
 * operation that failed on Friday in 300 ms and was retried on Monday still shows its milliseconds. `begins` are the
 * start times of new runs.
 */
export function timeScale(
  spans: readonly (readonly [from: number, to: number])[],
  begins: readonly number[] = [],
): TimeScale {
  const busy = merged(spans)
  const first = busy[0]?.[0] ?? 0
  const last = Math.max(first + 1, busy.at(-1)?.[1] ?? 0)
  const stretches = withShares(cutAtPauses(first, last, longPauses(busy, begins)))
  return {
    stretches,
    at: (moment) => shareOf(stretches, moment),
    momentAt: (share) => momentOf(stretches, share),
  }
}

function merged(spans: readonly (readonly [number, number])[]): [number, number][] {
  const whole: [number, number][] = []
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = whole.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else whole.push([from, Math.max(from, to)])
  }
  return whole
}

/** The longest pauses, as many as are needed until each of them is more than twice the remaining time. */
function longPauses(busy: readonly [number, number][], begins: readonly number[]): [number, number][] {
  const longestFirst = busy
    .slice(1)
    .map((span, index): [number, number] => [busy[index]?.[1] ?? span[0], span[0]])
    .filter(([from, to]) => {
      const isBetweenRuns = begins.some((begin) => begin > from && begin <= to)
      return to - from >= (isBetweenRuns ? SHORTEST_BETWEEN_RUNS_MS : SHORTEST_PAUSE_MS)
    })
    .sort((a, b) => b[1] - b[0] - (a[1] - a[0]))
  let rest = (busy.at(-1)?.[1] ?? 0) - (busy[0]?.[0] ?? 0)
  let cut = 0
  for (const [index, [from, to]] of longestFirst.entries()) {
    rest -= to - from
    if (to - from > 2 * rest) cut = index + 1
  }
  return longestFirst.slice(0, cut).sort((a, b) => a[0] - b[0])
}

type Piece = Pick<Stretch, 'kind' | 'from' | 'to'>

function cutAtPauses(first: number, last: number, pauses: readonly [number, number][]): Piece[] {
  const pieces: Piece[] = []
  let from = first
  for (const [start, end] of pauses) {
    pieces.push({ kind: 'time', from, to: start }, { kind: 'pause', from: start, to: end })
    from = end
  }
  return [...pieces, { kind: 'time', from, to: last }]
}

function withShares(pieces: readonly Piece[]): Stretch[] {
  const pauses = pieces.filter(({ kind }) => kind === 'pause').length
  const times = pieces.length - pauses
  const total = pieces.reduce((sum, { kind, from, to }) => (kind === 'time' ? sum + to - from : sum), 0)
  const left = 1 - pauses * PAUSE_SHARE - times * MIN_SHARE
  let start = 0
  return pieces.map((piece) => {
    const part = total > 0 ? (piece.to - piece.from) / total : 1 / times
    const share = piece.kind === 'pause' ? PAUSE_SHARE : MIN_SHARE + left * part
    const stretch = { ...piece, start, end: start + share }
    start += share
    return stretch
  })
}

function shareOf(stretches: readonly Stretch[], moment: number): number {
  const stretch = stretches.find(({ to }) => moment <= to) ?? stretches.at(-1)
  if (!stretch) return 0
  const { from, to, start, end } = stretch
  if (to === from) return moment < from ? start : start + (end - start) / 2
  return start + (end - start) * Math.min(1, Math.max(0, (moment - from) / (to - from)))
}

function momentOf(stretches: readonly Stretch[], share: number): number {
  const stretch = stretches.find(({ end }) => share <= end) ?? stretches.at(-1)
  if (!stretch) return 0
  const { from, to, start, end } = stretch
  return from + (to - from) * Math.min(1, Math.max(0, (share - start) / (end - start)))
}

const HOUR_MS = 3_600_000
const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
  .concat([1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000))
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000))
  .concat([1, 2, 3, 6, 12, 24, 48, 168, 672].map((hours) => hours * HOUR_MS))

/**
 * Round times between two moments, at most `room` of them, with their distance. They are round on a clock that is
 * `offsetMs` ahead of UTC.
 */
export function ticksBetween(
  from: number,
  to: number,
  { room, offsetMs }: { room: number; offsetMs: number },
): { step: number; ticks: number[] } {
  const step = STEPS_MS.find((candidate) => (to - from) / candidate <= room)
  if (step === undefined || room < 1) return { step: STEPS_MS.at(-1) ?? 1, ticks: [] }
  const first = Math.ceil((from + offsetMs) / step) * step - offsetMs
  const count = Math.max(0, Math.floor((to - first) / step) + 1)
  return { step, ticks: Array.from({ length: count }, (_, index) => first + index * step) }
}

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
