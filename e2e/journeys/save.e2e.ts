import {
  configurationPath,
  CORE,
  expectApplied,
  expectPage,
  field,
  review,
  save,
  saveButton,
} from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('a property is edited, reviewed and saved; a colleague sees the value and the operation succeeds', async ({
  signIn,
  editing,
  crmScope,
}) => {
  const page = await editing({ resource: CORE })
  const colleague = await signIn('oscar', configurationPath(crmScope, CORE))
  await expect(field(colleague, 'Seats')).toHaveValue('5')

  await field(page, 'Seats').fill('25')
  const dialog = await review(page)
  const changes = dialog.getByLabel('Changes of CRM core')
  await expect(changes).toContainText('Seats')
  await expect(changes).toContainText('Before: 5')
  await expect(changes).toContainText('After: 25')
  const steps = dialog.getByRole('region', { name: 'CRM suite' }).getByLabel('in order').getByRole('listitem')
  await expect(dialog).toContainText('Configure CRM suite')
  await expect(steps.filter({ hasText: 'Before resources' })).toContainText(
    /tenant-provisioner.*scripted-hooks/,
  )
  await expect(steps.filter({ hasText: 'After resources' })).toContainText(
    /tenant-provisioner.*scripted-hooks/,
  )
  await dialog.getByLabel('Reason').fill('The team grows')
  await saveButton(page).click()

  await expect(field(colleague, 'Seats')).toHaveValue('25')
  const saved = page.getByRole('status').filter({ hasText: /Snapshot \d+ applied/ })
  await expect(saved).toContainText('Succeeded')
  await saved.getByRole('link', { name: /^Configure/ }).click()

  await expectPage(page, 'Configure CRM suite Succeeded')
  await expect(page.getByText('The team grows')).toBeVisible()
  const plugins = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'tenant-provisioner' }) })
  await expect(plugins.first()).toContainText('Applied')
  await expect(plugins.last()).toContainText('Verified')
})

test('production is named in the title, on the page, beside the changes and where they are confirmed', async ({
  system,
  signIn,
  editing,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  await expect(page).toHaveTitle(/^Production · /)
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  await expect(bar).toContainText('Production')
  await expect(page.locator('header').getByText('Production', { exact: true })).toBeVisible()
  await expect(await review(page)).toContainText('Production')

  const elsewhere = { ...system.newScope(), environmentKey: 'staging' }
  await system.install(elsewhere, 'crm-suite', '1.0.0')
  const other = await signIn('olivia', configurationPath(elsewhere))
  await expectPage(other, /^staging/)
  await expect(other.getByText('Production', { exact: true })).toHaveCount(0)
})

test('a save whose response is lost is sent again, and is one operation', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  await review(page)
  const lost = system.proxy.dropNextResponse('PATCH')
  await saveButton(page).click()
  await lost

  await expectApplied(page)
  await expect(field(page, 'SMTP port')).toHaveValue('2525')
  expect(await system.operations(crmScope, 'CONFIGURE')).toHaveLength(1)
})

test('a save with an unknown result is not shown as saved until the result is known', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  const dialog = await review(page)
  system.proxy.dropResponses('PATCH')
  await saveButton(page).click()
  await expect(dialog.getByText('The response to your save was lost')).toBeVisible({ timeout: 20_000 })
  await expect(page.getByText(/Snapshot \d+ (saved|applied)/)).toHaveCount(0)

  system.proxy.up()
  await dialog.getByRole('button', { name: 'Check again' }).click()
  await expectApplied(page)
  expect(await system.operations(crmScope, 'CONFIGURE')).toHaveLength(1)
})

test('a mask typed as a secret is reported at its field, and cannot be saved (H03)', async ({ editing }) => {
  const page = await editing()
  const secret = page.getByRole('group', { name: 'SMTP password' }).first()
  await secret.getByRole('button', { name: /^(Replace|Set value) / }).click()
  const input = page.getByRole('textbox', { name: 'SMTP password' })
  await input.fill('••••••••')
  await expect(input).toHaveAccessibleDescription(/Must be the value itself, not a mask such as ••••••••/)
  await expect(input).toHaveAttribute('aria-invalid', 'true')
  await review(page)
  await expect(saveButton(page)).toBeDisabled()

  await page.getByRole('button', { name: 'Back to form' }).click()
  await input.fill('a real password')
  await save(page)
  await expectApplied(page)
})

test('edit and save with the keyboard only', async ({ editing }) => {
  const page = await editing({ resource: CORE })
  await expect(field(page, 'Seats')).toBeVisible()
  const tabTo = async (target: ReturnType<typeof field>) => {
    for (let step = 0; step < 80; step++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    await expect(target).toBeFocused()
  }
  await tabTo(page.getByRole('link', { name: 'Skip to content' }))
  await page.keyboard.press('Enter')
  await tabTo(page.getByRole('link', { name: /CRM mail/ }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'CRM mail' })).toBeVisible()
  await tabTo(field(page, 'SMTP port'))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('465')
  await page.keyboard.press('ControlOrMeta+S')
  await expect(page.getByRole('dialog', { name: 'Review changes' })).toBeVisible()
  await expect(saveButton(page)).toBeEnabled()
  await tabTo(saveButton(page))
  await page.keyboard.press('Enter')
  await expectApplied(page)
  await expect(field(page, 'SMTP port')).toHaveValue('465')
})

test('an invalid value is reported at its field, and cannot be saved', async ({ editing }) => {
  const page = await editing({ field: 'SMTP port', value: '70000' })
  await expect(field(page, 'SMTP port')).toHaveAccessibleDescription(/at most 65,535/)
  await expect(field(page, 'SMTP port')).toHaveAttribute('aria-invalid', 'true')
  await review(page)
  await expect(saveButton(page)).toBeDisabled()
  await expect(saveButton(page)).toHaveAccessibleDescription(/Fix the invalid values/)

  await page.getByRole('button', { name: 'Back to form' }).click()
  await field(page, 'SMTP port').fill('2525')
  await save(page)
  await expectApplied(page)
})
