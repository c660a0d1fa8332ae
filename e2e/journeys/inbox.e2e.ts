import { wrapData } from '#contract/protocol/data.ts'
import { tomas } from '../../demo/people.ts'
import { configurationPath, expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const MAIL_MODULE = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('a follower is notified of a failure while looking elsewhere, gives it to a colleague, and both read their inbox', async ({
  system,
  signIn,
  crmScope,
}) => {
  const sam = await signIn('sam', configurationPath(crmScope))
  await sam.getByRole('button', { name: 'Follow' }).click()
  await expect(sam.getByRole('button', { name: 'Following' })).toHaveAttribute('aria-pressed', 'true')
  const olivia = await signIn('olivia', '/catalog')
  // somewhere else
  await sam.getByRole('link', { name: 'Catalog' }).click()

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
  const { operationId } = await system.configure(crmScope, MAIL_MODULE, 'smtpPort', wrapData(2526), tomas)
  await system.ended(operationId)
  const bell = sam.getByRole('link', { name: /^Inbox, \d+ unread$/ })
  await bell.click()
  await expectPage(sam, 'Inbox')
  const row = sam
    .getByRole('row')
    .filter({ hasText: String(crmScope.workspaceId) })
    .filter({ hasText: 'Configure CRM suite failed' })
  await expect(row).toContainText('You follow it')
  await expect(row).toContainText('Unread:')
  await row.getByRole('link', { name: 'Configure CRM suite failed' }).click()
  await expectPage(sam, 'Configure CRM suite Failed')

  // to a colleague who has done something lately
  await sam.getByRole('button', { name: 'Assign to', exact: true }).hover()
  await sam.getByRole('button', { name: 'Assign to', exact: true }).click()
  await sam.getByRole('menuitem', { name: 'olivia' }).click()
  const told = olivia.getByRole('link', { name: /^Inbox, \d+ unread$/ })
  await told.click()
  const assigned = olivia
    .getByRole('row')
    .filter({ hasText: 'sam assigned Configure CRM suite to you' })
    .first()
  await expect(assigned).toContainText('Assigned to you')
  // later
  await assigned.getByRole('button', { name: /^Actions for/ }).click()
  await olivia.getByRole('menuitem', { name: 'Snooze for 1 hour' }).click()
  await expect(assigned).toHaveCount(0)
  await olivia.getByText('Snoozed', { exact: true }).click()
  await assigned.getByRole('button', { name: /^Actions for/ }).click()
  await olivia.getByRole('menuitem', { name: 'Move back to inbox' }).click()
  await olivia.getByText('Unread', { exact: true }).click()
  await expect(assigned).toBeVisible()
  await olivia.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(olivia.getByText('No unread notifications')).toBeVisible()

  // the one who opened it has read it
  await sam.goto('/inbox')
  await expect(row).toBeVisible()
  await expect(row).not.toContainText('Unread:')
  await sam.getByText('Following', { exact: true }).click()
  const followed = sam.getByRole('row').filter({ hasText: String(crmScope.workspaceId) })
  await followed.getByRole('button', { name: /^Escalation for/ }).click()
  const dialog = sam.getByRole('dialog')
  await dialog.getByLabel('Minutes without an assignee').fill('0')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toContainText('Enter a whole number from 1')
  await dialog.getByLabel('Minutes without an assignee').fill('15')
  await dialog.getByRole('checkbox', { name: 'olivia' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(followed).toContainText('15 min, then olivia')
  await followed.getByRole('button', { name: 'Following' }).click()
  await expect(followed).toHaveCount(0)
})
