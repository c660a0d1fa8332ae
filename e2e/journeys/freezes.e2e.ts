import { listOf } from '#contract/runtime-api/common.ts'
import { Installation } from '#contract/runtime-api/installations.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { configurationPath, CORE, expectPage, field, review, saveButton } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('an administrator freezes a scope; a colleague reads it before typing and cannot save, and only an override passes', async ({
  signIn,
  editing,
  crmScope,
}) => {
  const admin = await signIn('admin', '/freezes')
  await admin.getByRole('button', { name: 'Create freeze' }).click()
  const form = admin.getByRole('dialog', { name: 'Create freeze' })
  await form.getByLabel('Name').fill('quiet-nights')
  await form.getByLabel('Environments or scopes').fill(scopeText(crmScope))
  await form.getByRole('option', { name: scopeText(crmScope), exact: true }).click()
  await form.getByText('Every week').click()
  for (const day of ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'])
    await form.getByRole('checkbox', { name: day }).check()
  await form.getByLabel('Message').fill('The books are closed. Ask Ada.')
  await form.getByRole('button', { name: 'Create freeze' }).click()
  await expect(form).toBeHidden()
  await expect(admin.getByRole('row').filter({ hasText: 'quiet-nights' })).toContainText('Active')

  const page = await editing({ resource: CORE })
  const said = /^Changes are frozen until someone ends the freeze: The books are closed\. Ask Ada\.$/
  await expect(page.getByRole('main').getByText(said)).toBeVisible()
  await field(page, 'Seats').fill('25')
  await expect(saveIn(await review(page))).toBeDisabled()

  await admin.goto(configurationPath(crmScope, CORE))
  await field(admin, 'Seats').fill('30')
  const dialog = await review(admin)
  await expect(saveIn(dialog)).toBeDisabled()
  await dialog.getByRole('checkbox', { name: /Override/ }).check()
  await expect(saveIn(dialog)).toHaveAccessibleDescription('Enter a reason for the override.')
  await dialog.getByLabel('Reason').fill('Customers are locked out')
  await saveButton(admin).click()
  const saved = admin.getByRole('status').filter({ hasText: /Snapshot \d+ applied/ })
  await expect(saved).toContainText('Succeeded')
  await saved.getByRole('link', { name: /^Configure/ }).click()
  await expectPage(admin, 'Configure CRM suite Succeeded')
  await expect(admin.getByText('A restriction was overridden')).toBeVisible()

  await admin.goto('/')
  await expect(admin.getByText(/freezes? (is|are) active: .*quiet-nights/)).toBeVisible()
  await admin.getByRole('link', { name: 'quiet-nights' }).click()
  await admin
    .getByRole('row')
    .filter({ hasText: 'quiet-nights' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await admin.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  // another journey may have left a freeze of its own
  await expect(admin.getByRole('row').filter({ hasText: 'quiet-nights' })).toHaveCount(0)
})

test('a protected installation cannot be detached, nor a pinned one upgraded to other versions, until that is lifted', async ({
  signIn,
  crmScope,
}) => {
  const page = await signIn('admin')
  const { environmentKey, applicationRuntimeId, workspaceId } = crmScope
  const query = new URLSearchParams({
    environmentKey,
    applicationRuntimeId,
    workspaceId: String(workspaceId),
  })
  const response = await page.request.get(`/api/installations?${query}`, {
    headers: { 'x-requested-by': 'console' },
  })
  const [installed] = listOf(Installation).parse(await response.json()).items
  await page.goto(`/installations/${installed?.installation.bundleInstallId}`)
  await page.getByRole('button', { name: 'Protect' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('It serves everybody')
  await dialog.getByRole('button', { name: 'Protect' }).click()
  await expect(page.getByText('Protected from being detached', { exact: true })).toBeVisible()
  await expect(page.getByText(/: It serves everybody$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Detach' })).toBeDisabled()

  await page.getByRole('button', { name: 'Lift protection' }).click()
  await dialog.getByLabel('Reason').fill('It has moved')
  await dialog.getByRole('button', { name: 'Lift protection' }).click()
  await expect(page.getByRole('button', { name: 'Detach' })).toBeEnabled()

  await page.getByRole('button', { name: 'Pin version' }).click()
  await dialog.getByLabel('Versions').fill('0.9.x')
  await dialog.getByLabel('Reason').fill('It was certified')
  await dialog.getByRole('button', { name: 'Pin version' }).click()
  await expect(page.getByText('Pinned to 0.9.x', { exact: true })).toBeVisible()
  await page.goto(`/installations?${query}&safeguard=pinned`)
  await expect(page.getByRole('img', { name: 'Pinned to 0.9.x' })).toBeVisible()
  await page.goto(`/installations/${installed?.installation.bundleInstallId}?action=upgrade`)
  await expect(page.getByText(/The pin to 0\.9\.x allows no published version/)).toBeVisible()
  await page.goto(`/installations/${installed?.installation.bundleInstallId}`)
  await page.getByRole('button', { name: 'Remove pin' }).click()
  await dialog.getByLabel('Reason').fill('Certified again')
  await dialog.getByRole('button', { name: 'Remove pin' }).click()
  await expect(page.getByText('Pinned to 0.9.x', { exact: true })).toBeHidden()
})

const saveIn = (dialog: Awaited<ReturnType<typeof review>>) => dialog.getByRole('button', { name: /^Save/ })
