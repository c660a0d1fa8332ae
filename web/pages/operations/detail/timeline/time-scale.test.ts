import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksBetween, timeScale } from './time-scale.ts'

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
