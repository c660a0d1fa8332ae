import { PLUGIN } from '../harness/plugin-registration.ts'
import { expect, test } from '../harness/test.ts'

test('the calls of a plugin are found by what they were and how they ended', async ({ system, signIn }) => {
  const scope = system.newScope()
  await system.script.add({
    when: { workspaceId: scope.workspaceId, operationType: 'INSTALL', stage: 'BEFORE_RESOURCES' },
    behaviour: { kind: 'failure-envelope', errorCode: 'POOL_EMPTY', message: 'The pool is empty.' },
  })
  const { operation } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('sam', `/plugins/${PLUGIN}`)
  await page.getByRole('link', { name: 'Calls', exact: true }).click()
  const table = page.getByRole('table', { name: 'Calls of the plugin' })
  await expect(table.getByRole('row', { name: /POOL_EMPTY/ }).first()).toContainText('Failed')

  await page.goto(`/plugins/${PLUGIN}?tab=calls&code=POOL_EMPTY&operation=${operation.operationId}`)
  const rows = table.getByRole('row').filter({ hasText: 'Lifecycle call' })
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('Install, Before resources, attempt 1')
  await rows.getByRole('link', { name: /attempt 1/ }).click()
  await expect(page).toHaveURL(new RegExp(operation.operationId))
  await expect(page.getByRole('region', { name: 'Why it failed' })).toContainText('The pool is empty.')

  await page.goto(`/plugins/${PLUGIN}?tab=calls&kind=RESOLVE&result=FAILED`)
  await expect(page.getByText('No matches').first()).toBeVisible()
  await system.script.clear()
})
