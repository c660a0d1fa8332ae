import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Webhook } from '#contract/console-api/shapes.ts'
import { serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { WebhookDialog } from './WebhookDialog.tsx'

const SAVE = 'PUT /webhooks/{webhookId}'
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const create = page.getByRole('button', { name: 'Create webhook' })

async function openForm() {
  const api = await serveApi({})
  await renderInConsole(<WebhookDialog webhook={null} onClose={() => undefined} />)
  await field('Name').fill('Support channel')
  await field('Address').fill('https://hooks.example.com/support')
  return api
}

test('without an event, the first switch has the error until any of them is on', async () => {
  const api = await openForm()
  const switches = page.getByRole('switch')
  for (const element of switches.all()) await element.click()
  await create.click()
  await expect.element(switches.first()).toHaveFocus()
  await expect.element(switches.first()).toHaveAccessibleDescription('Turn on at least one kind of report.')
  await expect.element(field('Address')).toBeValid()
  await switches.last().click()
  await expect.element(page.getByText('Turn on at least one kind of report.')).not.toBeInTheDocument()
  expect(api.requests('POST /webhooks')).toEqual([])
})

test('half a workspace is an error until either half is corrected', async () => {
  await openForm()
  await field('Environment').fill('production')
  await field('Runtime').fill('billing')
  await create.click()
  const workspace = field('Workspace')
  await expect.element(workspace).toBeInvalid()
  await field('Runtime').clear()
  await expect.element(workspace).toBeValid()
})

test('a webhook that the platform disables meanwhile stays disabled, unless the person enables it', async () => {
  const webhook: Webhook = {
    webhookId: '01920000-0000-7000-8000-000000000001',
    title: 'Support channel',
    url: 'https://hooks.example.com/…port',
    events: ['operation.failed'],
    scope: null,
    retryingAfterMinutes: 30,
    format: 'STANDARD',
    enabled: true,
    createdAt: '2026-11-20T08:00:00.000Z',
    updatedAt: '2026-11-20T08:00:00.000Z',
    failingSince: null,
    disabledBecause: null,
    pending: 0,
  }
  const disabled: Webhook = {
    ...webhook,
    enabled: false,
    disabledBecause: 'GONE',
    // another person has saved it as well
    updatedAt: '2026-11-20T09:00:00.000Z',
  }
  const api = await serveApi({ [SAVE]: () => disabled })
  const dialog = (shown: Webhook) => <WebhookDialog webhook={shown} onClose={() => undefined} />
  const screen = await renderInConsole(dialog(webhook))
  await expect.element(page.getByText('The signing secret is shown once')).not.toBeInTheDocument()
  await field('Name').fill('Renamed')
  await expect
    .element(field('Address'))
    .toHaveAccessibleDescription(/^Currently https:\/\/hooks.example.com\/…port\./)
  const enabled = page.getByRole('switch', { name: /^Enabled/ })
  await expect.element(enabled).toBeChecked()
  await screen.rerender(dialog(disabled))
  await expect.element(enabled).not.toBeChecked()
  const save = page.getByRole('button', { name: 'Save' })
  await save.click()
  await expect.poll(() => api.requests(SAVE)).toHaveLength(1)
  await enabled.click()
  await save.click()
  await expect.poll(() => api.requests(SAVE)).toHaveLength(2)
  const bodies = api
    .requests(SAVE)
    .map(({ body }) => body as { title: string; enabled?: boolean; expected: string })
  expect(new Set(bodies.map(({ expected }) => expected))).toEqual(new Set([webhook.updatedAt]))
  // the address that is shown is not sent back
  expect(bodies.some((body) => 'url' in body)).toBe(false)
  expect(bodies.map(({ title, enabled: sent }) => [title, sent])).toEqual([
    ['Renamed', false],
    ['Renamed', true],
  ])
})
