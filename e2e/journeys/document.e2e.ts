import { expectApplied, field, save } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('form and document show one draft beside each other, which survives a reload and is saved', async ({
  editing,
}) => {
  const page = await editing()
  await page.getByRole('button', { name: 'JSON beside the form' }).click()
  const document = page.getByRole('textbox', { name: 'Configuration of this scope as JSON' })
  const marked = document.locator('.cm-pointed')
  await field(page, 'SMTP port').fill('2525')
  await expect(marked.filter({ hasText: '2525' })).toBeVisible()
  await expect(field(page, 'SMTP port')).toBeFocused()

  await page.reload()
  await expect(document).toContainText('2525')
  await field(page, 'SMTP user').click()
  const line = marked.filter({ hasText: '"smtpUser"' })
  await line.click()
  await page.keyboard.press('End')
  if ((await line.innerText()).trimEnd().endsWith(',')) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('-2"')
  await expect(field(page, 'SMTP user')).toHaveValue('crm-2')
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toContainText('2 changes')

  await save(page)
  await expectApplied(page)
  await expect(document).toContainText('crm-2')
  await page.setViewportSize({ width: 1200, height: 800 })
  await expect(document).toHaveCount(0)
  await expect(field(page, 'SMTP user')).toHaveValue('crm-2')
})
