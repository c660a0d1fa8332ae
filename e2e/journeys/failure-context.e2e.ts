import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Reply } from '#runtime/testing/plugin.ts'
import { wrapped } from '#runtime/testing/rules.ts'
import { openShops } from '../harness/failure-desk.ts'
import { answerOf, panelOf } from '../harness/failure-panel.ts'
import { expect, test } from '../harness/test.ts'
import type { System } from '../harness/system.ts'

// A failed operation names what changed before it and what its call read from other plugins, and says whether a retry can
// help at all.

let close = async () => {}
test.afterEach(() => close())

async function openShop(system: System, name: string) {
  const shops = await openShops(system)
  close = shops.close
  return shops.open(name)
}

const refused = (errorCode: string): Reply => ({
  errorCode,
  data: { message: 'The price system has no such tenant.', retryable: false },
})

test('a value that another plugin wrote is named with its writer, and no retry is promised', async ({
  system,
  signIn,
}) => {
  const shop = await openShop(system, 'prices')
  const resources = { [shop.locator]: wrapped({ tenantId: 'shop-undefined' }) } as unknown as JsonObject
  shop.answer({
    registrar: () => ({ outcome: 'APPLIED', resources }),
    sync: () => refused('NO_PRICE_TENANT'),
  })
  const operationId = await shop.ended((await shop.install()).operationId)
  const page = await signIn('sam', `/operations/${operationId}`)
  await expect(answerOf(page, 'Can a retry help?')).toHaveText(
    'Unlikely: it sends the same values from other plugins again',
  )
  await expect(panelOf(page)).toContainText('Unlikely to help: it sends the same values again.')
  await expect(answerOf(page, 'Next step')).toHaveText(
    'Support: Check the values from prices.registrar · Owner: Team registrar',
  )
  await expect(answerOf(page, 'Effect on the installation')).toContainText('Nothing runs yet')
  const values = page.getByRole('region', { name: 'Values from other plugins' })
  await expect(values).toContainText('shop-undefined')
  await expect(values).toContainText('prices.registrar wrote it in this operation')

  // a batch of retries leaves it out and says why
  await page.goto(`/operations?errorCode=NO_PRICE_TENANT`)
  await page.getByRole('checkbox', { name: /Select all/ }).check()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('A retry sends the same values again')
})

test('a plugin that was disabled while the operation waited is told with person and reason', async ({
  system,
  signIn,
}) => {
  const shop = await openShop(system, 'slots')
  await shop.register('sync', { maxAttempts: 50 })
  let answered = 0
  shop.answer({
    sync: (_, before) => {
      answered = before + 1
      return { errorCode: 'CALENDAR_BUSY', data: { message: 'The calendar is busy.', retryable: true } }
    },
  })
  const { operationId } = await shop.install()
  await expect.poll(() => answered).toBeGreaterThan(1)
  await shop.register('sync', { enabled: false, reason: 'Security review SEC-77' })
  await shop.ended(operationId)

  const page = await signIn('sam', `/operations/${operationId}`)
  await expect(panelOf(page)).toContainText(/was not called again\. It answered \d+ earlier attempts/)
  await expect(panelOf(page)).not.toContainText('never received')
  await expect(answerOf(page, 'Where')).toContainText('not called again')
  await expect(answerOf(page, 'What to do')).toContainText('disabled the plugin')
  await expect(answerOf(page, 'What to do')).toContainText('Reason: Security review SEC-77.')
  const changed = page.getByRole('region', { name: 'What changed before this' })
  await expect(changed.getByRole('listitem').first()).toContainText('changed the plugin slots.sync')
  await expect(changed.getByRole('listitem').first()).toContainText('While it ran')
  await expect(changed).toContainText('Enabled')
})

test('a save that fails says that the installation still runs, and since when nothing changed', async ({
  system,
  signIn,
}) => {
  const shop = await openShop(system, 'books')
  await shop.ended((await shop.install()).operationId)
  shop.answer({ registrar: () => ({ outcome: 'FAILED' }) })
  const operationId = await shop.ended(await shop.configure('Books'))
  const page = await signIn('sam', `/operations/${operationId}`)
  await expect(answerOf(page, 'Effect on the installation')).toHaveText(
    'None so far. Version 1.0.0 runs with its earlier configuration.',
  )
  await expect(answerOf(page, 'Can a retry help?')).toHaveText('Only after the cause is fixed')
  const changed = page.getByRole('region', { name: 'What changed before this' })
  await expect(changed).toContainText('No registration, credential, service')
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  await expect(page.getByRole('dialog')).toContainText('Version 1.0.0 of this installation is still running.')
  await page.keyboard.press('Escape')
  await changed.getByRole('link', { name: 'Install' }).click()
  await expect(page.getByRole('heading', { name: /Install shop-books/ })).toBeVisible()
})

