import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Cause } from '#contract/console-api/shapes.ts'
import { refusal } from '../../../testing/api.ts'
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
const CAUSE_ID = '0123456789abcdef0123456789abcdef'
const cause: Cause = {
  causeId: CAUSE_ID,
  pluginId: 'hooks',
  errorCode: 'MAILBOX_LOCKED',
  state: 'NEW',
  assignee: null,
  waitingFor: null,
  openedAt: at(0),
  updatedAt: at(0),
  solvedBy: null,
  title: 'Mailbox … is locked.',
  count: 60,
  scopes: 40,
  bundles: 1,
  firstAt: at(0),
  lastAt: at(1000),
  latest,
}
const detail = {
  ...cause,
  inBundles: [{ bundle: latest.installation.bundle, count: 60, versions: ['1.0.0'] }],
  seenBefore: { failures: 3, operations: 2, firstAt: at(-9000), lastAt: at(-8000) },
  solvedBy: { at: at(-7000), by: { id: 'ada', name: 'Ada' }, reason: 'Unlocked it', operationId: null },
  changeBefore: null,
  notes: [],
}
const others = Array.from({ length: 59 }, (_, index) => ({
  ...latest,
  operationId: `01900000-0000-7000-8000-${String(index + 100).padStart(12, '0')}`,
}))
const PLAN = 'POST /batches/plan'
const HOURS = 'GET /causes/hours'

