import type { Page } from '@playwright/test'
import { wrapData } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { mira } from '../../demo/people.ts'
import { configurationPath, field, review, saveButton } from '../vocabulary.ts'
import type { System } from '../harness/system.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
const lockOn = (page: Page) => page.getByRole('region', { name: 'Locked by an operation' })

/** Lets another person save a property, whose operation locks the form until the returned function is called. */
async function lockForm(page: Page, system: System, scope: Scope): Promise<() => Promise<void>> {
  await system.script.add({ when: { workspaceId: scope.workspaceId }, behaviour: { kind: 'unknown' } })
  const { operationId } = await system.configure(scope, mail, 'smtpPort', wrapData(2525), mira)
  await expect(lockOn(page)).toBeVisible()
  return async () => {
    await system.script.clear()
    await system.ended(operationId)
  }
}

test('while an operation locks the installation the form shows it, and unlocks automatically when it ends', async ({
  system,
  editing,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId },
    behaviour: { kind: 'unknown' },
  })
  const page = await editing()
  await expect(field(page, 'SMTP user')).toBeEditable()

  await system.configure(crmScope, mail, 'smtpUser', wrapData('mira'), mira)
  const lock = lockOn(page)
  await expect(lock).toContainText('Configure by Mira Castellan, started')
  await expect(field(page, 'SMTP user')).not.toBeEditable()
  await expect(lock).toContainText('Waiting')
  await expect(lock).toContainText('Next retry in')
  await expect(lock.getByRole('link', { name: 'Configure' })).toHaveAttribute('href', /\/operations\/./)

  await system.script.clear()
  await expect(lock).toHaveCount(0)
  await expect(field(page, 'SMTP user')).toBeEditable()
  await expect(field(page, 'SMTP user')).toHaveValue('mira')
})

test('what is typed while another person’s operation runs is kept as a draft and saved afterwards', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  const user = field(page, 'SMTP user')
  await user.click()
  await page.keyboard.press('End')

  const unlock = await lockForm(page, system, crmScope)
  await expect(page.getByRole('status').filter({ hasText: 'Locked by an operation' })).toBeAttached()
  await expect(page.getByText('What you type here is kept as a draft')).toBeVisible()
  await page.keyboard.type('-olivia')
  await expect(user).toHaveValue('crm-olivia')

  // a field without the focus is read-only, and says so when it gets the focus
  const host = field(page, 'SMTP host')
  await host.click()
  await expect(page.locator('[id="row-smtpHost"]').getByText('Locked: read-only')).toBeAttached()
  await page.keyboard.type('x')
  await expect(host).toHaveValue('smtp.example.com')

  // the field with the draft stays open, also after a reload; it cannot be saved yet
  await page.reload()
  await expect(user).toHaveValue('crm-olivia')
  await user.fill('crm-olivia-2')
  const dialog = await review(page)
  await expect(dialog.getByText('Your changes stay unsaved until it ends')).toBeVisible()
  const blocked = dialog.getByRole('button', { name: 'Save' })
  await expect(blocked).toBeDisabled()
  await expect(blocked).toHaveAccessibleDescription('You can save your changes when the operation ends.')

  await unlock()
  await expect(saveButton(page)).toBeEnabled()
  await saveButton(page).click()
  await expect(page.getByRole('status').filter({ hasText: 'applied' })).toContainText('Succeeded')
  await expect(user).toHaveValue('crm-olivia-2')
})

test('a read-only field reports input that it ignored, even when the operation has already ended', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  await expect(field(page, 'SMTP user')).toHaveValue('crm')
  const unlock = await lockForm(page, system, crmScope)
  await field(page, 'SMTP user').focus()
  await page.keyboard.type('x')
  await unlock()
  await expect(page.getByText('your input was not applied')).toBeVisible()
  await page.keyboard.press('End')
  await page.keyboard.type('-2')
  await expect(field(page, 'SMTP user')).toHaveValue('crm-2')
  await expect(page.getByText('your input was not applied')).toHaveCount(0)
})

test('a field that had the focus when the lock ended keeps what is typed back through its base', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  const user = field(page, 'SMTP user')
  const unlock = await lockForm(page, system, crmScope)
  await user.focus()
  await unlock()
  await expect(lockOn(page)).toHaveCount(0)
  await page.keyboard.press('End')
  await page.keyboard.type('1')
  await expect(user).toHaveValue('crm1')
  await page.keyboard.press('Backspace')
  await expect(user).toHaveValue('crm')
  await system.ended((await system.configure(crmScope, mail, 'smtpUser', wrapData('mira'), mira)).operationId)
  await expect(page.getByText('Saved since then:')).toBeVisible()
  await expect(user).toHaveValue('crm')
  await page.keyboard.type('2')
  await expect(user).toHaveValue('crm2')
})

test('a click reaches its button although the note above it disappears when the field loses the focus', async ({
  system,
  editing,
  crmScope,
}) => {
  const page = await editing()
  const unlock = await lockForm(page, system, crmScope)
  await field(page, 'SMTP user').focus()
  await page.keyboard.type('x')
  await unlock()
  await expect(page.getByText('your input was not applied')).toBeVisible()
  const password = page.locator('[id="row-smtpPassword"]')
  await password.getByRole('button', { name: 'Replace' }).click()
  await expect(password.getByRole('textbox')).toBeFocused()
  await expect(page.getByText('your input was not applied')).toHaveCount(0)
})

test('a change in the JSON document is kept as a draft while an operation runs', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({ when: { workspaceId: crmScope.workspaceId }, behaviour: { kind: 'unknown' } })
  const page = await signIn('olivia', `${configurationPath(crmScope)}?tab=document`)
  const document = page.getByRole('textbox', { name: 'Configuration of this scope as JSON' })
  await expect(document).toContainText('"displayName"')
  await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), mira)

  await document.click()
  await page.keyboard.press('ControlOrMeta+A')
  const timer = {
    cron: wrapData('0 5 * * *'),
    timeZone: wrapData('UTC'),
    enabled: wrapData(true),
  }
  await page.keyboard.insertText(JSON.stringify({ 'production/crm-suite/TIMER/nightly-sync': timer }))
  await expect(page.getByText('Your changes there stay unsaved until it ends.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toContainText('1 change')
  await page.reload()
  await expect(page.getByText('Your changes there stay unsaved until it ends.')).toBeVisible()
  await page.goto(configurationPath(crmScope, 'production/crm-suite/TIMER/nightly-sync'))
  await expect(field(page, 'When to synchronize')).toHaveValue('0 5 * * *')
  await system.script.clear()
})
