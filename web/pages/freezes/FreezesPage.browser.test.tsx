import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Freeze } from '#contract/console-api/shapes.ts'
import { scopeRowWith } from '../../testing/scope-row.ts'
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

test('a freeze is for environments or for scopes, which are found by their text', async () => {
  const scopeOf = (environmentKey: string) =>
    scopeRowWith({ environmentKey, applicationRuntimeId: 'eu-central' })
  const { api } = await serveScope({
    'GET /session': () => ({
      user: freeze.updatedBy,
      roles: ['admin'],
      permissions: ['policy:write'],
      grants: [{ permissions: ['policy:write'], scope: null }],
      environmentMarks: [],
    }),
    'GET /freezes': () => ({ items: [], nextCursor: null }),
    'GET /scopes': () => ({ items: ['production', 'staging'].map(scopeOf), nextCursor: null }),
    'PUT /freezes/{name}': () => freeze,
  })
  await renderConsole('/freezes')
  await page.getByRole('button', { name: 'Create freeze' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create freeze' })
  const places = form.getByRole('combobox', { name: 'Environments or scopes' })
  const option = (name: RegExp) => form.getByRole('option', { name })
  await places.click()
  await expect.element(option(/^staging\/eu-central\/1/)).toBeVisible()
  await option(/^staging.?Environment/).click()
  await places.click()
  await expect.element(option(/^production.?Environment/)).toBeVisible()
  await expect.element(option(/eu-central/)).not.toBeInTheDocument()
  await option(/^production.?Environment/).click()
  await form.getByRole('button', { name: 'Remove staging' }).click()

  await form.getByRole('textbox', { name: 'Name' }).fill('year-end')
  // chosen with the browser's own control, in the time zone of the freeze
  await form.getByLabelText('From').fill('2026-12-24T10:00')
  await form.getByLabelText('To', { exact: true }).fill('2026-12-30T10:30')
  const zone = form.getByRole('textbox', { name: 'Time zone' })
  await zone.fill('America/Nowhere')
  await form.getByRole('textbox', { name: 'Message' }).fill('Year-end closing')
  await form.getByRole('button', { name: 'Create freeze' }).click()
  await expect.element(zone).toBeInvalid()
  await expect.element(form.getByLabelText('From')).toBeValid()
  await expect.element(form.getByLabelText('To', { exact: true })).toBeValid()
  await zone.fill('America/New_York')
  await form.getByRole('button', { name: 'Create freeze' }).click()
  await expect.poll(() => api.requests('PUT /freezes/{name}').length).toBe(1)
  expect(api.requests('PUT /freezes/{name}')[0]?.body).toMatchObject({
    environments: ['production'],
    from: '2026-12-24T15:00:00.000Z',
    to: '2026-12-30T15:30:00.000Z',
  })
})
