import { expect, test } from '../harness/test.ts'

test('an administrator creates a service account, whose token works until it is revoked', async ({
  system,
  signIn,
  playwright,
}) => {
  const page = await signIn('admin', '/service-accounts')
  await page.getByRole('button', { name: 'Create service account' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a service account' })
  await form.getByLabel('Name').fill('deploy-robot')
  await form.getByRole('button', { name: 'Remove role 1' }).click()
  await form.getByRole('button', { name: 'Create service account' }).click()
  await expect(form.getByText('Add at least one role.')).toBeVisible()
  await form.getByRole('button', { name: 'Add role' }).click()
  await form.getByLabel('Role', { exact: true }).selectOption('Operator')
  await form.getByLabel('Where').fill('production')
  await form.getByRole('option', { name: 'production Environment' }).click()
  await form.getByRole('button', { name: 'Create service account' }).click()
  await expect(page.getByRole('heading', { name: 'deploy-robot' })).toBeVisible()
  await expect(page.getByText('Operator in production')).toBeVisible()

  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
  const shown = page.getByRole('dialog', { name: 'Copy your token now' })
  const token = /bcsa_[\w-]{43}/.exec((await shown.textContent()) ?? '')?.[0] ?? ''
  await shown.getByLabel('I have stored the secret elsewhere').check()
  await shown.getByRole('button', { name: 'I’ve copied it' }).click()

  const program = await playwright.request.newContext({
    baseURL: system.url,
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  })
  expect((await program.get('/api/operations')).status()).toBe(200)
  await page.reload()
  await expect(page.getByRole('cell', { name: /^(just now|\d+ s ago)$/ })).toBeVisible()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText(/^Revoked/)).toBeVisible()
  expect((await program.get('/api/operations')).status()).toBe(401)
  await program.dispose()
})

test('a person sees their sessions, and an administrator ends all of a person (A07)', async ({ signIn }) => {
  const here = await signIn('vera', '/')
  await here.getByRole('button', { name: /vera/i }).click()
  await here.getByRole('button', { name: 'Your sessions' }).click()
  await expect(here.getByRole('heading', { level: 1, name: 'Your sessions' })).toBeVisible()
  await expect(here.getByText('This browser', { exact: true })).toBeVisible()

  const admin = await signIn('admin', '/sessions')
  await admin.getByRole('link', { name: 'Sessions of everyone' }).click()
  await admin.getByRole('searchbox').fill('vera')
  await admin
    .getByRole('button', { name: /End all vera/ })
    .first()
    .click()
  await admin.getByRole('dialog').getByRole('button', { name: 'End all' }).click()
  await expect(admin.getByText('Ended.')).toBeVisible()
  await here.reload()
  await expect(here.getByLabel('Username')).toBeVisible()
})