test('equal failures are one row, which opens their cause; one is retried first, then the rest', async () => {
  const { api } = await serveScope({
    [HOURS]: () => ({ since: at(0), plugins: [] }),
    'GET /causes': () => ({ causes: [cause], total: 1 }),
    'GET /causes/{causeId}': () => detail,
    'GET /operations': () => ({ items: [latest, ...others], nextCursor: null }),
    [PLAN]: () => ({ planToken: 'token', items: [], broken: null }),
  })
  await renderConsole('/operations?view=causes&pluginId=hooks')
  await expect
    .element(page.getByRole('cell', { name: /60 operations of support-desk.*in 40 scopes/ }))
    .toBeVisible()
  expect(api.requests('GET /causes').at(-1)?.query.get('pluginId')).toBe('hooks')
  await expect.element(page.getByRole('button', { name: 'State' })).not.toBeInTheDocument()

  await page.getByRole('link', { name: /Mailbox … is locked\./ }).click()
  await expect.element(page.getByRole('heading', { name: /^Mailbox … is locked\./ })).toBeVisible()
  await expect.element(page.getByText(/Seen before: 3 failures/)).toBeVisible()
  await expect.element(page.getByText(/according to Ada: Unlocked it/)).toBeVisible()
  await page.getByRole('link', { name: 'Show all 60 operations' }).click()
  const banner = page.getByRole('region', { name: 'Failed operations with the same cause' })
  await expect.element(banner.getByText('Mailbox … is locked.')).toBeVisible()
  await expect.poll(() => api.requests('GET /operations').at(-1)?.query.get('causeId')).toBe(CAUSE_ID)

  await banner.getByRole('button', { name: 'Retry one, then the rest' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry 60 operations' })
  await expect.element(dialog.getByLabelText('Pause after the first')).toHaveValue('1')
  await expect.poll(() => api.requests(PLAN).length).toBeGreaterThan(0)
})

test('a cause is taken with one press, as it was seen', async () => {
  const { api } = await serveScope({
    'GET /causes/{causeId}': () => detail,
    'GET /operations': () => ({ items: [latest, ...others], nextCursor: null }),
    'PATCH /causes/{causeId}': () => ({ cause }),
  })
  await renderConsole(`/causes/${CAUSE_ID}`)
  await page.getByRole('button', { name: 'Assign to me' }).click()
  await expect
    .poll(() => api.requests('PATCH /causes/{causeId}').at(-1)?.body)
    .toMatchObject({ updatedAt: at(0), state: 'TAKEN' })
})

test('what a colleague wrote while a dialog was open is not replaced unseen', async () => {
  const { api } = await serveScope({
    'GET /causes/{causeId}': () => detail,
    'GET /operations': () => ({ items: [latest, ...others], nextCursor: null }),
    'PATCH /causes/{causeId}': () => refusal({ status: 409, code: 'CAUSE_STALE' }),
  })
  await renderConsole(`/causes/${CAUSE_ID}`)
  await page.getByRole('button', { name: 'Change the cause' }).click()
  await page.getByRole('menuitem', { name: 'Wait for someone' }).click()
  const dialog = page.getByRole('dialog', { name: 'Wait for someone' })
  await dialog.getByLabelText(/Who or what/).fill('The mail team')
  api.answer({
    'GET /causes/{causeId}': () => ({
      ...detail,
      state: 'WAITING',
      waitingFor: 'Network',
      updatedAt: at(5000),
    }),
  })
  const { environmentKey, applicationRuntimeId, workspaceId } = latest.installation
  const scope = { environmentKey, applicationRuntimeId, workspaceId }
  await api.emit({ kind: 'operation', scope, id: latest.operationId, version: 9, row: latest })
  await expect.element(page.getByText(/Network/)).toBeVisible()
  const save = dialog.getByRole('button', { name: 'Wait for someone' })
  const sent = () => api.requests('PATCH /causes/{causeId}')
  await save.click()
  await expect.element(dialog.getByRole('alert')).toBeVisible()
  expect(sent()[0]?.body).toMatchObject({ updatedAt: at(0), waitingFor: 'The mail team' })
  // who then saves again has been told
  await save.click()
  await expect.poll(() => sent()[1]?.body).toMatchObject({ updatedAt: at(5000) })
})

test('of several causes the list says which began since the person looked', async () => {
  const later = { ...cause, causeId: CAUSE_ID.replace('0', 'f'), openedAt: '2100-01-01T00:00:00.000Z' }
  const looked = { causesAt: null as string | null }
  const { api } = await serveScope({
    [HOURS]: () => ({ since: at(0), plugins: [] }),
    'GET /causes': () => ({ causes: [cause, later], total: 2 }),
    'GET /operations': () => ({ items: [], nextCursor: null }),
    // in another browser too
    'GET /looked-at': () => looked,
    'PUT /looked-at': () => Object.assign(looked, { causesAt: '2099-01-01T00:00:00.000Z' }),
  })
  await renderConsole('/operations?view=causes')
  const rows = page.getByRole('link', { name: /Mailbox … is locked\./ })
  await expect.element(rows).toHaveLength(2)
  await expect.element(page.getByText('New since your last visit')).not.toBeInTheDocument()
  // the person leaves the list, and comes back
  const view = page.getByRole('group', { name: 'Show' })
  await view.getByText('Operations').click()
  await expect.element(page.getByRole('table', { name: 'Causes of failure' })).not.toBeInTheDocument()
  await expect.poll(() => api.requests('PUT /looked-at').length).toBeGreaterThan(0)
  await view.getByText('Causes', { exact: true }).click()
  await expect.element(rows).toHaveLength(2)
  await expect.element(page.getByText('New since your last visit')).toHaveLength(1)
})

test('failures are shown by plugin and hour, the last ones in any window, and a press lists those of one hour', async () => {
  await page.viewport(720, 800)
  const hours = Array.from({ length: 24 }, (_, hour) => (hour === 22 ? 12 : hour === 3 ? 1 : 0))
  const { api } = await serveScope({
    'GET /causes': () => ({ causes: [cause], total: 1 }),
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
  const table = page.getByRole('table', { name: 'Failures in the last 24 hours' })
  const row = table.getByRole('row', { name: /^hooks/ })
  await expect.element(row.getByRole('link')).toHaveLength(2)
  expect(api.requests(HOURS).at(-1)?.query.get('environmentKey')).toBe('production')
  await expect.element(table.getByRole('rowheader', { name: 'The runtime itself' })).toBeVisible()
  const last = row.getByRole('link', { name: /^hooks.*: 12 failed operations/ }).element()
  expect(last.getBoundingClientRect().right).toBeLessThanOrEqual(window.innerWidth)
  await row.getByRole('link', { name: /^hooks.*: 12 failed operations/ }).click()
  await expect.poll(address).toContain('failedAt=hooks')
  const asked = () => Object.fromEntries(api.requests('GET /operations').at(-1)?.query ?? [])
  await expect.poll(asked).toMatchObject({
    environmentKey: 'production',
    failedAt: 'hooks',
    state: 'FAILED',
    since: '2026-11-22T22:00:00.000Z',
    until: '2026-11-22T23:00:00.000Z',
  })
  await page.viewport(1280, 800)
})
