import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const PLUGIN = 'scripted-hooks'

test('the health of a plugin shows its uncertain attempts, and leads to each attempt', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, stage: 'BEFORE_RESOURCES' },
    times: 1,
    behaviour: { kind: 'unknown' },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  await system.ended(operationId)

  const page = await signIn('sam', `/plugins/${PLUGIN}`)
  await page.getByRole('link', { name: 'Health' }).click()
  await expect(page.getByRole('figure', { name: 'Response time' })).toBeVisible()
  await page.getByText('Show as table').click()
  const table = page.getByRole('table', { name: 'Attempts over time' })
  await expect(table.getByRole('row')).not.toHaveCount(0)
  await page.getByText('7 days', { exact: true }).click()
  await expect(page).toHaveURL(/range=week/)

  const latest = page.getByRole('table', { name: 'Latest attempts' })
  const uncertain = latest
    .getByRole('row')
    .filter({ has: page.locator(`a[href*="${operationId}"]`) })
    .filter({ hasText: 'Configure CRM suite' })
    .filter({ hasText: 'Unknown' })
  await uncertain.getByRole('link').click()
  await expectPage(page, 'Configure CRM suite Succeeded')
  await expect(page.getByRole('heading', { name: /^Attempt 1, run 1 Unknown/ })).toBeVisible()
})
