import { expectPage, field } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('a bundle is installed: scope, bundle, version, values, and then its operation', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  const page = await signIn('olivia', '/installations')
  await page.getByRole('link', { name: 'Install bundle' }).first().click()
  const domain = `shop-${scope.workspaceId}.example`
  const place = `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
  await page.getByLabel('Environment, runtime, and workspace').fill(place)
  await page.getByRole('option', { name: place }).click()
  await page.getByLabel('Bundle', { exact: true }).fill('storefront')
  await page.getByRole('option', { name: /Storefront/ }).click()
  await page.getByLabel('Version', { exact: true }).selectOption('1.0.0')

  await page.getByRole('button', { name: 'Install Storefront 1.0.0' }).click()
  await expect(field(page, 'Shop name')).toBeFocused()
  await field(page, 'Shop name').fill('Northwind Shop')
  await field(page, 'Domain').fill(domain)
  await page.getByLabel('Reason for installing').fill('A new market')
  await page.getByRole('button', { name: 'Install Storefront 1.0.0' }).click()

  await expectPage(page, 'Install Storefront Succeeded')
  await expect(page.getByText('A new market')).toBeVisible()
  await page.getByRole('link', { name: 'Storefront', exact: true }).click()
  await expect(page.getByRole('main')).toContainText('Active')
  await expect(page.getByRole('main')).toContainText(domain)
})

test('an upgrade shows what changes and requests the values that the new version requires', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.1.0')
  const page = await signIn('olivia', `/installations/${bundleInstallId}`)
  await page.getByRole('link', { name: 'Upgrade', exact: true }).click()
  await page.getByLabel('New version').selectOption('2.0.0')
  await expect(page.getByRole('main')).toContainText('dataRegion')
  const submit = page.getByRole('button', { name: 'Upgrade to 2.0.0' })
  await submit.click()
  await expect(page.getByRole('combobox', { name: 'Data region' })).toBeFocused()
  expect(await system.operations(scope, 'UPGRADE')).toHaveLength(0)

  await page.getByRole('combobox', { name: 'Data region' }).selectOption('eu-central')
  await submit.click()
  await expectPage(page, 'Upgrade CRM suite Succeeded')
  await expect(page.getByRole('definition').filter({ hasText: /^1.1.0 → 2.0.0$/ })).toBeVisible()
})

test('an installation is detached, with a reason and its typed name', async ({ system, signIn }) => {
  const scope = system.newScope()
  const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', `/installations/${bundleInstallId}`)
  await page.getByRole('button', { name: 'Detach' }).click()
  const dialog = page.getByRole('dialog', { name: /^Detach/ })
  await dialog.getByLabel('Reason for detaching').fill('The pilot is over')
  await dialog.getByLabel('Type crm-suite to confirm').fill('crm-suite')
  await dialog.getByRole('button', { name: 'Detach' }).click()
  await expectPage(page, 'Detach CRM suite Succeeded')

  await page.getByRole('link', { name: 'Install again' }).click()
  await expectPage(page, 'Install again')
  await page.getByRole('button', { name: 'Install CRM suite 1.0.0' }).click()
  await expectPage(page, 'Install CRM suite Succeeded')
})
