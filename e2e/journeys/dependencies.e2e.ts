import type { Scope } from '#contract/protocol/scope.ts'
import { ling, platform } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'
import type { System } from '../harness/system.ts'

const SUITE_CORE = 'production/crm-suite/MODULE/crm-core'

/** The mail gateway, which the CRM suite uses, whose customer records the exports use. */
async function connect(system: System, scope: Scope) {
  const suite = await system.install(scope, 'crm-suite', '1.0.0')
  const exports = await system.install(scope, 'data-lake-export', '1.1.0')
  const mail = `mail-${scope.workspaceId}`
  const customers = `customers-${scope.workspaceId}`
  for (const [serviceId, title, owner] of [
    [mail, 'Mail relay', null],
    [customers, 'Customer records', { bundleInstallId: suite.bundleInstallId, locator: SUITE_CORE }],
  ] as const)
    await system.call(
      platform,
      'PUT /services/{serviceId}',
      {
        params: { serviceId },
        body: {
          title,
          url: `http://127.0.0.1:9/${serviceId}`,
          methods: [],
          owner,
          consumers: [scope],
          enabled: true,
        },
      },
      crypto.randomUUID(),
    )
  const reference = (serviceId: string) => ({ '@type': 'ServiceReference' as const, serviceId })
  const sender = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const exporter = { bundleId: 'data-lake-export', kind: 'MODULE', name: 'exporter' } as const
  for (const { operationId } of [
    await system.configure(scope, sender, 'mailGateway', reference(mail), ling),
    await system.configure(
      scope,
      exporter,
      'sources',
      { '@type': 'ServiceReferenceMap', valueMap: { crm: reference(customers) } },
      ling,
    ),
  ])
    await system.ended(operationId)
  return { mail, suite, exports }
}

test('what is reached if a service stops, and the way through it by keyboard', async ({ system, signIn }) => {
  const scope = system.newScope()
  const { mail, suite, exports } = await connect(system, scope)
  const page = await signIn('olivia', `/services/${mail}`)
  await expect(page.getByText('1 installation uses Mail relay. 1 more is reached indirectly.')).toBeVisible()
  const table = page.getByRole('table', { name: 'Reached installations' })
  await expect(table.getByRole('row').nth(1)).toContainText('CRM mail · mailGateway')
  await expect(table.getByRole('row').nth(2)).toContainText('Through 1 installation')

  // to what is reached indirectly, and from there to what it needs
  const picture = page.getByRole('figure', { name: /^What Mail relay needs/ })
  await picture.getByRole('link', { name: /^CRM suite/ }).focus()
  await page.keyboard.press('Tab')
  await expect(picture.getByRole('link', { name: /^Customer records .*crm-core/ })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expectPage(page, /^Data lake export/)
  await expect(page).toHaveURL(new RegExp(`/installations/${exports.bundleInstallId}\\?tab=references$`))
  await expect(page.getByText('No other installation that you can see uses services of')).toBeVisible()
  const needs = page.getByRole('figure', { name: /^What Data lake export needs/ }).getByRole('listitem')
  await expect(needs).toHaveText([
    /^Mail relay.*Needed by this$/,
    /^CRM suite.*Needed by this$/,
    /^Customer records.*Needed by this$/,
    /^Data lake export.*This$/,
  ])
  await needs.getByRole('link', { name: /^CRM suite/ }).press('Enter')
  await expect(page).toHaveURL(new RegExp(suite.bundleInstallId))
  await expect(page.getByText('1 other installation uses services of CRM suite.')).toBeVisible()
})

test('on a phone the page keeps its width, and what it is about is in view', async ({
  system,
  signInOnPhone,
}) => {
  const { mail } = await connect(system, system.newScope())
  const page = await signInOnPhone('olivia', `/services/${mail}`)
  const picture = page.getByRole('figure', { name: /^What Mail relay needs/ })
  const root = picture.getByRole('listitem').filter({ hasText: /This$/ })
  await picture.scrollIntoViewIfNeeded()
  await expect(root).toBeInViewport({ ratio: 0.9 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})
