import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { FailureGroup } from '#contract/console-api/shapes.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { serveScope } from '../../../testing/served-scope.ts'
import { at, failure, operation } from '../detail/calls/testing.ts'

const latest = operation({
  state: 'FAILED',
  phase: 'AFTER_RESOURCES',
  call: { pluginId: 'hooks', attempts: 1 },
  failure: { ...failure('MAILBOX_LOCKED', false), message: 'Mailbox 7 is locked.' },
  nextStep: { actor: 'PLUGIN_OWNER', action: 'FIX_CAUSE', since: at(1000) },
})
const group: FailureGroup = {
  key: 'k1',
  pluginId: 'hooks',
  stage: 'AFTER_RESOURCES',
  errorCode: 'MAILBOX_LOCKED',
  shape: 'Mailbox # is locked.',
  count: 60,
  scopes: 40,
  versions: ['1.0.0'],
  firstAt: at(0),
  lastAt: at(1000),
  latest,
}
const others = Array.from({ length: 59 }, (_, index) => ({
  ...latest,
  operationId: `01900000-0000-7000-8000-${String(index + 100).padStart(12, '0')}`,
}))
const PLAN = 'POST /batches/plan'
const HOURS = 'GET /failure-groups/hours'

test('equal failures are one row, which opens their list; one is retried first, then the rest', async () => {
  const { api } = await serveScope({
    [HOURS]: () => ({ since: at(0), plugins: [] }),
    'GET /failure-groups': () => ({ groups: [group] }),
    'GET /operations': () => ({ items: [latest, ...others], nextCursor: null }),
    [PLAN]: () => ({ planToken: 'token', items: [], broken: null }),
  })
  await renderConsole('/operations?view=causes&pluginId=hooks')
  await expect
    .element(page.getByRole('cell', { name: /60 operations of support-desk in 40 scopes/ }))
    .toBeVisible()
  expect(api.requests('GET /failure-groups').at(-1)?.query.get('pluginId')).toBe('hooks')
  await expect.element(page.getByRole('button', { name: 'State' })).not.toBeInTheDocument()

  await page.getByRole('link', { name: /Mailbox # is locked\./ }).click()
  const banner = page.getByRole('region', { name: 'Failed operations with the same cause' })
  await expect.element(banner.getByText('Mailbox # is locked.')).toBeVisible()
  await expect.poll(() => api.requests('GET /operations').at(-1)?.query.get('failureGroup')).toBe('k1')
  // the list, the count and what is retried have the filters of the row
  const filterOf = (name: 'GET /failure-groups' | 'GET /operations') =>
    api.requests(name).at(-1)?.query.get('pluginId')
  expect([filterOf('GET /failure-groups'), filterOf('GET /operations')]).toEqual(['hooks', 'hooks'])

  await banner.getByRole('button', { name: 'Retry one, then the rest' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry 60 operations' })
  await expect.element(dialog.getByLabelText('Pause after the first')).toHaveValue('1')
  expect(filterOf('GET /operations')).toBe('hooks')
  await expect.poll(() => api.requests(PLAN).length).toBeGreaterThan(0)
})

test('failures are shown by plugin and hour, the last ones in any window, and a press lists those of one hour', async () => {
  await page.viewport(720, 800)
  const hours = Array.from({ length: 24 }, (_, hour) => (hour === 22 ? 12 : hour === 3 ? 1 : 0))
  const { api } = await serveScope({
    'GET /failure-groups': () => ({ groups: [group] }),
    'GET /operations': () => ({ items: [latest], nextCursor: null }),
    [HOURS]: () => ({
      since: '2026-11-22T00:00:00.000Z',
      plugins: [
        { pluginId: 'hooks', hours },
        { pluginId: null, hours: hours.map((count) => Math.min(count, 1)) },
      ],
    }),
  })
  const { address } = await renderConsole('/operations?view=causes&environmentKey=production')
  const table = page.getByRole('table', { name: 'Failures of the last 24 hours' })
  const row = table.getByRole('row', { name: /^hooks/ })
  await expect.element(row.getByRole('link')).toHaveLength(2)
  expect(api.requests(HOURS).at(-1)?.query.get('environmentKey')).toBe('production')
  await expect.element(table.getByRole('rowheader', { name: 'The runtime itself' })).toBeVisible()
  const last = row.getByRole('link', { name: /^12 failed operations of hooks/ }).element()
  expect(last.getBoundingClientRect().right).toBeLessThanOrEqual(window.innerWidth)
  await row.getByRole('link', { name: /^12 failed operations of hooks/ }).click()
  await expect.poll(address).toContain('pluginId=hooks')
  const asked = Object.fromEntries(api.requests('GET /operations').at(-1)?.query ?? [])
  expect(asked).toMatchObject({
    environmentKey: 'production',
    pluginId: 'hooks',
    state: 'FAILED,TAKEN_OVER',
    since: '2026-11-22T22:00:00.000Z',
    until: '2026-11-22T23:00:00.000Z',
  })
  await page.viewport(1280, 800)
})
