import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { configurationPath } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('the time line of a scope: a save, an install and a failure, each a press away', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.install(scope, 'crm-suite', '1.0.0')
  await system.script.add({
    when: { workspaceId: scope.workspaceId, operationType: 'CONFIGURE' },
    behaviour: { kind: 'fail', message: 'not today' },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(scope, mail, 'smtpPort', wrapData(465), ling)
  await system.ended(operationId)
  const page = await signIn('olivia', `${configurationPath(scope)}?tab=history`)
  const line = page.getByRole('figure', { name: 'Timeline' })
  await expect(line.getByRole('list', { name: 'Installs, upgrades' }).getByRole('link')).toHaveAccessibleName(
    /Install CRM suite/,
  )
  await expect(line.getByRole('list', { name: 'Saves' }).getByRole('link')).not.toHaveCount(0)
  await line.getByText(/^Show as table/).click()
  await expect(line.getByRole('table', { name: 'Timeline' })).toContainText('Configure CRM suite')
  await line.getByRole('radio', { name: '7 days' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/range=month/)
  await line.getByRole('list', { name: 'Failures' }).getByRole('link').press('Enter')
  await expect(page).toHaveURL(new RegExp(operationId))
})
