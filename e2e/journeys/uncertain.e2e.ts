import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('UNKNOWN is shown as unknown, retried with the same bytes, and succeeds while the page is open', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, stage: 'BEFORE_RESOURCES' },
    behaviour: { kind: 'unknown' },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  const page = await signIn('sam', `/operations/${operationId}`)

  await expectPage(page, 'Configure CRM suite Waiting')
  const evidence = page.getByRole('region', { name: 'The result is not known yet' })
  await expect(evidence).toContainText('No action needed')
  await expect(evidence).toContainText('A complete response with the outcome UNKNOWN.')
  await expect(evidence.getByRole('timer')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Attempt 1, run 1: Unknown/ })).toBeVisible()
  await expect(page.getByText('Succeeded', { exact: true })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Retry', exact: true })).toBeDisabled()
  await expect(page.getByRole('button', { name: 'Retry', exact: true })).toHaveAccessibleDescription(
    'This operation retries automatically.',
  )

  await system.script.clear()
  await expectPage(page, 'Configure CRM suite Succeeded')
  await expect(evidence).toHaveCount(0)
  const calls = (await system.calls(operationId)).filter(({ stage }) => stage === 'BEFORE_RESOURCES')
  expect(calls.length).toBeGreaterThan(1)
  expect(new Set(calls.map(({ sha256 }) => sha256)).size).toBe(1)
})

test('a missing response is shown as such, with what it proves and what it does not', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId },
    behaviour: { kind: 'reset', afterEffect: true },
  })
  const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  const page = await signIn('sam', '/')
  const item = page
    .getByRole('region', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: String(crmScope.workspaceId) })
  await expect(item).toContainText('Retries in')
  await item.getByRole('link', { name: 'Configure CRM suite' }).click()

  const evidence = page.getByRole('region', { name: 'The connection to the plugin was lost' })
  await expect(evidence).toContainText('The result is not known yet.')
  await expect(evidence).toContainText('Nothing about what the plugin did.')
  await expect(evidence).toContainText('Whether the call arrived, and whether the plugin acted on it.')
  await system.script.clear()
  await expectPage(page, 'Configure CRM suite Succeeded')
  expect((await system.ended(operationId)).run).toBe(1)
})
