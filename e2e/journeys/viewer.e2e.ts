import { configurationPath, expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const MAIL = 'production/crm-suite/MODULE/crm-mail'

test('a viewer sees everywhere why actions are disabled, and the API rejects them', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.script.add({
    when: { workspaceId: scope.workspaceId, operationType: 'CONFIGURE' },
    behaviour: { kind: 'fail', message: 'not today' },
  })
  const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('vera', `/installations/${bundleInstallId}`)
  await expect(page.getByRole('navigation', { name: 'Main', exact: true })).not.toContainText('Activity')
  for (const [name, reason] of [
    ['Upgrade', 'You don’t have permission to upgrade in this scope.'],
    ['Detach', 'You don’t have permission to detach in this scope.'],
  ] as const) {
    await expect(page.getByRole('button', { name })).toBeDisabled()
    await expect(page.getByRole('button', { name })).toHaveAccessibleDescription(reason)
  }
  await page.goto(configurationPath(scope, MAIL))
  await expect(page.getByText('You have read-only access')).toBeVisible()
  await expect(page.getByText('smtp.example.com')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'SMTP host' })).toHaveCount(0)

  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const address = `/api/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/configuration`
  const response = await page.request.patch(address, {
    headers: {
      'x-requested-by': 'console',
      origin: system.url,
      'idempotency-key': crypto.randomUUID(),
    },
    data: { snapshotVersion: 2, changes: { [MAIL]: { smtpPort: { '@type': 'Data', value: 2525 } } } },
  })
  expect(response.status()).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'PERMISSION_DENIED' })
  expect(await system.operations(scope, 'CONFIGURE')).toHaveLength(0)
})

test('a failed operation shows a viewer who may take the actions', async ({ system, signIn }) => {
  const scope = system.newScope()
  await system.script.add({
    when: { workspaceId: scope.workspaceId },
    behaviour: { kind: 'fail', message: 'not today' },
  })
  const { operation } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('vera', `/operations/${operation.operationId}`)
  await expectPage(page, 'Install CRM suite Failed')
  for (const [name, who] of [
    ['Retry', 'operator, support engineer, or administrator'],
    ['Take over and detach', 'support engineer or administrator'],
  ] as const) {
    await expect(page.getByRole('button', { name })).toBeDisabled()
    await expect(page.getByRole('button', { name })).toHaveAccessibleDescription(new RegExp(who))
  }
  const response = await page.request.post(`/api/operations/${operation.operationId}/retry`, {
    headers: { 'x-requested-by': 'console', origin: system.url, 'idempotency-key': crypto.randomUUID() },
    data: { run: 1 },
  })
  expect(response.status()).toBe(403)
})
