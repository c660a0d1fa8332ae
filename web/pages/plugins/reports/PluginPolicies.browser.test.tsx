import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { scopeRowWith } from '../../../testing/scope-row.ts'
import { refusal, serveApi } from '../../../testing/api.ts'
import { renderInConsole } from '../../../testing/render.tsx'
import { PluginPolicies } from './PluginPolicies.tsx'

const scope = scopeRowWith({ environmentKey: 'staging' })
const serve = () =>
  serveApi({
    'GET /plugin-policies': () => ({
      items: [{ environmentKey: 'production', policy: 'REFUSE' }],
      nextCursor: null,
    }),
    'GET /scopes': () => ({ items: [scope], nextCursor: null }),
  })

test('who may not manage plugins sees the policies and no form', async () => {
  await serve()
  await renderInConsole(<PluginPolicies may={false} resumed={null} onClose={() => undefined} />)
  const dialog = page.getByRole('dialog', { name: 'Plugin report policies' })
  await expect.element(dialog.getByText('production')).toBeVisible()
  await expect.element(dialog.getByText('Refuse')).toBeVisible()
  await expect.element(dialog.getByText('staging')).toBeVisible()
  await expect.element(dialog.getByText('Ignore')).toBeVisible()
  await expect.element(dialog.getByText(/Only people who can manage plugins/)).toBeVisible()
  expect(dialog.getByRole('textbox').elements()).toHaveLength(0)
  expect(dialog.getByRole('button', { name: 'Save' }).elements()).toHaveLength(0)
})

test('a failed list is not shown as "Ignore", and can be loaded again', async () => {
  const api = await serve()
  api.answer({ 'GET /plugin-policies': () => refusal({ status: 500, code: 'INTERNAL_ERROR' }) })
  await renderInConsole(<PluginPolicies may resumed={null} onClose={() => undefined} />)
  const dialog = page.getByRole('dialog', { name: 'Plugin report policies' })
  await expect.element(dialog.getByRole('alert')).toBeVisible()
  expect(dialog.getByText('staging').elements()).toHaveLength(0)
  api.answer({ 'GET /plugin-policies': () => ({ items: [], nextCursor: null }) })
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await expect.element(dialog.getByText('staging')).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Save' })).toBeVisible()
})
