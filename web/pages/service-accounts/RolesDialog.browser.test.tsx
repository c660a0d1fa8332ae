import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { scopeRowWith } from '../../testing/scope-row.ts'
import { refusal, serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { RolesDialog } from './RolesDialog.tsx'

const olivia = { id: 'olivia', name: 'Olivia' }
const at = '2026-11-22T08:00:00.000Z'
const account = {
  accountId: '0198c5a0-0000-7000-8000-000000000002',
  name: 'deploy-robot',
  roles: [{ role: 'operator' as const, scope: { environmentKey: 'production' } }],
  createdAt: at,
  createdBy: olivia,
  updatedAt: at,
  tokens: [],
}
const scope = scopeRowWith({ environmentKey: 'staging' })
const place = page.getByRole('combobox', { name: 'Where' })

test('a role applies nowhere until a place is chosen, and again when it is cleared', async () => {
  const api = await serveApi({
    'GET /scopes': () => ({ items: [scope], nextCursor: null }),
    'POST /service-accounts': () => account,
  })
  await renderInConsole(<RolesDialog account={null} resumed={null} onClose={() => undefined} />)
  await page.getByRole('textbox', { name: 'Name' }).fill('deploy-robot')
  const create = page.getByRole('button', { name: 'Create service account' })
  await create.click()
  await expect.element(place).toHaveAccessibleDescription('Choose where the role applies.')
  await expect.element(place).toHaveFocus()
  await place.click()
  await page.getByRole('option', { name: 'All scopes' }).click()
  await expect.element(place).toHaveValue('All scopes')
  await page.getByRole('button', { name: 'Clear' }).click()
  await expect.element(place).toHaveValue('')
  await expect.element(place).toHaveAccessibleDescription('Choose where the role applies.')
  // Enter on the list selects a scope, not all of them
  await place.click()
  await expect.element(page.getByRole('option', { name: 'All scopes' })).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(place).toHaveValue('staging')
  await create.click()
  await expect.poll(() => api.requests('POST /service-accounts').length).toBe(1)
  expect(api.requests('POST /service-accounts')[0]?.body).toMatchObject({
    roles: [{ role: 'viewer', scope: { environmentKey: 'staging' } }],
  })
})

test('places can be entered while the scopes cannot be read', async () => {
  await serveApi({ 'GET /scopes': () => refusal({ status: 503, code: 'UNAVAILABLE' }) })
  await renderInConsole(<RolesDialog account={account} resumed={null} onClose={() => undefined} />)
  await place.click()
  await expect.element(page.getByText('Search is not available right now.')).toBeVisible()
  for (const [typed, name, value] of [
    ['staging', /^staging.?Environment/, 'staging'],
    ['staging/eu/1', 'staging/eu/1', 'staging/eu/1'],
    ['all sc', 'All scopes', 'All scopes'],
  ] as const) {
    await place.fill(typed)
    await page.getByRole('option', { name }).click()
    await expect.element(place).toHaveValue(value)
  }
})

test('what a line says goes with it when another one is removed', async () => {
  await serveApi({ 'GET /scopes': () => ({ items: [scope], nextCursor: null }) })
  const viewer = { role: 'viewer' as const, scope: null }
  await renderInConsole(
    <RolesDialog
      account={{ ...account, roles: [...account.roles, viewer] }}
      resumed={null}
      onClose={() => undefined}
    />,
  )
  const first = page.getByRole('group', { name: 'Role 1' })
  await first.getByRole('combobox', { name: 'Where' }).fill('no such place!')
  // past the button that clears the field
  await userEvent.tab()
  await userEvent.tab()
  await expect.element(first.getByText(/No option is named/)).toBeVisible()
  await page.getByRole('button', { name: 'Remove role 1' }).click()
  await expect.element(first.getByRole('combobox', { name: 'Where' })).toHaveValue('All scopes')
  await expect.element(page.getByText(/No option is named/)).not.toBeInTheDocument()
})
