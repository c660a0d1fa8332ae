import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { WebhookDialog } from './WebhookDialog.tsx'

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
