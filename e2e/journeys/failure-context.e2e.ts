import { randomUUID } from 'node:crypto'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { testingPlugin } from '#runtime/testing/plugin.ts'
import type { Script, TestingPlugin } from '#runtime/testing/plugin.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, TEXT, wrapped } from '#runtime/testing/rules.ts'
import { platform } from '../../demo/people.ts'
import { answerOf, panelOf } from '../harness/failure-panel.ts'
import { expect, test } from '../harness/test.ts'
import type { System } from '../harness/system.ts'

// A failed operation names what changed before it and what its call read from other plugins, and says whether a retry can
// help at all.

const shop: AuthorManifest = bundleOf('price-shop', {
  resources: [moduleOf('main', { name: TEXT, tenantId: TEXT })],
  plugins: [
    bindingOf('tenant-registrar', 1, { main: { reads: ['name'], writes: ['tenantId'] } }),
    bindingOf('price-sync', 2, { main: { reads: ['name', 'tenantId'] } }),
  ],
})
const MAIN = locatorOf(shop, 'main')

const plugins: TestingPlugin[] = []
test.afterEach(async () => {
  for (const plugin of plugins.splice(0)) await plugin.close()
})

/** The bundle with its two plugins, which one server answers for. */
async function startShop(system: System) {
  const plugin = await testingPlugin()
  plugins.push(plugin)
  const register = (pluginId: string, more: { enabled?: boolean; reason?: string } = {}) =>
    system.call(
      platform,
      'PUT /plugins/{pluginId}',
      {
        params: { pluginId },
        body: {
          title: pluginId,
          endpoint: plugin.endpoint(pluginId),
          enabled: true,
          maxBackoffMs: 100,
          maxAttempts: 50,
          owner: { team: `Team ${pluginId}` },
          ...more,
        },
      },
      randomUUID(),
    )
  for (const { pluginId } of shop.plugins) await register(pluginId)
  const { environmentKey, bundleId } = shop.bundle
  await system.call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    { params: { environmentKey, bundleId, version: shop.version }, body: shop },
    randomUUID(),
  )
  const install = async (scope: Scope, script: Script) => {
    plugin.script(script)
    const { operation } = await system.call(
      platform,
      'POST /installations',
      {
        body: {
          scope,
          bundle: shop.bundle,
          targetVersion: shop.version,
          properties: { [MAIN]: wrapped({ name: 'Shop' }) },
        },
      },
      randomUUID(),
    )
    return operation.operationId
  }
  return { plugin, register, install }
}

/** Changes the name of the shop, and waits for the end of the operation. */
async function renamed(system: System, scope: Scope): Promise<string> {
  const place = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'
  const { snapshotVersion } = await system.call(platform, `GET ${place}`, { params: scope })
  const saved = await system.call(
    platform,
    `PATCH ${place}`,
    { params: scope, body: { snapshotVersion, changes: { [MAIN]: wrapped({ name: 'Books' }) } } },
    randomUUID(),
  )
  const operationId = saved.operations[0]?.operationId ?? ''
  await system.ended(operationId)
  return operationId
}

const refused = (retryable = false) => ({
  errorCode: 'NO_TENANT',
  data: { message: 'The price system has no such tenant.', retryable },
})

test('a value that another plugin wrote is named with its writer, and no retry is promised', async ({
  system,
  signIn,
}) => {
  const { install } = await startShop(system)
  const resources = { [MAIN]: wrapped({ tenantId: 'shop-undefined' }) } as unknown as JsonObject
  const operationId = await install(system.newScope(), ({ pluginId }) =>
    pluginId === 'tenant-registrar' ? { outcome: 'APPLIED', resources } : refused(),
  )
  await system.ended(operationId)
  const page = await signIn('sam', `/operations/${operationId}`)
  await expect(answerOf(page, 'Can a retry help?')).toHaveText(
    'Hardly: it sends the same values from other plugins again',
  )
  await expect(answerOf(page, 'Next step')).toHaveText('Support: Check the values from other plugins')
  await expect(answerOf(page, 'Effect on the installation')).toContainText('Nothing runs yet')
  const values = page.getByRole('region', { name: 'Values from other plugins' })
  await expect(values).toContainText('shop-undefined')
  await expect(values).toContainText('tenant-registrar wrote it in this operation')

  // a batch of retries leaves it out and says why
  await page.goto(`/operations?errorCode=NO_TENANT`)
  await page.getByRole('checkbox', { name: /Select all/ }).check()
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText('A retry sends the same values again')
})

