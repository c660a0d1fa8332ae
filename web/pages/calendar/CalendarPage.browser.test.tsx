import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Calendar } from '#contract/console-api/shapes.ts'
import { serveApi, type Handlers } from '../../testing/api.ts'
import { changeRequestWith } from '../../testing/change-request.ts'
import { renderConsole } from '../../testing/render.tsx'

const CALENDAR: Calendar = {
  freezes: [
    {
      name: 'year-end',
      message: 'The books are being closed.',
      blocks: ['CONFIGURE'],
      windows: [{ from: '2026-12-14T00:00:00.000Z', to: '2026-12-16T12:00:00.000Z' }],
    },
  ],
  changeRequests: [
    changeRequestWith({
      title: 'Longer terms',
      state: 'SCHEDULED',
      schedule: {
        notBefore: '2026-12-10T10:00:00.000Z',
        notAfter: '2026-12-10T11:00:00.000Z',
        timeZone: 'UTC',
      },
    }),
  ],
  isMore: false,
  operations: [{ day: '2026-12-03', counts: { SUCCEEDED: 4, FAILED: 1 } }],
}
const SIGNED_IN: Handlers = {
  'GET /session': () => ({
    user: { id: 'olivia', name: 'Olivia' },
    roles: ['operator'],
    permissions: ['read'],
    grants: [{ permissions: ['read'], scope: null }],
    environmentMarks: [],
  }),
}
const day = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) })

test('a month shows freezes, schedules and counts on their days, and the arrow keys move between days and months', async () => {
  const api = await serveApi({
    ...SIGNED_IN,
    'GET /calendar': () => CALENDAR,
  })
  const { address } = await renderConsole(
    '/change-requests/calendar?day=2026-12-10&environmentKey=production',
  )
  await expect.element(page.getByRole('heading', { name: 'December 2026' })).toBeVisible()
  await expect
    .element(day('Thursday 10 December'))
    .toHaveTextContent('10Thursday 10 December11:00 Longer terms Scheduled')
  await expect
    .element(day('Tuesday 15 December'))
    .toHaveTextContent('15Tuesday 15 DecemberFreeze year-end all day')
  // two lines may cut the name and the times
  await expect
    .element(day('Wednesday 16 December').getByTitle('year-end, until 13:00: The books are being closed.'))
    .toBeVisible()
  const [asked] = api.requests('GET /calendar')
  expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({
    from: '2026-11-30',
    days: '35',
    environmentKey: 'production',
  })
  const operations = page.getByRole('link', { name: '1 failed' })
  await expect
    .element(operations)
    .toHaveAttribute('href', expect.stringContaining('environmentKey=production'))

  const selected = page.getByRole('link', { name: 'Thursday 10 December' })
  ;(selected.element() as HTMLElement).focus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(page.getByRole('link', { name: 'Thursday 17 December' })).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.element(page.getByRole('heading', { name: 'December 2026' })).toBeVisible()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(page.getByRole('heading', { name: 'January 2027' })).toBeVisible()
  await expect.element(page.getByRole('link', { name: 'Thursday 7 January' })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toContain('view=week')
  await page.getByRole('button', { name: 'Next week' }).click()
  await expect.poll(address).toContain('day=2027-01-14')
})

test('a small window lists only the days on which something is', async () => {
  await serveApi({ ...SIGNED_IN, 'GET /calendar': () => CALENDAR })
  await page.viewport(360, 800)
  await renderConsole('/change-requests/calendar?day=2026-12-10')
  // as it is rendered, without what is hidden
  const shown = () => document.body.innerText
  await expect.poll(shown).toContain('Longer terms')
  expect(shown()).toContain('Thursday 3 December')
  expect(shown()).not.toContain('Friday 4 December')
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360)
})
