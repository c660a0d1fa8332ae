import type { Locator, Page } from '@playwright/test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { ling, platform } from '../../demo/people.ts'
import { expectPage, isInWorkspace } from '../vocabulary.ts'
import type { System } from '../harness/system.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

/** Installs CRM suite in as many scopes of one runtime, and selects all of them in the list of installations. */
async function selectFleet(
  system: System,
  signIn: (user: 'olivia', path: string) => Promise<Page>,
  { count, version }: { count: number; version: string },
): Promise<{ page: Page; scopes: Scope[]; installed: string[] }> {
  const runtime = `fleet-${system.newScope().workspaceId}`
  const scopes = Array.from({ length: count }, () => ({
    ...system.newScope(),
    applicationRuntimeId: runtime,
  }))
  const done = await Promise.all(scopes.map((scope) => system.install(scope, 'crm-suite', version)))
  const page = await signIn('olivia', `/installations?applicationRuntimeId=${runtime}`)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await expect(page.getByRole('region', { name: 'Selection' })).toContainText(`${count} selected`)
  return { page, scopes, installed: done.map(({ bundleInstallId }) => bundleInstallId) }
}

async function setPort(page: Page, count: number): Promise<Locator> {
  await page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Set a property' })
    .click()
  const dialog = page.getByRole('dialog', { name: `Set a property of ${count} installations` })
  await dialog.getByLabel('Property', { exact: true }).selectOption({ label: 'CRM mail · SMTP port' })
  await dialog.getByRole('textbox', { name: 'SMTP port' }).fill('2525')
  await expect(dialog).toContainText(`${count} will start`)
  return dialog
}

const rows = (page: Page, result: string) =>
  page.getByRole('table', { name: 'Items' }).getByRole('row', { name: new RegExp(result) })

const failAt = (system: System, { workspaceId }: Scope) =>
  system.script.add({
    when: { workspaceId },
    behaviour: { kind: 'fail', message: 'The mailbox is locked' },
  })

test('ten installations are upgraded: two first, then the rest; one fails, and another browser follows the link', async ({
  system,
  signIn,
}) => {
  test.slow()
  const { page, scopes } = await selectFleet(system, signIn, { count: 10, version: '1.0.0' })
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Upgrade' }).click()
  const dialog = page.getByRole('dialog', { name: 'Upgrade 10 installations' })
  await dialog.getByLabel('New version').selectOption('1.1.0')
  await dialog.getByLabel('Pause after the first').fill('2')
  await expect(dialog).toContainText('10 will start')
  await dialog.getByRole('button', { name: 'Upgrade 10 installations' }).click()
  await expectPage(page, 'Upgrade 10 installations of CRM suite')
  await expect(page.getByRole('main')).toContainText('The first items have finished')
  await expect(rows(page, 'Pending')).toHaveCount(8)
  // the order of the targets is that in which their installs ended
  const pending = await rows(page, 'Pending').first().innerText()
  const failing = scopes.find(({ workspaceId }) => isInWorkspace(pending, workspaceId))
  if (failing === undefined) throw new Error(`No scope of ${pending}`)
  await failAt(system, failing)
  await page.goto('/batches')
  const listed = page.getByRole('row', { name: /^Upgrade 10 installations of CRM suite/ }).first()
  await expect(listed).toContainText('2 succeeded')
  await expect(listed).toContainText('8 pending')
  await page.goBack()

  const other = await signIn('oscar', new URL(page.url()).pathname)
  await expectPage(other, 'Upgrade 10 installations of CRM suite')
  await other.getByRole('button', { name: 'Continue with the rest' }).click()
  for (const browser of [page, other]) {
    await expect(browser.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
    await expect(rows(browser, 'Succeeded')).toHaveCount(9)
    await expect(rows(browser, 'Failed')).toContainText('scripted-hooks reported that it failed')
  }
  await rows(page, 'Failed').getByRole('link', { name: 'View operation' }).click()
  await expectPage(page, 'Upgrade CRM suite Failed')

  await system.script.clear()
  await other.getByRole('button', { name: 'Retry failed' }).click()
  const retry = other.getByRole('dialog', { name: 'Retry 1 operation' })
  await expect(retry).toContainText('1 will start')
  await retry.getByRole('button', { name: 'Retry 1 operation' }).click()
  await expectPage(other, 'Retry 1 operation of CRM suite')
  await expect(other.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expect(rows(other, 'Succeeded')).toHaveCount(1)
})

test('a batch stops after the first failure, and what was not started is skipped', async ({
  system,
  signIn,
}) => {
  const { page, scopes } = await selectFleet(system, signIn, { count: 4, version: '1.0.0' })
  for (const scope of scopes) await failAt(system, scope)
  const dialog = await setPort(page, 4)
  await dialog.getByLabel('Concurrent items').fill('1')
  await dialog.getByLabel('Stop after failures').fill('1')
  await dialog.getByRole('button', { name: 'Save in 4 installations' }).click()
  await expect(page.getByRole('main')).toContainText('Too many items failed', { timeout: 30_000 })
  await expect(rows(page, 'Failed')).toHaveCount(1)
  await expect(rows(page, 'Skipped')).toHaveCount(3)
  await system.script.clear()
})

test('targets that moved after the plan are shown again before the start, and refused with why after it', async ({
  system,
  signIn,
}) => {
  test.slow()
  const { page, scopes, installed } = await selectFleet(system, signIn, { count: 3, version: '1.0.0' })
  const dialog = await setPort(page, 3)
  await dialog.getByLabel('Pause after the first').fill('1')
  const [first] = scopes
  if (first === undefined) throw new Error('Nothing is installed')
  const { operationId } = await system.configure(first, mail, 'smtpPort', wrapData(465), ling)
  await system.ended(operationId)
  await dialog.getByRole('button', { name: 'Save in 3 installations' }).click()
  await expect(dialog).toContainText('The plan is out of date')
  await expect(dialog).toContainText('Replaces the value of SMTP port: Before: 465')
  await expect(dialog.getByRole('textbox', { name: 'SMTP port' })).toHaveValue(/2,?525/)
  await dialog.getByRole('button', { name: 'Save in 3 installations' }).click()
  await expect(page.getByRole('main')).toContainText('The first items have finished')
  // the rows are read apart from the state, and may still show the first one as pending
  await expect(rows(page, 'Pending')).toHaveCount(2)

  const pending = await rows(page, 'Pending').first().innerText()
  const at = scopes.findIndex(({ workspaceId }) => isInWorkspace(pending, workspaceId))
  const bundleInstallId = installed[at]
  if (bundleInstallId === undefined) throw new Error('No item is pending')
  const { operation } = await system.call(
    platform,
    'POST /installations/{bundleInstallId}/detach',
    { params: { bundleInstallId }, body: { reason: 'The pilot is over' } },
    crypto.randomUUID(),
  )
  await system.ended(operation.operationId)
  await page.getByRole('button', { name: 'Continue with the rest' }).click()
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expect(rows(page, 'Succeeded')).toHaveCount(2)
  await expect(rows(page, 'Refused')).toContainText(String(scopes[at]?.workspaceId))
  await expect(rows(page, 'Refused')).toContainText('No active installation')
})
