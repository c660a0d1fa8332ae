import { wrapData } from '#contract/protocol/data.ts'
import { tomas } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('from the overview to a failed operation, its explanation, and a successful retry', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, stage: 'AFTER_RESOURCES' },
    times: 1,
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'MAILBOX_LOCKED',
      message: 'The mailbox is locked by a migration.',
      retryable: false,
    },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), tomas)
  await system.ended(operationId)
  const page = await signIn('sam')
  const item = page
    .getByRole('region', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: String(crmScope.workspaceId) })
  await expect(item).toContainText('The mailbox is locked by a migration.')
  await item.getByRole('link', { name: 'Configure CRM suite' }).click()

  await expectPage(page, 'Configure CRM suite Failed')
  const failure = page.getByRole('region', { name: 'Why it failed' })
  await expect(failure).toContainText('The mailbox is locked by a migration.')
  await expect(failure).toContainText('scripted-hooks in After resources, attempt 1, run 1')
  await expect(failure).toContainText('What to do')
  await expect(failure).toContainText('MAILBOX_LOCKED')
  await expect(failure).toContainText('Only after the cause is fixed')

  await failure.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry this operation?' })
  await expect(dialog).toContainText('Without a change, this will most likely fail again')
  await expect(dialog).toContainText('Resumes at scripted-hooks in After resources')
  await expect(dialog).toContainText('sends the identical request: same operation ID, stage, and sequence')
  await expect(dialog).toContainText('This will be run 2.')
  await dialog.getByLabel('Reason').fill('The migration is over')
  await dialog.getByRole('button', { name: 'Retry' }).click()

  await expectPage(page, 'Configure CRM suite Succeeded')
  const result = page.getByRole('status').filter({ hasText: 'after the retry by' })
  await expect(result).toContainText(
    /Succeeded at .*, after the retry by .*Reason for the retry: The migration is over/,
  )
  await expect(page.getByText('Retry started.')).toHaveCount(0)
  await expect(
    page.getByRole('definition').filter({ hasText: /Run 2, .*The migration is over/ }),
  ).toContainText('Run 1 failed: The mailbox is locked by a migration.')
  await expect(page.getByRole('definition').filter({ hasText: /^2, run 2$/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Attempt 1, run 1: Failed/ })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Attempt 2, run 2: Applied/ })).toBeVisible()
  const calls = await system.calls(operationId)
  const after = calls.filter(({ stage }) => stage === 'AFTER_RESOURCES')
  expect(after).toHaveLength(2)
  expect(after[0]?.sha256).toBe(after[1]?.sha256)
  expect(calls).toHaveLength(3)
})

test('a colleague retries first: the page says so instead of retrying twice', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId },
    times: 1,
    behaviour: { kind: 'fail', message: 'not now' },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), tomas)
  await system.ended(operationId)
  const page = await signIn('sam', `/operations/${operationId}`)
  await page.getByRole('button', { name: 'Retry' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retry this operation?' })
  await expect(dialog).toContainText('This will be run 2.')

  const params = { operationId }
  await system.call(
    tomas,
    'POST /operations/{operationId}/retry',
    { params, body: { run: 1 } },
    crypto.randomUUID(),
  )
  await expect(dialog).toContainText('This operation has changed')
  const confirm = dialog.getByRole('button', { name: 'Retry' })
  await expect(confirm).toBeDisabled()
  await expect(confirm).toHaveAccessibleDescription('This operation has changed')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expectPage(page, 'Configure CRM suite Succeeded')
  expect((await system.ended(operationId)).run).toBe(2)
})
