import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage, field, review, saveButton } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const READ_ONLY = 'The database accepts no writes'

test('a database that accepts no writes is told where people look, keeps the draft, and interrupts no operation', async ({
  system,
  signIn,
  editing,
  crmScope,
}) => {
  test.setTimeout(120_000)
  const other = system.newScope()
  await system.install(other, 'crm-suite', '1.0.0')
  await system.script.add({
    when: { workspaceId: other.workspaceId, stage: 'BEFORE_RESOURCES' },
    delayMs: 2_500,
    behaviour: { kind: 'apply' },
  })
  const page = await editing({ field: 'SMTP port', value: '2525' })
  const overview = await signIn('sam', '/')
  const operation = await signIn('sam', '/plugins')
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(other, mail, 'smtpPort', wrapData(2526), ling)
  await system.acceptWrites(false)
  try {
    await test.step('the overview and the bar', async () => {
      const notice = overview.getByRole('alert').filter({ hasText: READ_ONLY })
      await expect(notice).toContainText(/Detected .*Nothing can be saved, and operations are on hold\./, {
        timeout: 30_000,
      })
      await expect(notice).toContainText('Administrator: check whether the database is a standby')
      await expect(page.getByRole('status').filter({ hasText: READ_ONLY })).toBeVisible({ timeout: 30_000 })
    })
    await test.step('the operation that waits for it', async () => {
      await operation.goto(`/operations/${operationId}`)
      const notice = operation.getByRole('alert').filter({ hasText: READ_ONLY })
      await expect(notice).toContainText('This operation is waiting for the platform, not for a plugin.', {
        timeout: 30_000,
      })
      await expect(operation.getByRole('main')).toContainText('Platform: ')
      await expect(operation.getByRole('main')).not.toContainText(/interrupted/i)
    })
    await test.step('a refused save', async () => {
      const dialog = await review(page)
      await saveButton(page).click()
      await expect(dialog).toContainText('Your changes can’t be saved now')
      await expect(dialog).toContainText('The database accepts no writes at the moment.')
      await expect(dialog).toContainText('Your changes are kept as a draft.')
      await dialog.getByRole('button', { name: 'Stop checking' }).click()
      await expect(field(page, 'SMTP port')).toHaveValue('2525')
      await page.reload()
      await expect(field(page, 'SMTP port')).toHaveValue('2525')
    })
  } finally {
    await system.acceptWrites(true)
  }
  await expectPage(operation, 'Configure CRM suite Succeeded')
  await expect(operation.getByText(READ_ONLY)).toHaveCount(0, { timeout: 30_000 })
  await expect(operation.getByRole('main')).not.toContainText(/interrupted/i)
  await expect(overview.getByRole('alert')).toHaveCount(0, { timeout: 30_000 })

  await expect(field(page, 'SMTP port')).toHaveValue('2525')
  await review(page)
  await saveButton(page).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const [saved] = await system.operations(crmScope, 'CONFIGURE')
  expect((await system.ended(saved?.operationId ?? '')).state).toBe('SUCCEEDED')
})
