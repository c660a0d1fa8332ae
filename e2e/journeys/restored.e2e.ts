import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const BACKUP = {
  at: '2026-11-22T02:00:00.000Z',
  version: '0.1.0',
  build: '0123456789abcdef0123456789abcdef01234567',
}

test('a restore is told to operators and support, with the operations in doubt, until they dismiss it', async ({
  system,
  signIn,
  crmScope,
}) => {
  const { workspaceId } = crmScope
  const sam = await signIn('sam', '/')
  await system.script.add({ when: { workspaceId }, behaviour: { kind: 'unknown' } })
  const { operationId } = await system.configure(
    crmScope,
    { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' },
    'smtpPort',
    wrapData(2526),
    ling,
  )
  const told = sam
    .getByRole('status')
    .filter({ hasText: /The database was restored on .* from the backup of 22 Nov 2026/ })
  await expect(sam.getByRole('region', { name: 'Needs attention' })).toBeVisible()
  await expect(told).toHaveCount(0)

  // while the page is open
  const forget = await system.restored(BACKUP)
  await expect(told).toContainText('1 operation was in progress')
  await told.getByRole('link', { name: 'Show operations in doubt' }).click()
  await expect(sam.getByRole('combobox', { name: 'After a restore' })).toHaveValue('open')
  const row = sam.getByRole('row').filter({ hasText: String(crmScope.workspaceId) })
  await expect(row).toContainText('In doubt')
  await expect(row).toContainText('Check the operation in doubt')
  await row.getByRole('link').first().click()

  await expectPage(sam, 'Configure CRM suite Waiting In doubt')
  await expect(
    sam.getByText('This operation was in progress when the database returned to an earlier state'),
  ).toBeVisible()
  const evidence = sam.getByRole('region', { name: 'The result is not known yet' })
  await expect(sam.getByText('its plugins may have done more than this page shows')).toHaveCount(1)
  await expect(evidence).toContainText('Support: Check the operation in doubt')
  await expect(evidence).not.toContainText('No action needed')
  const receipt = await system.call(ling, 'GET /operations/{operationId}/receipt', {
    params: { operationId },
  })
  expect(receipt.operation.inDoubtSince).not.toBeNull()
  expect(receipt.operation.nextStep).toMatchObject({ actor: 'SUPPORT', action: 'CHECK_IN_DOUBT' })

  await told.getByRole('button', { name: 'Dismiss' }).click()
  await expect(told).toHaveCount(0)
  await sam.reload()
  await expectPage(sam, 'Configure CRM suite Waiting In doubt')
  await expect(told).toHaveCount(0)

  // in each browser, in its language, and nobody who can do nothing about it
  const olivia = await signIn('olivia', '/operations')
  await expect(olivia.getByRole('button', { name: 'Dismiss' })).toBeVisible()
  const viewer = await signIn('vera', '/operations')
  await expect(viewer.getByRole('table')).toBeVisible()
  await expect(viewer.getByText('The database was restored')).toHaveCount(0)

  // the audit keeps it
  const admin = await signIn('admin', '/audit?action=database.restore')
  await expect(admin.getByText(/restored the database from the backup of 22 Nov 2026/)).toBeVisible()

  await system.script.clear()
  await expectPage(sam, 'Configure CRM suite Succeeded')
  await expect(
    sam.getByText('This operation was in progress when the database returned to an earlier state'),
  ).toBeVisible()
  await forget()
})
