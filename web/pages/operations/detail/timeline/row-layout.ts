import type { Bar, Gap } from '../calls/timeline.ts'

/**
 * One bar on the screen: an attempt, or several that are too close to be drawn separately. They have the same result, unless
 * too many different ones happened at nearly the same time.
 */
export type BarMark = { bars: readonly [Bar, ...Bar[]]; x: number; width: number }
/** Attempts that are not loaded. */
export type GapMark = { gap: Gap; x: number; width: number }
export type Mark = BarMark | GapMark

/** The space for the glyph of an outcome, and for a finger. */
const MIN_WIDTH_PX = 24
const GAP_PX = 2
const FOLD_PX = 8
const GAP_MARK_PX = 36
/** The space for a count and a glyph. */
const FOLDED_PX = MIN_WIDTH_PX * 1.8
/** How far from its time a bar may be drawn. */
const SHIFT_MAX_PX = 2 * MIN_WIDTH_PX

/**
 * Lays out the bars of a row. Each is at least as wide as its glyph. Equal attempts that would overlap are folded into
 * one bar with a count. Different ones are pushed aside, and folded only if they would be pushed too far from their time or
 * out of the track. What is outside of the track is left out.
 */
export function layoutRow(
  { bars, gaps }: { bars: readonly Bar[]; gaps: readonly Gap[] },
  scale: { x: (moment: number) => number; width: number; now: number },
): Mark[] {
  const marks: Mark[] = []
  const isVisible = (from: number, to: number) => scale.x(to) >= 0 && scale.x(from) <= scale.width
  const within = (moment: number) => Math.min(Math.max(scale.x(moment), 0), scale.width)
  for (const bar of bars) {
    const gap = gaps.find(({ last }) => last === bar.attempt.attempt - 1)
    if (gap && isVisible(gap.from, gap.to)) {
      const x = Math.max(within(gap.from), endOf(marks) + GAP_PX)
      marks.push({ gap, x, width: Math.max(GAP_MARK_PX, within(gap.to) - GAP_PX - x) })
    }
    if (!isVisible(bar.from, bar.to ?? scale.now)) continue
    const from = within(bar.from)
    const width = Math.max(MIN_WIDTH_PX, within(bar.to ?? scale.now) - from)
    const last = marks.at(-1)
    const lastEnd = endOf(marks)
    if (
      last &&
      'bars' in last &&
      from < lastEnd + FOLD_PX &&
      isSameResult(last.bars[0], bar) &&
      isFoldable(last, from + width)
    ) {
      marks[marks.length - 1] = {
        bars: [...last.bars, bar],
        x: last.x,
        width: Math.max(last.width, FOLDED_PX, from + width - last.x),
      }
    } else marks.push({ bars: [bar], x: Math.max(from, lastEnd + GAP_PX), width })
  }
  const split = marks.flatMap((mark): readonly Mark[] => ('bars' in mark ? splitEnds(mark, within) : [mark]))
  const placeOf = (mark: Mark) => within('gap' in mark ? mark.gap.from : mark.bars[0].from)
  return foldedToFit(split, { placeOf, width: scale.width })
}

const endOf = (marks: readonly Mark[]): number => {
  const last = marks.at(-1)
  return last ? last.x + last.width : Number.NEGATIVE_INFINITY
}

/** Whether two attempts of one call differ only in their times. */
export const isSameResult = (a: Bar, b: Bar) =>
  a.verdict === b.verdict &&
  a.attempt.run === b.attempt.run &&
  a.attempt.late === b.attempt.late &&
  a.attempt.failure?.errorCode === b.attempt.failure?.errorCode

/** A folded bar stands for short attempts in quick succession; a long attempt keeps its own bar. */
const isFoldable = (mark: BarMark, end: number) => mark.bars.length > 1 || end - mark.x < MIN_WIDTH_PX * 4

/**
 * The first attempt of a long fold may explain the failure, and the last shows the current state, so both stay visible
 * if there is space.
 */
