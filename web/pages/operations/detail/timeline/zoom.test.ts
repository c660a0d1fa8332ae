import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeScale } from './time-scale.ts'
import { canZoomIn, moved, sharesOf, showing, zoomed, type TimeWindow } from './zoom.ts'

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
