import { wrapData } from '#contract/protocol/data.ts'
import { jonas } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('the overview shows what is outdated and what changed last, and leads to both', async ({
  system,
  signIn,
  crmScope,
}) => {
  const page = await signIn('olivia', '/')
  await expectPage(page, 'Overview')
  // of somebody who changes nothing else meanwhile: operations of one person and bundle are one change
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), jonas)
  await system.ended(operationId)
  const change = page
    .getByRole('region', { name: 'Recent changes' })
    .getByRole('link')
    .filter({ hasText: `/${crmScope.workspaceId}` })
    .first()
  await expect(change).toContainText('Configure CRM suite')
  await expect(change).toContainText('Jonas Berg')

  const outdated = page.getByRole('region', { name: 'Upgrades available' })
  await outdated.getByRole('link', { name: /^CRM suite/ }).click()
  await expectPage(page, 'Installations')
  await expect(page.getByRole('row').filter({ hasText: String(crmScope.workspaceId) })).toContainText(
    'CRM suite',
  )
  await page.goBack()
  await outdated.getByRole('link', { name: 'All versions' }).click()
  await expectPage(page, 'Versions')
})

test('what a person runs comes first, and its end is told while another page is in front', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, operationType: 'DETACH' },
    // each takes until the limit of the plugin
    times: 2,
    delayMs: 6_000,
    behaviour: { kind: 'apply' },
  })
  const page = await signIn('olivia', '/')
  await page.context().grantPermissions(['notifications'])
  // what the browser is asked to show; it has no window for it here
  await page.addInitScript(() => {
    const told: string[] = []
    Object.assign(window, {
      told,
      Notification: class extends Notification {
        // a browser without windows may have nothing to grant
        static override readonly permission = 'granted'
        static override requestPermission = () => Promise.resolve('granted' as const)
        constructor(title: string, options?: NotificationOptions) {
          super(title, options)
          told.push(title)
        }
      },
    })
  })
  await page.goto(`/installations?workspaceId=${crmScope.workspaceId}`)
  await page.getByRole('checkbox', { name: /^Select CRM suite/ }).check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Detach' }).click()
  const dialog = page.getByRole('dialog', { name: 'Detach 1 installation' })
  await dialog.getByLabel('Reason').fill('No longer used')
  await dialog.getByLabel('Type 1 to confirm').fill('1')
  await dialog.getByRole('button', { name: 'Detach 1 installation' }).click()
  await expectPage(page, 'Detach 1 installation of CRM suite')

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
  const mine = page.getByRole('region', { name: 'Your operations and batches' })
  const operation = mine.getByRole('listitem').filter({ hasText: `/${crmScope.workspaceId}` })
  await expect(operation).toContainText('Detach CRM suite')
  await operation.getByRole('button', { name: 'Notify me when it ends' }).click()
  await expect(operation.getByRole('button', { name: 'You will be notified' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Catalog' }).click()
  await expectPage(page, 'Catalog')
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { told: string[] }).told), { timeout: 20_000 })
    .toEqual(['Detach CRM suite: Succeeded'])
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).click()
  // other journeys of the same person may have detached the bundle too, which is then one line
  const ended = mine.getByRole('listitem').filter({ hasText: /^Detach CRM suite/ })
  await expect(ended.first()).toContainText('Succeeded')
  await expect(ended.first().getByRole('button')).toHaveCount(0)
})
