import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { configurationPath, expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
const MAIL = 'production/crm-suite/MODULE/crm-mail'

test('one property everywhere: who changed it and why, a value for each scope, and back to the default', async ({
  system,
  signIn,
}) => {
  test.slow()
  const runtime = `everywhere-${system.newScope().workspaceId}`
  const scopes = [1, 2, 3].map(() => ({ ...system.newScope(), applicationRuntimeId: runtime }))
  await Promise.all(scopes.map((scope) => system.install(scope, 'crm-suite', '1.0.0')))
  const [first, second, third] = scopes
  if (!first || !second || !third) throw new Error('Nothing is installed')
  const { operationId } = await system.configure(first, mail, 'smtpPort', wrapData(465), ling)
  await system.ended(operationId)

  // from the field, over its history
  const page = await signIn('olivia', configurationPath(second, MAIL))
  await page.getByRole('button', { name: 'Value history of SMTP port' }).click()
  await page.getByRole('link', { name: 'This property in all installations' }).click()
  await expectPage(page, 'SMTP port')
  await page.goto(`${page.url()}&applicationRuntimeId=${runtime}`)
  await expectPage(page, 'SMTP port')
  const table = page.getByRole('table', { name: 'Installations with this property' })
  const rowOf = ({ workspaceId }: { workspaceId: number }) =>
    table.getByRole('row', { name: new RegExp(`${runtime}/${workspaceId} `) })
  await expect(rowOf(first)).toContainText('465')
  await expect(rowOf(first)).toContainText('Set here')
  await expect(rowOf(first)).toContainText(ling.name)
  await expect(rowOf(second)).toContainText('Default')

  const shares = page.getByRole('region', { name: 'Values on this page' })
  await shares.getByRole('button', { name: 'Only these 465' }).click()
  await expect(table.getByRole('row')).toHaveCount(2)
  await shares.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: /^Remove .*Equals/ }).click()
  await expect(table.getByRole('row')).toHaveCount(4)

  // a value for each
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Set values' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set a property of 3 installations' })
  await dialog.getByText('A value for each').click()
  const fieldOf = ({ workspaceId }: { workspaceId: number }) =>
    dialog.getByRole('textbox', { name: new RegExp(`${runtime}/${workspaceId}(?!\\d)`) })
  await expect(fieldOf(first)).toHaveValue('465')
  await fieldOf(second).fill('2525')
  await fieldOf(third).fill('2526')
  await expect(dialog).toContainText('2 will start')
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('Relays of their own')
  await dialog.getByRole('button', { name: 'Save in 2 installations' }).click()
  await expectPage(page, /^Set SMTP port/)
  await expect(page.getByRole('main')).toContainText('a different value in each of 2 installations')
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })

  await page.goBack()

  // somebody else sees it, and why, and sets everything back
  const other = await signIn(
    'oscar',
    `/properties?bundleId=crm-suite&kind=MODULE&resource=crm-mail&property=smtpPort&applicationRuntimeId=${runtime}`,
  )
  const values = other.getByRole('table', { name: 'Installations with this property' })
  await expect(values.getByRole('row', { name: / 2525 / })).toContainText('Relays of their own')
  await expect(values.getByRole('row', { name: / 2526 / })).toHaveCount(1)
  await other.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await other
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Use the default' })
    .click()
  const back = other.getByRole('dialog', { name: 'Set a property of 3 installations' })
  await expect(back).toContainText('3 will start')
  await back.getByRole('button', { name: 'Save in 3 installations' }).click()
  await expect(other.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await expect(table.getByRole('row', { name: / 587 / })).toHaveCount(3, { timeout: 30_000 })

  // and one mistake less: each gets back what it had
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page
    .getByRole('region', { name: 'Selection' })
    .getByRole('button', { name: 'Restore earlier values' })
    .click()
  const restoring = page.getByRole('dialog', { name: 'Set a property of 3 installations' })
  await expect(restoring).toContainText('3 will start')
  await restoring.getByRole('button', { name: 'Save in 3 installations' }).click()
  await expect(page.getByRole('main')).toContainText('Finished', { timeout: 30_000 })
  await page.goBack()
  for (const [scope, value] of [
    [first, '465'],
    [second, '2525'],
    [third, '2526'],
  ] as const)
    await expect(rowOf(scope)).toContainText(value)
})

test('a property is found by its title, and an address without one searches', async ({ system, signIn }) => {
  const scope = system.newScope()
  await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', '/scopes')
  await page.getByRole('link', { name: 'Properties', exact: true }).click()
  await expectPage(page, 'Properties')
  await page.getByRole('searchbox', { name: 'Title or name of a property' }).fill('smtp pass')
  await page
    .getByRole('list', { name: 'Properties found' })
    .getByRole('link', { name: /SMTP password/ })
    .click()
  await expectPage(page, 'SMTP password')
  const main = page.getByRole('main')
  await expect(main).toContainText('set (hidden)')
  // the demo's password is the same in every scope
  await expect(main.getByRole('table')).toContainText('value A')
})
