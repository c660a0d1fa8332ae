import type { Locator, Page } from '@playwright/test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { expectPage, MAIL } from '../vocabulary.ts'
import { platform } from '../../demo/people.ts'
import { countInput } from '../harness/count-input.ts'
import type { System } from '../harness/system.ts'
import { expect, test } from '../harness/test.ts'

const valueOf = async (option: Locator): Promise<string> => (await option.getAttribute('value')) ?? ''

/** The checkbox of an installation of CRM suite in a list. */
const rowOf = (page: Page, { environmentKey, applicationRuntimeId, workspaceId }: Scope) =>
  page.getByRole('checkbox', {
    name: `Select CRM suite ${environmentKey}/${applicationRuntimeId}/${workspaceId}`,
  })

test('three installations are upgraded in at most 8 clicks, with a result for each', async ({
  system,
  signIn,
}) => {
  const scopes = [system.newScope(), system.newScope(), system.newScope()]
  for (const scope of scopes) await system.install(scope, 'crm-suite', '1.1.0')
  const page = await signIn('olivia', '/')
  const input = await countInput(page)
  await page.getByRole('navigation').getByRole('link', { name: 'Installations' }).click()
  for (const scope of scopes) await rowOf(page, scope).click()
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toContainText('3 selected')
  await bar.getByRole('button', { name: 'Upgrade' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upgrade 3 installations' })
  await expect(dialog).toContainText('3 need values')
  await expect(dialog.getByText('Data region').first()).toBeVisible()
  await input.choose(dialog.getByRole('combobox', { name: 'Data region' }), 'eu-central')
  await expect(dialog).toContainText('3 will start')
  await dialog.getByRole('button', { name: 'Upgrade 3 installations' }).click()

  await expectPage(page, 'Upgrade 3 installations of CRM suite')
  expect(await input.clicks()).toBeLessThanOrEqual(8)
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(3)
  for (const scope of scopes) expect(await system.operations(scope, 'UPGRADE')).toHaveLength(1)
})

test('a property is set in two installations: first one, then the rest in a wave, after a look at the result', async ({
  system,
  signIn,
}) => {
  const scopes = [system.newScope(), system.newScope()]
  for (const scope of scopes) await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', '/installations')
  for (const scope of scopes) await rowOf(page, scope).click()
  await page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Set a property' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Set a property of 2 installations' })
  await dialog.getByLabel('Property', { exact: true }).selectOption({ label: 'CRM mail · SMTP port' })
  await dialog.getByRole('textbox', { name: 'SMTP port' }).fill('2525')
  await dialog.getByLabel('Pause after the first').fill('1')
  await dialog.getByRole('checkbox', { name: 'In waves' }).check()
  await dialog.getByLabel('First waves').fill('1')
  await expect(dialog.getByRole('list', { name: 'Waves' })).toContainText('Wave 2: 1 target')
  await expect(dialog).toContainText('2 will start')
  await dialog.getByRole('button', { name: 'Save in 2 installations' }).click()

  await expectPage(page, 'Set SMTP port in 2 installations of CRM suite')
  await expect(page.getByRole('main')).toContainText('Paused')
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(1)
  const address = page.url()
  await page.getByRole('button', { name: 'Continue with the rest' }).click()
  // its soak time has just begun
  await expect(page.getByRole('main')).toContainText('Waits between waves')
  await expect(page.getByText('Wave 2 waits')).toBeVisible()
  await page.getByRole('button', { name: 'Start wave 2 anyway' }).click()
  const anyway = page.getByRole('dialog')
  await anyway.getByLabel(/Reason/).fill('The first one works')
  await anyway.getByRole('button', { name: 'Start wave 2 anyway' }).click()
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(2)
  for (const scope of scopes) {
    const saved = await system.call(
      platform,
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
      { params: scope },
    )
    expect(saved.resources[MAIL]?.properties['smtpPort']).toEqual(wrapData(2525))
  }

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Batches' }).click()
  await page.getByRole('link', { name: 'Set SMTP port in 2 installations of CRM suite' }).first().click()
  await expect(page).toHaveURL(address)
})

