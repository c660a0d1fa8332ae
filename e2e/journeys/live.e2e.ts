import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage, field } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('an operation started elsewhere appears in the list and completes there, without a reload', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({ when: { workspaceId: crmScope.workspaceId }, behaviour: { kind: 'unknown' } })
  const page = await signIn('sam', '/operations?operationType=CONFIGURE')
  await expectPage(page, 'Operations')
  const row = page.getByRole('row').filter({ hasText: String(crmScope.workspaceId) })
  await expect(row).toHaveCount(0)

  await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  await expect(row).toContainText('Waiting')
  await expect(row).toContainText('Ling Zhao')
  await expect(row).toContainText(/Retr(ies|ying)/)
  await system.script.clear()
  await expect(row).toContainText('Succeeded')
})

test('a save before the event stream of a new page opens is shown in its editor', async ({
  system,
  editing,
  crmScope,
}) => {
  const release = system.proxy.hold('GET /api/events ')
  const page = await editing()
  await expect(field(page, 'SMTP user')).toHaveValue('crm')
  const { operationId } = await system.configure(crmScope, mail, 'smtpUser', wrapData('ling'), ling)
  await system.ended(operationId)
  release()
  await expect(field(page, 'SMTP user')).toHaveValue('ling')
})

test('a lost connection shows one notice until it is back; missed changes are then shown', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  await expect(field(page, 'SMTP user')).toHaveValue('crm')
  await expect(page.getByText('Connection lost')).toHaveCount(0)

  system.proxy.down()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await field(page, 'SMTP host').fill('typed.while.away.example')
  const { operationId } = await system.configure(crmScope, mail, 'smtpUser', wrapData('ling'), ling)
  await system.ended(operationId)
  await expect(field(page, 'SMTP user')).toHaveValue('crm')

  system.proxy.up()
  await expect(page.getByText('Connection lost')).toHaveCount(0, { timeout: 20_000 })
  await expect(field(page, 'SMTP user')).toHaveValue('ling')
  await expect(field(page, 'SMTP host')).toHaveValue('typed.while.away.example')
})

test('requests during a lost connection complete when it is back, and nothing shown disappears', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', `/installations/${bundleInstallId}`)
  await expectPage(page, 'CRM suite')
  system.proxy.down()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  // its code has not been loaded yet
  await page.getByRole('button', { name: 'Detach' }).click()
  await expectPage(page, 'CRM suite')
  system.proxy.up()
  await expect(page.getByRole('dialog', { name: /^Detach/ })).toBeVisible()
  await page.keyboard.press('Escape')

  system.proxy.down()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  await page.getByRole('link', { name: 'Services', exact: true }).click()
  await expect(page.getByText('could not be displayed')).toHaveCount(0)
  system.proxy.up()
  await expectPage(page, 'Services')
})

test('with too many tabs the oldest pauses and says so, and resumes when the person returns to it', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  await expect(field(page, 'SMTP user')).toHaveValue('crm')

  const cookies = await page.context().cookies()
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const newerTabs: Response[] = []
  while (newerTabs.length < 20)
    newerTabs.push(
      await fetch(`${system.url}/api/events`, { headers: { cookie, 'x-requested-by': 'console' } }),
    )
  const paused = page.getByText('Live updates paused: too many tabs are open.')
  await expect(paused).toBeVisible()
  const { operationId } = await system.configure(crmScope, mail, 'smtpUser', wrapData('ling'), ling)
  await system.ended(operationId)

  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect(paused).toHaveCount(0)
  await expect(field(page, 'SMTP user')).toHaveValue('ling')
  for (const { status, body } of newerTabs) {
    expect(status).toBe(200)
    await body?.cancel()
  }
})

test('a server that hangs is reported within 5 s, and no page is shown under the address of another', async ({
  system,
  editing,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  const release = system.proxy.freeze()
  const began = performance.now()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible({ timeout: 10_000 })
  await expect(page.getByLabel('Changes and saves')).toContainText('The server is not responding')
  expect(performance.now() - began).toBeLessThan(5_500)

  await page.keyboard.press('ControlOrMeta+S')
  const review = page.getByRole('dialog')
  await expect(review.getByLabel('Changes of CRM mail')).toContainText('After: 2525')
  await expect(review.getByText('The server is not responding')).toBeVisible()
  await page.keyboard.press('Escape')

  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Plugins' }).click()
  await expect(page).toHaveURL(/\/plugins$/)
  await expect(page.getByText('This page opens as soon as the connection is back.')).toBeVisible()
  await expect(field(page, 'SMTP port')).toHaveCount(0)
  release()
  await expectPage(page, 'Plugins')
  await expect(menu.getByRole('link', { name: 'Plugins' })).toHaveAttribute('aria-current', 'page')
})
