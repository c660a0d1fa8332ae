import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layoutRow } from './row-layout.ts'
import { at, attempt, call, START, timeout } from '../calls/testing.ts'
import { barsOf, type Bar } from '../calls/timeline.ts'

const bars = (starts: readonly number[], make = timeout): Bar[] =>
  barsOf(
    'BEFORE_RESOURCES',
    call(
      'hooks',
      1,
      starts.map((start, index) => make({ attempt: index + 1, startedAt: at(start), durationMs: 1 })),
    ),
  )

const scale = { x: (moment: number) => moment - START, width: 900, now: START }

const counts = (marks: ReturnType<typeof layoutRow>) =>
  marks.map((mark) => ('bars' in mark ? mark.bars.length : 0))

test('bars with enough space are placed at their time', () => {
  const marks = layoutRow({ bars: bars([0, 100, 500]), gaps: [] }, scale)
  assert.deepEqual(
    marks.map(({ x }) => x),
    [0, 100, 500],
  )
})

test('equal attempts that would overlap are folded; the first and the last stay separate', () => {
  const marks = layoutRow(
    { bars: bars(Array.from({ length: 80 }, (_, index) => index * 10)), gaps: [] },
    scale,
  )
  assert.deepEqual(counts(marks), [1, 78, 1])
  const [first, middle, last] = marks
  assert.ok(first && middle && last)
  assert.ok(first.x + first.width <= middle.x && middle.x + middle.width <= last.x)
})

test('a few different attempts are not folded, and never overlap', () => {
  const mixed = [...bars([0, 3]), ...bars([5], attempt)]
  const marks = layoutRow({ bars: mixed, gaps: [] }, scale)
  assert.deepEqual(counts(marks), [2, 1])
  const [fold, other] = marks
  assert.ok(fold && other && fold.x + fold.width <= other.x)
})

test('a manual retry is a separate bar', () => {
  const [one, two] = bars([0, 4])
  assert.ok(one && two)
  const again = { ...two, attempt: { ...two.attempt, run: 2 } }
  assert.deepEqual(counts(layoutRow({ bars: [one, again], gaps: [] }, scale)), [1, 1])
})

test('bars pushed past the end are moved back', () => {
  const many = [...bars([880]), ...bars([885], attempt)]
  const marks = layoutRow({ bars: many, gaps: [] }, scale)
  assert.ok(marks.every(({ x, width }) => x >= 0 && x + width <= 900))
})

test('a track that is too narrow for its bars folds different attempts too, the ends last', () => {
  const mixed = Array.from({ length: 12 }, (_, index) =>
    bars([index * 80], index % 2 ? attempt : timeout),
  ).flat()
  const width = 268
  const narrow = { ...scale, x: (moment: number) => ((moment - START) / 880) * width, width }
  const marks = layoutRow({ bars: mixed, gaps: [] }, narrow)
  assert.equal(counts(marks).at(0), 1)
  assert.equal(counts(marks).at(-1), 1)
  assert.equal(
    counts(marks).reduce((sum, count) => sum + count, 0),
    12,
  )
  for (const [index, mark] of marks.entries()) {
    assert.ok(mark.x >= 0 && mark.x + mark.width <= (marks[index + 1]?.x ?? width))
  }
})

test('attempts that are not loaded are one mark between the others, and never folded', () => {
  const loaded = [...bars([0, 10]), ...bars([0, 0, 0, 0, 0, 0, 500, 510]).slice(6)]
  const gap = { stage: 'BEFORE_RESOURCES', pluginId: 'hooks', first: 3, last: 6 } as const
  const span = { from: START + 11, to: START + 500 }
  const marks = layoutRow({ bars: loaded, gaps: [{ ...gap, ...span }] }, scale)
  assert.deepEqual(counts(marks), [2, 0, 2])
  const [before, between, after] = marks
  assert.ok(before && between && after)
  assert.ok(before.x + before.width <= between.x && between.x + between.width <= after.x)
})

test('what is outside of the track is left out, and what crosses its edge is cut', () => {
  const zoomed = { ...scale, x: (moment: number) => (moment - START - 100) * 10, width: 900 }
  const [wide] = bars([90])
  assert.ok(wide)
  const crossing = { ...wide, to: START + 110 }
  const [, inside, outside] = bars([0, 150, 400])
  assert.ok(inside && outside)
  const marks = layoutRow({ bars: [crossing, inside, outside], gaps: [] }, zoomed)
  assert.deepEqual(
    marks.map(({ x }) => x),
    [0, 500],
  )
  assert.equal(marks[0]?.width, 100)
})

test('attempts stand where they happened, however many different ones there are', () => {
  // ten different results within a second, at the end of a minute
  const crowd = Array.from({ length: 10 }, (_, index) =>
    bars([860 + index], index % 2 === 0 ? attempt : timeout),
  ).flat()
  const marks = layoutRow({ bars: [...bars([100]), ...crowd], gaps: [] }, scale)
  assert.equal(
    counts(marks).reduce((sum, count) => sum + count, 0),
    11,
  )
  for (const mark of marks) {
    assert.ok('bars' in mark)
    assert.ok(Math.abs(mark.x - (mark.bars[0].from - START)) <= 48, `${mark.x}`)
  }
  assert.equal(counts(marks).at(-1), 1)
})