function splitEnds(mark: BarMark, x: (moment: number) => number): BarMark[] {
  const [first, ...others] = mark.bars
  const last = others.pop()
  const [second, ...middle] = others
  if (!last || !second || mark.width < 4 * MIN_WIDTH_PX) return [mark]
  const from = mark.x + MIN_WIDTH_PX + GAP_PX
  const lastX = Math.min(
    Math.max(x(last.from), from + MIN_WIDTH_PX + GAP_PX),
    mark.x + mark.width - MIN_WIDTH_PX,
  )
  return [
    { bars: [first], x: mark.x, width: MIN_WIDTH_PX },
    { bars: [second, ...middle], x: from, width: lastX - GAP_PX - from },
    { bars: [last], x: lastX, width: MIN_WIDTH_PX },
  ]
}

const minWidth = (mark: Mark): number => {
  if ('gap' in mark) return GAP_MARK_PX
  return mark.bars.length > 1 ? FOLDED_PX : MIN_WIDTH_PX
}

/** Folds neighbors until all bars fit into the track, none far from its place: the closest first, and the ends last. */
function foldedToFit(
  marks: readonly Mark[],
  { placeOf, width }: { placeOf: (mark: Mark) => number; width: number },
): Mark[] {
  const fitting = [...marks]
  for (;;) {
    const placed = shiftedIntoView(pushedApart(fitting, placeOf), width)
    const needed = fitting.reduce((sum, mark) => sum + minWidth(mark) + GAP_PX, -GAP_PX)
    const [from, to] = needed > width ? [0, placed.length] : crowdOf(placed, placeOf)
    const pairs = fitting.slice(from, to).flatMap((mark, offset) => {
      const index = from + offset
      const next = index + 1 < to ? fitting[index + 1] : undefined
      if (!next || 'gap' in mark || 'gap' in next) return []
      const isAtEnd = index === 0 || index === fitting.length - 2
      return [{ index, mark, next, isAtEnd, apart: placeOf(next) - placeOf(mark) }]
    })
    const [pair] = pairs.toSorted(
      (a, b) =>
        Number(a.isAtEnd) - Number(b.isAtEnd) ||
        a.apart - b.apart ||
        a.mark.bars.length + a.next.bars.length - b.mark.bars.length - b.next.bars.length,
    )
    if (!pair) return placed
    const { index, mark, next } = pair
    fitting.splice(index, 2, {
      bars: [...mark.bars, ...next.bars],
      x: mark.x,
      width: Math.max(FOLDED_PX, placeOf(next) + next.width - placeOf(mark)),
    })
  }
}

/** Each mark at its place, or after the one before it. */
function pushedApart(marks: readonly Mark[], placeOf: (mark: Mark) => number): Mark[] {
  const placed: Mark[] = []
  for (const mark of marks) placed.push({ ...mark, x: Math.max(placeOf(mark), endOf(placed) + GAP_PX) })
  return placed
}

/** The first marks that touch each other and of which one is too far from its place, as a range; an empty one if there are none. */
function crowdOf(placed: readonly Mark[], placeOf: (mark: Mark) => number): [from: number, to: number] {
  let from = 0
  for (const [index, mark] of placed.entries()) {
    const next = placed[index + 1]
    if (next && next.x - endOf([mark]) < GAP_PX + 1) continue
    const crowd = placed.slice(from, index + 1)
    if (crowd.some((one) => Math.abs(one.x - placeOf(one)) > SHIFT_MAX_PX)) return [from, index + 1]
    from = index + 1
  }
  return [0, 0]
}

/** Moves what was pushed past the end back from the right: bars become shorter, down to their least width, and then move. */
function shiftedIntoView(marks: Mark[], width: number): Mark[] {
  let limit = width
  for (const mark of marks.toReversed()) {
    const over = Math.max(0, mark.x + mark.width - limit)
    const shrinks = Math.min(over, Math.max(0, mark.width - minWidth(mark)))
    mark.width -= shrinks
    mark.x -= over - shrinks
    limit = mark.x - GAP_PX
  }
  return marks
}