test('a runbook and the links to logs and traces stand beside each failure with the code', async ({
  system,
  signIn,
}) => {
  const shop = await openShop(system, 'tenants')
  const admin = await signIn('admin', '/plugins/tenants.sync')
  await admin.getByRole('button', { name: 'Edit' }).click()
  const dialog = admin.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add runbook' }).click()
  await dialog.getByLabel('Error code').fill('NO_TENANT')
  const runbook = dialog.getByRole('group', { name: 'Runbook 1' })
  await runbook.getByLabel('Title').fill('Create the tenant by hand')
  await runbook.getByLabel('Address of a page').fill('javascript:alert(1)')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(runbook).toContainText('Enter an http or https address without user information.')
  await runbook.getByLabel('Address of a page').fill('https://wiki.example.com/tenants#create')
  await runbook.getByLabel('Text').fill('Ask for the customer number first.\n<b>Then</b> create it.')
  await runbook.getByLabel('Responsible team').fill('Tenants on duty')
  await dialog.getByLabel('Logs').fill('https://{operationId}.example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('none in the host')
  await dialog.getByLabel('Logs').fill('https://logs.example.com/?q={traceId}&from={from}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByRole('main')).toContainText('Create the tenant by hand')

  shop.answer({ sync: () => refused('NO_TENANT') })
  const operationId = await shop.ended((await shop.install()).operationId)
  const page = await signIn('sam', `/operations/${operationId}`)
  const link = panelOf(page).getByRole('link', { name: 'Create the tenant by hand' })
  await expect(link).toHaveAttribute('href', 'https://wiki.example.com/tenants#create')
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
  await expect(answerOf(page, 'Runbook')).toContainText('wiki.example.com')
  await expect(answerOf(page, 'Runbook')).toContainText('<b>Then</b> create it.')
  await expect(answerOf(page, 'Runbook')).toContainText('Tenants on duty')
  const logs = panelOf(page).getByRole('link', { name: 'Logs' })
  const trace = operationId.replaceAll('-', '')
  await expect(logs).toHaveAttribute(
    'href',
    new RegExp(String.raw`^https://logs\.example\.com/\?q=${trace}&from=20\d\d-`),
  )
})

test('a failed save is compared with the last good one, and with another installation', async ({
  system,
  signIn,
}) => {
  const shop = await openShop(system, 'compared')
  const elsewhere = system.newScope()
  await shop.saveService({ consumers: [shop.scope, elsewhere] })
  for (const scope of [elsewhere, shop.scope]) await shop.ended((await shop.install(scope)).operationId)
  shop.answer({ registrar: () => refused('NO_TENANT') })
  const operationId = await shop.ended(await shop.configure('Books'))

  const page = await signIn('sam', `/operations/${operationId}`)
  // what changes meanwhile is read again
  await shop.register('registrar', { reason: 'Moved to the new cluster' })
  await expect(page.getByRole('region', { name: 'What changed before this' })).toContainText(
    'Moved to the new cluster',
    { timeout: 15_000 },
  )

  await page.getByRole('button', { name: 'Compare with last success' }).click()
  const dialog = page.getByRole('dialog', { name: 'Compare with an operation that succeeded' })
  const values = dialog.getByRole('region', { name: 'Values' })
  await expect(values).toContainText('main › name')
  await expect(values).toContainText('Shop')
  await expect(values).toContainText('Books')
  await expect(dialog.getByRole('region', { name: 'Calls' })).toContainText('NO_TENANT')
  await expect(dialog.getByRole('region', { name: 'Requests' })).toContainText('Books')
  await expect(dialog.getByRole('region', { name: 'Operation' })).toContainText('Configure')
  const choice = dialog.getByLabel('Compare with')
  await expect(choice).toContainText('Install 1.0.0')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})
