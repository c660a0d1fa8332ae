import type { Locator, Page } from '@playwright/test'
import { expectApplied, expectPage, field, saveButton } from '../vocabulary.ts'
import { countInput } from '../harness/count-input.ts'
import { expect, test } from '../harness/test.ts'

/** Presses Tab until the focus is on the element. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`100 presses of Tab do not lead to ${String(target)}`)
}

/** Signs in, and waits until the page receives keys. */
async function startWithKeys(signIn: (user: 'olivia') => Promise<Page>): Promise<Page> {
  const page = await signIn('olivia')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(help).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  return page
}

test('a pasted scope is opened in one step, and its property is found, edited, saved and undone by keyboard', async ({
  signIn,
  crmScope,
}) => {
  // many presses, each of which waits for the page
  test.slow()
  const page = await startWithKeys(signIn)
  const input = await countInput(page)
  const { environmentKey, applicationRuntimeId, workspaceId } = crmScope
  const scope = `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  const palette = page.getByRole('dialog', { name: 'Search' })
  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.insertText(scope)
  await expect(palette.getByRole('option', { name: scope }).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expectPage(page, scope)
  expect(await input.keys(), 'Control, K and Enter').toBe(3)

  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.insertText(`smtp port ${scope}`)
  await expect(palette.getByRole('option', { name: 'CRM mail · SMTP port' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('Enter')
  await expect(field(page, 'SMTP port')).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('2525')
  await page.keyboard.press('Control+s')
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expectApplied(page)

  await tabTo(page, page.getByRole('link', { name: 'History', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Undo this save' }).first()).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Undo this save' }).first())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/2525/)
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('button', { name: '1 earlier save' })).toBeVisible()
  expect(await input.clicks()).toBe(0)
})

test('installations are selected and upgraded by keyboard', async ({ system, signIn }) => {
  const scopes = [system.newScope(), system.newScope()]
  for (const scope of scopes) await system.install(scope, 'crm-suite', '1.1.0')
  const page = await startWithKeys(signIn)
  const input = await countInput(page)
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await expectPage(page, 'Installations')
  const names = scopes.map(
    (scope) => `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`,
  )
  for (let selected = 0; selected < scopes.length;) {
    await page.keyboard.press('j')
    const row = page.getByRole('row').filter({ has: page.locator(':focus') })
    const text = await row.textContent()
    if (!names.some((name) => text?.includes(name))) continue
    await page.keyboard.press('x')
    selected += 1
    await expect(page.getByRole('region', { name: 'Selection' })).toContainText(`${selected} selected`)
  }
  await page.keyboard.press('a')
  await expect(
    page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Upgrade' }),
  ).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Upgrade 2 installations' })
  await expect(dialog.getByLabel('Data region')).toBeVisible()
  await tabTo(page, dialog.getByLabel('Data region'))
  await page.keyboard.type('eu-c')
  await expect(dialog).toContainText('2 will start')
  await tabTo(page, dialog.getByRole('button', { name: 'Upgrade 2 installations' }))
  await page.keyboard.press('Enter')
  await expectPage(page, 'Upgrade 2 installations of CRM suite')
  expect(await input.clicks()).toBe(0)
})
