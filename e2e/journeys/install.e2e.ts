import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { platform } from '../../demo/people.ts'
import type { System } from '../harness/system.ts'
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

test('a bundle is installed in several scopes at once, each with a domain of its own', async ({
  system,
  signIn,
}) => {
  const scopes = [system.newScope(), system.newScope()]
  const page = await signIn('olivia', '/catalog/production/storefront/1.0.0')
  await page.getByRole('button', { name: 'Install in several scopes' }).click()
  const dialog = page.getByRole('dialog', { name: /^Install Storefront/ })
  for (const { environmentKey, applicationRuntimeId, workspaceId } of scopes) {
    const place = `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
    await dialog.getByLabel('Scopes', { exact: true }).fill(place)
    await page.getByRole('option', { name: place, exact: true }).click()
  }
  await dialog.getByRole('textbox', { name: 'Shop name' }).fill('Northwind Shop')
  await dialog.getByText('A value for each').last().click()
  for (const { workspaceId } of scopes)
    await dialog
      .getByRole('textbox', { name: new RegExp(`/${workspaceId}$`) })
      .fill(`w${workspaceId}.example`)
  await expect(dialog).toContainText('2 will start')
  await dialog.getByRole('button', { name: 'Install in 2 scopes' }).click()

  await expectPage(page, 'Install Storefront in 2 scopes')
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  const items = page.getByRole('table', { name: 'Items' })
  await expect(items.getByRole('row', { name: /Succeeded/ })).toHaveCount(2)
  await items.getByRole('link', { name: 'Storefront' }).first().click()
  await expect(page.getByRole('main')).toContainText(/w\d+\.example/)
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

const portal = 'production/billing/GATEWAY/billing-portal'
const engine = 'production/billing/MODULE/invoice-engine'
const formOf = (scope: Scope) =>
  `/installations/new?environmentKey=${scope.environmentKey}&applicationRuntimeId=${scope.applicationRuntimeId}&workspaceId=${scope.workspaceId}&bundleEnvironmentKey=production&bundleId=billing`

const valuesOf = async (system: System, scope: Scope) => {
  const { resources } = await system.call(
    platform,
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
    { params: scope },
  )
  return { engine: resources[engine]?.properties ?? {}, portal: resources[portal]?.properties ?? {} }
}

test('many required values come from a file, with what is still missing in view', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  const page = await signIn('olivia', formOf(scope))
  const dock = page.getByRole('complementary', { name: 'Progress and buttons' })
  await expect(dock).toContainText('0 of 4 required values set')
  await expect(dock.getByRole('button', { name: 'Install Billing 2.0.0' })).toBeInViewport()
  await expect(
    page.getByRole('navigation', { name: 'Resources' }).getByRole('button', { name: 'Invoice engine' }),
  ).toContainText('3 required values are missing')
  await page.getByRole('button', { name: 'Values from…' }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Import file' }).click()
  const file = `format: bundle-console/configuration
version: 1
resources:
  ${engine}:
    displayName: { '@type': Data, value: Northwind Billing }
    issuer: { '@type': Data, value: { name: Northwind, address: { city: Kiel, country: DE } } }
    paymentTermDays: { '@type': Data, value: 21 }
    unknownHere: { '@type': Data, value: 1 }
  ${portal}:
    domain: { '@type': Data, value: billing-${scope.workspaceId}.example }
`
  await (
    await chooser
  ).setFiles({ name: 'billing.yaml', mimeType: 'application/yaml', buffer: Buffer.from(file) })
  await expect(page.getByText('3 values taken from billing.yaml')).toBeVisible()
  await expect(page.getByText('1 property does not exist in this version.')).toBeVisible()
  await page.getByRole('checkbox', { name: /^Portal domain/ }).check()
  await expect(dock).toContainText('3 of 4 required values set')
  await dock.getByRole('button', { name: 'Next: Cost centre' }).click()
  await expect(field(page, 'Cost centre')).toBeFocused()
  await page.keyboard.type('4711')
  await expect(dock).toContainText('4 of 4 required values set')
  await dock.getByRole('button', { name: 'Install Billing 2.0.0' }).click()
  await expectPage(page, 'Install billing Succeeded')
  const { engine: saved, portal: gateway } = await valuesOf(system, scope)
  expect(saved['paymentTermDays']).toEqual(wrapData(21))
  expect(gateway['domain']).toEqual(wrapData(`billing-${scope.workspaceId}.example`))
})

test('the values of an active installation are copied, without what belongs to its scope', async ({
  system,
  signIn,
}) => {
  const [source, scope] = [system.newScope(), system.newScope()]
  expect((await system.install(source, 'billing', '2.0.0')).operation.state).toBe('SUCCEEDED')
  const page = await signIn('olivia', formOf(scope))
  const dock = page.getByRole('complementary', { name: 'Progress and buttons' })
  await page.getByRole('button', { name: 'Values from…' }).click()
  await page.getByRole('menuitem', { name: 'Copy from an installation' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy from an installation' })
  const place = `${source.environmentKey}/${source.applicationRuntimeId}/${source.workspaceId}`
  await dialog.getByRole('combobox', { name: 'Copy from' }).fill(place)
  await dialog.getByRole('option', { name: place }).click()
  const domain = page.getByRole('checkbox', { name: /^Portal domain/ })
  const size = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 740 })
  await dialog.getByRole('button', { name: 'Copy values' }).click()
  await expect(page.getByText(new RegExp(`values taken from ${place}`))).toBeVisible()
  await expect(domain).toBeInViewport()
  if (size !== null) await page.setViewportSize(size)
  await expect(domain).not.toBeChecked()
  await expect(dock).toContainText('3 of 4 required values set')
  await field(page, 'Portal domain').fill(`billing-${scope.workspaceId}.example`)
  await dock.getByRole('button', { name: 'Install Billing 2.0.0' }).click()
  await expectPage(page, 'Install billing Succeeded')
  const [from, to] = [await valuesOf(system, source), await valuesOf(system, scope)]
  expect(to.engine['issuer']).toEqual(from.engine['issuer'])
  expect(to.portal['domain']).toEqual(wrapData(`billing-${scope.workspaceId}.example`))
})
