import { expectPage } from '../vocabulary.ts'
import { expect, fillSignIn, test } from '../harness/test.ts'

test('failed operations are taken over as one batch, after a recent sign-in, and nothing typed is lost', async ({
  system,
  signIn,
}) => {
  const scopes = [system.newScope(), system.newScope()]
  const errorCode = `LOST_${scopes[0]!.workspaceId}`
  for (const { workspaceId } of scopes)
    await system.script.add({
      when: { workspaceId, operationType: 'INSTALL' },
      behaviour: { kind: 'failure-envelope', errorCode, message: 'The tenant is lost.' },
    })
  const failed = []
  for (const scope of scopes) failed.push((await system.install(scope, 'crm-suite', '1.0.0')).operation)
  const address = `/operations?errorCode=${errorCode}`
  const page = await signIn('sam', address)
  await system.ageSignIns(3600)

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  const bar = page.getByRole('region', { name: 'Selection' })
  await expect(bar).toContainText('2 selected')
  await bar.getByRole('button', { name: 'Take over and detach' }).click()
  const dialog = page.getByRole('dialog', { name: 'Take over 2 operations' })
  await expect(dialog).toHaveAccessibleDescription(/2 failed operations .* This cannot be undone\./)
  await expect(dialog).toContainText('2 will start')
  await expect(dialog).toContainText(`Failed: ${errorCode}.`)
  await expect(dialog).toContainText(/The detach operation calls .*scripted-hooks.*, in this order\./)
  const start = dialog.getByRole('button', { name: 'Take over and detach 2 installations' })
  await expect(start).toBeDisabled()
  const reason = dialog.getByLabel('Reason')
  const count = dialog.getByLabel('Type 2 to confirm')
  const first = dialog.getByLabel('Pause after the first')
  await reason.fill('Ticket 4711: the course is over')
  await count.fill('2')
  await first.fill('1')
  await start.click()
  await expect(dialog.getByRole('alert')).toContainText('Sign in again to continue')
  for (const { operationId } of failed) expect((await system.ended(operationId)).state).toBe('FAILED')

  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  await fillSignIn(page, 'sam')
  await expect(page).toHaveURL(address)
  await expect(dialog).toContainText('What you entered is back.')
  await expect(reason).toHaveValue('Ticket 4711: the course is over')
  await expect(count).toHaveValue('2')
  await expect(first).toHaveValue('1')
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('4711')
  await expect(dialog).toContainText('2 will start')
  await start.click()

  await expectPage(page, 'Take over 2 operations of CRM suite')
  await expect(page.getByRole('main')).toContainText('Paused')
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(1)

  // a console that was left open does not continue it
  await system.ageSignIns(3600)
  await page.getByRole('button', { name: 'Continue with the rest' }).click()
  const rest = page.getByRole('dialog', { name: 'Continue with the rest?' })
  await expect(rest).toHaveAccessibleDescription(/1 more failed operation .* This cannot be undone\./)
  await rest.getByLabel('Reason').fill('The first one looks right')
  await rest.getByRole('button', { name: 'Take over 1 operation' }).click()
  await expect(rest.getByRole('alert')).toContainText('Sign in again to continue')
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(1)
  const paused = new URL(page.url()).pathname
  await rest.getByRole('button', { name: 'Sign in again' }).click()
  await fillSignIn(page, 'sam')
  await expect(page).toHaveURL(paused)
  await expect(rest).toContainText('What you entered is back.')
  await expect(rest.getByLabel('Reason')).toHaveValue('The first one looks right')
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('first one')
  await rest.getByRole('button', { name: 'Take over 1 operation' }).click()
  await expect(rest).toBeHidden()
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(2)
  for (const { operationId } of failed) expect((await system.ended(operationId)).state).toBe('TAKEN_OVER')
  for (const scope of scopes) expect(await system.operations(scope, 'DETACH')).toHaveLength(1)
})
