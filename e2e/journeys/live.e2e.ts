import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { configurationPath, expectPage, field } from '../vocabulary.ts'
import { expect, test } from '../world/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const

test('an operation that is started elsewhere appears in the list and ends there, without a reload', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.install(scope, 'crm-suite', '1.0.0')
  await system.script.add({ when: { workspaceId: scope.workspaceId }, behaviour: { kind: 'unknown' } })
  const page = await signIn('sam', '/operations?operationType=CONFIGURE')
  await expectPage(page, 'Operations')
  const row = page.getByRole('row').filter({ hasText: String(scope.workspaceId) })
  await expect(row).toHaveCount(0)

  await system.configure(scope, mail, 'smtpPort', wrapData(2525), ling)
  await expect(row).toContainText('Waiting')
  await expect(row).toContainText('Ling Zhao')
  await expect(row).toContainText(/repeats/)
  await system.script.clear()
  await expect(row).toContainText('Succeeded')
})

test('a lost line is told in one quiet line, which goes when it is back; what happened meanwhile is shown', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', configurationPath(scope, 'production/crm-suite/MODULE/crm-mail'))
  await expect(field(page, 'SMTP user')).toHaveValue('crm')
  await expect(page.getByText('Connection lost')).toHaveCount(0)

  system.line.down()
  await expect(page.getByText('Connection lost, retrying…')).toBeVisible()
  await field(page, 'SMTP host').fill('typed.while.away.example')
  const { operationId } = await system.configure(scope, mail, 'smtpUser', wrapData('ling'), ling)
  await system.ended(operationId)
  await expect(field(page, 'SMTP user')).toHaveValue('crm')

  system.line.up()
  await expect(page.getByText('Connection lost')).toHaveCount(0, { timeout: 20_000 })
  await expect(field(page, 'SMTP user')).toHaveValue('ling')
  await expect(field(page, 'SMTP host')).toHaveValue('typed.while.away.example')
})
