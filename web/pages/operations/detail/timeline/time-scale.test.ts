import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ticksBetween,
  timeScale,
  canZoomIn,
  moved,
  sharesOf,
  showing,
  zoomed,
  type TimeWindow,
} from './time-scale.ts'

const kinds = (spans: readonly (readonly [number, number])[]) =>
  timeScale(spans).stretches.map(({ kind }) => kind)

test('time is drawn to scale', () => {
  const { at } = timeScale([[0, 1000]])
  assert.equal(at(0), 0)
  assert.equal(at(500), 0.5)
  assert.equal(at(1000), 1)
})

test('back-off pauses are drawn to scale', () => {
  let from = 0
  const spans = Array.from({ length: 8 }, (_, index) => {
    const span = [from, from + 40] as const
    from += 40 + 1000 * 2 ** index
    return span
  })
  assert.deepEqual(kinds(spans), ['time'])
})

test('a pause that is much longer than everything else is compressed', () => {
  const weekend = 3 * 24 * 3_600_000
  const { stretches, at } = timeScale([
    [0, 300],
    [weekend, weekend + 200],
  ])
  assert.deepEqual(
    stretches.map(({ kind }) => kind),
    ['time', 'pause', 'time'],
  )
  // both ends stay accurate to the millisecond
  assert.ok(at(300) > 0.4 && at(weekend) < 0.65)
  assert.equal(at(weekend + 200), 1)
})

test('several similar pauses are all compressed, if together they are much longer than the rest', () => {
  const minute = 60_000
  const starts = [0, 21 * minute, 28 * minute, 39 * minute]
  const { stretches } = timeScale(starts.map((start) => [start, start + 5000]))
  assert.equal(stretches.filter(({ kind }) => kind === 'pause').length, 3)
})

test('a pause before a new run is compressed even if it is short, a back-off pause is not', () => {
  const spans = [
    [0, 100],
    [30_000, 30_100],
  ] as const
  assert.deepEqual(kinds(spans), ['time'])
  assert.equal(timeScale(spans, [30_000]).stretches.length, 3)
})

test('times never change their order', () => {
  const spans = [
    [0, 0],
    [5, 90_000],
    [700_000, 700_050],
    [9_000_000, 9_000_000],
  ] as const
  const { at } = timeScale(spans)
  const places = spans.flat().map(at)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.ok(places.every((place) => place >= 0 && place <= 1.000001))
})

test('a scale of one time, or of none, is still a scale', () => {
  assert.ok(timeScale([[7, 7]]).at(7) >= 0)
  assert.ok(timeScale([]).at(0) >= 0)
})

test('ticks are at round times of the clock, as many as there is space for', () => {
  const utc = { offsetMs: 0 }
  assert.deepEqual(ticksBetween(130, 950, { room: 5, ...utc }), { step: 200, ticks: [200, 400, 600, 800] })
  assert.deepEqual(ticksBetween(0, 950, { room: 0, ...utc }).ticks, [])
  const [hour, day] = [3_600_000, 86_400_000]
  // midnight in a zone that is 5 h 30 min ahead
  const { step, ticks } = ticksBetween(0, 3 * day, { room: 3, offsetMs: 5.5 * hour })
  assert.equal(step, day)
  assert.deepEqual(ticks, [18.5 * hour, 42.5 * hour, 66.5 * hour])
})

test('the moment at a place is the one that the scale puts there', () => {
  const weekend = 3 * 24 * 3_600_000
  const { at, momentAt } = timeScale([
    [0, 300],
    [weekend, weekend + 200],
  ])
  for (const moment of [0, 120, 300, weekend / 2, weekend + 50, weekend + 200])
    assert.ok(Math.abs(momentAt(at(moment)) - moment) < 0.001)
})

const DAY = 86_400_000
const plain = timeScale([[0, 1000]])
const days = timeScale([[0, 3 * DAY]])

test('zooming keeps the place under the pointer, and ends at the whole operation', () => {
  assert.deepEqual(zoomed(plain, null, 2), { from: 250, to: 750 })
  assert.deepEqual(zoomed(plain, null, 4, 0), { from: 0, to: 250 })
  assert.deepEqual(zoomed(plain, { from: 250, to: 750 }, 2, 1), { from: 500, to: 750 })
  assert.equal(zoomed(plain, { from: 250, to: 750 }, 1 / 2), null)
})

test('zooming reaches milliseconds from days, and stops there', () => {
  let window: TimeWindow = null
  for (let press = 0; press < 60; press++) window = zoomed(days, window, 2, 0.3)
  assert.ok(window)
  assert.ok(Math.abs(window.to - window.from - 5) < 0.01)
  assert.equal(canZoomIn(days, window), false)
  assert.equal(canZoomIn(days, null), true)
})

test('zooming passes compressed pauses', () => {
  const scale = timeScale([
    [0, 300],
    [3 * DAY, 3 * DAY + 200],
  ])
  const window = zoomed(scale, null, 4, 1)
  assert.ok(window && window.from > 3 * DAY && Math.round(window.to) === 3 * DAY + 200)
})

test('moving stays on the axis and keeps the magnification', () => {
  const window = { from: 250, to: 500 }
  assert.deepEqual(moved(plain, window, 0.5), { from: 375, to: 625 })
  assert.deepEqual(moved(plain, window, -9), { from: 0, to: 250 })
  assert.deepEqual(moved(plain, window, 9), { from: 750, to: 1000 })
  assert.equal(moved(plain, null, 1), null)
})

test('a moment comes into view only if it is outside', () => {
  const window = { from: 250, to: 500 }
  assert.equal(showing(plain, window, 300), window)
  assert.deepEqual(showing(plain, window, 800), { from: 675, to: 925 })
  assert.deepEqual(sharesOf(plain, window), { from: 0.25, to: 0.5 })
})
