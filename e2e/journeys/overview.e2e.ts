import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('the overview shows what is outdated and what changed last, and leads to both', async ({
  system,
  signIn,
  crmScope,
}) => {
  const page = await signIn('olivia', '/')
  await expectPage(page, 'Overview')
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  await system.ended(operationId)
  const change = page
    .getByRole('region', { name: 'Recent changes' })
    .getByRole('link')
    .filter({ hasText: `/${crmScope.workspaceId}` })
    .first()
  await expect(change).toContainText('Configure crm-suite')
  await expect(change).toContainText('Ling Zhao')

  const outdated = page.getByRole('region', { name: 'Upgrades available' })
  await outdated.getByRole('link', { name: /^CRM suite/ }).click()
  await expectPage(page, 'Installations')
  await expect(page.getByRole('row').filter({ hasText: String(crmScope.workspaceId) })).toContainText(
    'CRM suite',
  )
  await page.goBack()
  await outdated.getByRole('link', { name: 'All versions' }).click()
  await expectPage(page, 'Versions')
})
