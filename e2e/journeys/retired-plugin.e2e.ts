import { register, registration, PLUGIN, SHORT } from '../harness/plugin-registration.ts'
import { platform } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, fillSignIn, test } from '../harness/test.ts'

test('a plugin that is gone for good is retired, and what it kept locked is detached', async ({
  system,
  signIn,
}) => {
  const before = await registration(system)
  const { bundleInstallId } = await system.install(system.newScope(), 'crm-suite', '1.0.0')
  const other = await system.install(system.newScope(), 'crm-suite', '1.0.0')
  // nobody listens there
  await register(system, { ...before, ...SHORT, maxAttempts: 1, endpoint: 'http://127.0.0.1:9/lifecycle' })
  const params = { bundleInstallId }
  const { operation } = await system.call(
    platform,
    'POST /installations/{bundleInstallId}/detach',
    { params, body: { reason: 'The customer has left' } },
    crypto.randomUUID(),
  )
  expect((await system.ended(operation.operationId)).state).toBe('FAILED')

  const page = await signIn('admin', `/plugins/${PLUGIN}`)
  await system.ageSignIns(3600)
  await page.getByRole('button', { name: 'Retire', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: /^Retire / })
  await expect(dialog).toContainText('only if the plugin is gone for good')
  await dialog.getByLabel('Reason for retiring').fill('The vendor has closed')
  await dialog.getByLabel(`Type ${PLUGIN} to confirm`).fill(PLUGIN)
  await dialog.getByRole('button', { name: 'Retire', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('Sign in again to continue')
  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  await fillSignIn(page, 'admin')
  await expect(dialog).toContainText('What you entered is back.')
  await expect(dialog.getByLabel('Reason for retiring')).toHaveValue('The vendor has closed')
  await dialog.getByRole('button', { name: 'Retire', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('main')).toContainText('The vendor has closed')
  await page.goto(`/plugins?q=${PLUGIN}`)
  await expect(page.getByRole('row', { name: new RegExp(PLUGIN) })).toContainText('Retired')

  // what failed on it says what to do, and ends
  await page.goto(`/operations/${operation.operationId}`)
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect(panel).toContainText('The vendor has closed')
  await expect(panel).toContainText('Retry: the platform answers in place of the plugin.')
  await expect(panel).toContainText('Support: Retry the operation')
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await expect(page.getByRole('dialog')).toContainText(
    'the platform answers in its place, and what it created stays',
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click()
  await expectPage(page, /^Detach .* Succeeded$/)
  await page.goto(`/operations/${operation.operationId}?view=list`)
  const history = page.getByRole('main')
  await expect(history).toContainText('Answered by the platform')
  await expect(history).toContainText('Plugin not called')

  // a detach says beforehand what the platform does
  await page.goto(`/installations/${other.bundleInstallId}`)
  await page.getByRole('button', { name: 'Detach', exact: true }).click()
  const detaching = page.getByRole('dialog', { name: /^Detach / })
  await expect(detaching).toContainText('retired: the platform answers in its place')
  await detaching.getByRole('button', { name: 'Cancel' }).click()

  await page.goto(`/plugins/${PLUGIN}`)
  await page.getByRole('button', { name: 'Reinstate', exact: true }).click()
  const reinstating = page.getByRole('dialog', { name: /^Reinstate / })
  await reinstating.getByLabel('Reason for reinstating').fill('The vendor is back')
  await reinstating.getByRole('button', { name: 'Reinstate', exact: true }).click()
  await expect(reinstating).toBeHidden()
  await expect(page.getByRole('button', { name: 'Retire', exact: true })).toBeVisible()
  await register(system, before)
})
