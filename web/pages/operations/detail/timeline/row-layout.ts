import type { Bar, Gap } from '../calls/timeline.ts'

/**
 * One bar on the screen: an attempt, or several that are too close to be drawn separately. They have the same result, unless
 * the track is too narrow for all of its bars.
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

/**
 * Lays out the bars of a row. Each is at least as wide as its glyph. Equal attempts that would overlap are folded into
 * one bar with a count. Different ones are pushed aside, and folded only while the track is too narrow for all bars. What is
 * outside of the track is left out.
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
  return shiftedIntoView(foldedToFit(split, scale.width), scale.width)
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

/** Folds neighbors, the shortest folds first and the ends last, until all bars fit into the track. */
function foldedToFit(marks: readonly Mark[], width: number): Mark[] {
  const fitting = [...marks]
  for (;;) {
    const needed = fitting.reduce((sum, mark) => sum + minWidth(mark) + GAP_PX, -GAP_PX)
    if (needed <= width) return fitting
    const pairs = fitting.flatMap((mark, index) => {
      const next = fitting[index + 1]
      if (!next || 'gap' in mark || 'gap' in next) return []
      const isAtEnd = index === 0 || index === fitting.length - 2
      return [{ index, mark, next, isAtEnd, count: mark.bars.length + next.bars.length }]
    })
    const [pair] = pairs.toSorted((a, b) => Number(a.isAtEnd) - Number(b.isAtEnd) || a.count - b.count)
    if (!pair) return fitting
    const { index, mark, next } = pair
    fitting.splice(index, 2, {
      bars: [...mark.bars, ...next.bars],
      x: mark.x,
      width: next.x + next.width - mark.x,
    })
  }
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
