import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Freeze } from '#contract/console-api/shapes.ts'
import { renderConsole } from '../../testing/render.tsx'
import { serveScope } from '../../testing/served-scope.ts'

const freeze: Freeze = {
  name: 'year-end',
  environments: ['production'],
  scopes: null,
  from: '2026-12-24T10:00:00.000Z',
  to: '2026-12-30T10:00:00.000Z',
  weekly: null,
  timeZone: 'America/New_York',
  blocks: ['CONFIGURE'],
  allowsRecovery: true,
  message: 'Year-end closing',
  active: { until: '2026-12-30T10:00:00.000Z' },
  next: null,
  updatedAt: '2026-11-22T08:00:00.000Z',
  updatedBy: { id: 'mira', name: 'Mira' },
}

test('the times of a freeze name the zone that they are in, and are not cut off', async () => {
  const weekly = { days: ['FRI' as const], from: '10:00', to: '12:00' }
  await serveScope({
    'GET /freezes': () => ({
      items: [freeze, { ...freeze, name: 'fridays', from: null, to: null, weekly }],
      nextCursor: null,
    }),
  })
  await renderConsole('/freezes')
  const times = page.getByRole('main').getByText(/^\d+ Dec 2026, \d\d:\d\d \(UTC.*\)$/)
  for (const width of [1440, 360]) {
    await page.viewport(width, 900)
    await expect.poll(() => times.elements()).toHaveLength(3)
    for (const time of times.elements()) {
      const right = (element: Element | null) => element?.getBoundingClientRect().right ?? 0
      await expect.poll(() => right(time)).toBeLessThanOrEqual(right(time.closest('td')))
    }
  }
})