test('properties of two bundles are set in four installations by one batch, in at most 10 clicks', async ({
  system,
  signIn,
}) => {
  const runtime = `mixed-${system.newScope().workspaceId}`
  const scopes = [system.newScope(), system.newScope()].map((scope) => ({
    ...scope,
    applicationRuntimeId: runtime,
  }))
  for (const scope of scopes)
    for (const [bundleId, version] of [
      ['crm-suite', '1.0.0'],
      ['billing', '1.2.0'],
    ] as const)
      expect((await system.install(scope, bundleId, version)).operation.state).toBe('SUCCEEDED')
  const page = await signIn('olivia', `/installations?applicationRuntimeId=${runtime}`)
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(5)
  const input = await countInput(page)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  await page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Set a property' })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Set a property of 4 installations' })
  const choose = async (list: Locator, label: string) =>
    input.choose(list, await valueOf(list.getByRole('option', { name: label })))
  await choose(dialog.getByLabel('Property', { exact: true }), 'CRM mail · SMTP port (2 of 4)')
  await dialog.getByRole('textbox', { name: 'SMTP port' }).fill('2525')
  await expect(dialog).toContainText('2 will start')
  await dialog.getByRole('button', { name: 'Add property' }).click()
  await choose(dialog.getByLabel('Property 2'), 'Invoice engine · Payment term in days (2 of 4)')
  await dialog.getByText('A value for each').last().click()
  const terms = dialog.getByRole('region', { name: 'Invoice engine · Payment term in days' })
  const termOf = ({ workspaceId }: Scope) =>
    terms.getByRole('textbox', { name: new RegExp(`${runtime}/${workspaceId}$`) })
  for (const [index, scope] of scopes.entries()) await termOf(scope).fill(String(21 + index))
  await expect(dialog).toContainText('4 will start')
  const plan = dialog.getByRole('region', { name: 'What will happen' })
  await expect(plan.getByRole('listitem').filter({ hasText: 'Payment term in days' })).toHaveCount(2)
  await expect(plan.getByRole('listitem').filter({ hasText: 'SMTP port' })).toHaveCount(2)
  // all of them are in the marked environment
  await expect(dialog.getByText('4 of 4 targets')).toBeVisible()
  await expect(dialog.getByText('Production', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Save in 4 installations' }).click()

  await expectPage(page, 'Set properties in 4 installations of 2 bundles')
  expect(await input.clicks()).toBeLessThanOrEqual(10)
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(4)
  for (const [index, scope] of scopes.entries()) {
    const { resources } = await system.call(
      platform,
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
      { params: scope },
    )
    expect(resources[MAIL]?.properties['smtpPort']).toEqual(wrapData(2525))
    expect(resources['production/billing/MODULE/invoice-engine']?.properties['paymentTermDays']).toEqual(
      wrapData(21 + index),
    )
  }
})

test('an outdated version is upgraded from the versions of its bundle, and a downgrade is named', async ({
  system,
  signIn,
}) => {
  const bundle = { environmentKey: 'production', bundleId: `fleet-${system.newScope().workspaceId}` }
  for (const version of ['1.10.0', '1.9.0', '1.0.0', '2.0.0-rc.1']) await publish(system, bundle, version)
  const installed: string[] = []
  for (const version of ['1.0.0', '1.9.0', '1.9.0']) {
    const { installation, operation } = await system.call(
      platform,
      'POST /installations',
      { body: { scope: system.newScope(), bundle, targetVersion: version } },
      crypto.randomUUID(),
    )
    await system.ended(operation.operationId)
    installed.push(installation.installation.bundleInstallId)
  }

  const page = await signIn('olivia', '/')
  await page.getByRole('navigation').getByRole('link', { name: 'Versions' }).click()
  await page.getByRole('searchbox', { name: 'Search bundles' }).fill(bundle.bundleId)
  const fleet = page.getByRole('table', { name: 'Versions by scope' })
  await expect(fleet).toContainText('3 of 3 outdated')
  await fleet.getByRole('button', { name: 'Upgrade Fleet 1.9.0' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upgrade 2 installations' })
  await expect(dialog.getByLabel('New version')).toHaveValue('1.10.0')
  await expect(dialog).toContainText('2 will start')
  await dialog.getByRole('button', { name: 'Upgrade 2' }).click()
  await expectPage(page, 'Upgrade 2 installations')
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(2)

  await page.goto(`/versions?q=${bundle.bundleId}`)
  // the answer to "is every installation on this version"
  await expect(fleet).toContainText('1 of 3 outdated')
  await fleet.getByRole('link', { name: 'Fleet 1.10.0: 2 installations' }).click()
  await expectPage(page, 'Installations')
  await expect(page.getByRole('checkbox', { name: /^Select Fleet/ })).toHaveCount(2)

  // a press on the cell of the last one plans its upgrade
  await page.goto(`/versions?q=${bundle.bundleId}`)
  await fleet.getByRole('button', { name: /^Fleet 1\.0\.0 in .*, 2 versions behind\. Upgrade it$/ }).click()
  await expect(page.getByRole('dialog', { name: 'Upgrade 1 installation' })).toContainText('1 will start')
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.goto(`/installations?bundleId=${bundle.bundleId}&upgrade=available`)
  await page.getByRole('link', { name: 'Upgrade to 1.10.0' }).click()
  await expectPage(page, 'Upgrade Fleet')
  await expect(page.getByLabel('New version')).toHaveValue('1.10.0')

  await page.goto(`/installations/${installed[1]}?action=upgrade&version=1.9.0`)
  await expectPage(page, 'Downgrade Fleet')
  await expect(page.getByRole('main')).toContainText('This is a downgrade from 1.10.0 to 1.9.0.')
  await expect(page.getByLabel('Reason for downgrading')).toBeVisible()
  await page.getByRole('button', { name: 'Downgrade to 1.9.0' }).click()
  await expectPage(page, /^Downgrade/)
})

/** Publishes a version of a bundle with one Module and no plugin. */
function publish(system: System, bundle: { environmentKey: string; bundleId: string }, version: string) {
  return system.call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...bundle, version },
      body: {
        bundle,
        version,
        title: 'Fleet',
        resources: [
          {
            kind: 'MODULE',
            name: 'core',
            title: 'Core',
            moduleId: `${bundle.bundleId}/core`,
            properties: { name: { kind: 'DATA', schema: { type: 'string' } } },
          },
        ],
        plugins: [],
      },
    },
    crypto.randomUUID(),
  )
}