test('a plugin that was disabled while the operation waited is told with person and reason', async ({
  system,
  signIn,
}) => {
  const { install, plugin, register } = await startShop(system)
  const operationId = await install(system.newScope(), ({ pluginId }) =>
    pluginId === 'price-sync'
      ? { errorCode: 'CALENDAR_BUSY', data: { message: 'The calendar is busy.', retryable: true } }
      : { outcome: 'APPLIED' },
  )
  await expect
    .poll(() => plugin.calls.filter(({ pluginId }) => pluginId === 'price-sync').length)
    .toBeGreaterThan(1)
  await register('price-sync', { enabled: false, reason: 'Security review SEC-77' })
  await system.ended(operationId)

  const page = await signIn('sam', `/operations/${operationId}`)
  await expect(panelOf(page)).toContainText(/was not called again\. It answered \d+ earlier attempts/)
  await expect(panelOf(page)).not.toContainText('never received')
  await expect(answerOf(page, 'Where')).toContainText('not called again')
  await expect(answerOf(page, 'What to do')).toContainText('disabled the plugin')
  await expect(answerOf(page, 'What to do')).toContainText('Reason: Security review SEC-77.')
  const changed = page.getByRole('region', { name: 'What changed before this' })
  await expect(changed.getByRole('listitem').first()).toContainText('changed the plugin price-sync')
  await expect(changed.getByRole('listitem').first()).toContainText('While it ran')
  await expect(changed).toContainText('enabled')
})

test('a save that fails says that the installation still runs, and since when nothing changed', async ({
  system,
  signIn,
}) => {
  const { install, plugin } = await startShop(system)
  const scope = system.newScope()
  await system.ended(await install(scope, () => ({ outcome: 'APPLIED' })))
  plugin.script(() => ({ outcome: 'FAILED' }))
  const operationId = await renamed(system, scope)
  const page = await signIn('sam', `/operations/${operationId}`)
  await expect(answerOf(page, 'Effect on the installation')).toHaveText(
    'None so far. Version 1.0.0 runs with its earlier configuration.',
  )
  await expect(answerOf(page, 'Can a retry help?')).toHaveText('Only after the cause is fixed')
  const changed = page.getByRole('region', { name: 'What changed before this' })
  await expect(changed).toContainText('Nothing that this operation depends on')
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  await expect(page.getByRole('dialog')).toContainText(
    'version 1.0.0 is installed and runs. It will be removed.',
  )
  await page.keyboard.press('Escape')
  await changed.getByRole('link', { name: 'Install' }).click()
  await expect(page.getByRole('heading', { name: /Install price-shop/ })).toBeVisible()
})

test('a runbook and the links to logs and traces stand beside each failure with the code', async ({
  system,
  signIn,
}) => {
  const { install } = await startShop(system)
  const admin = await signIn('admin', '/plugins/price-sync')
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

  const operationId = await install(system.newScope(), ({ pluginId }) =>
    pluginId === 'price-sync' ? refused() : { outcome: 'APPLIED' },
  )
  await system.ended(operationId)
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
  const { install, plugin, register } = await startShop(system)
  const [scope, elsewhere] = [system.newScope(), system.newScope()]
  await system.ended(await install(elsewhere, () => ({ outcome: 'APPLIED' })))
  await system.ended(await install(scope, () => ({ outcome: 'APPLIED' })))
  plugin.script(() => refused())
  const operationId = await renamed(system, scope)

  const page = await signIn('sam', `/operations/${operationId}`)
  // what changes meanwhile is read again
  await register('tenant-registrar', { reason: 'Moved to the new cluster' })
  await expect(page.getByRole('region', { name: 'What changed before this' })).toContainText(
    'Moved to the new cluster',
    { timeout: 15_000 },
  )

  await page.getByRole('button', { name: 'Compare with the last good one' }).click()
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
