import { expect, fillSignIn, test } from '../harness/test.ts'

test('a credential is created and revoked only after a recent sign-in, and nothing typed is lost', async ({
  system,
  signIn,
}) => {
  const page = await signIn('admin', '/plugins/tenant-provisioner?tab=credentials')
  await system.ageSignIns(3600)

  await page.getByRole('button', { name: 'Create credential' }).click()
  const creating = page.getByRole('dialog', { name: /^Create a credential for/ })
  await creating.getByLabel('Reason for creating').fill('The old one was in a log')
  await creating.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(creating.getByRole('alert')).toContainText('Sign in again to continue')
  await creating.getByRole('button', { name: 'Sign in again' }).click()
  await fillSignIn(page, 'admin')
  await expect(page).toHaveURL('/plugins/tenant-provisioner?tab=credentials')
  await expect(creating).toContainText('What you entered is back.')
  await expect(creating.getByLabel('Reason for creating')).toHaveValue('The old one was in a log')
  await creating.getByRole('button', { name: 'Create', exact: true }).click()
  const secret = page.getByRole('dialog', { name: 'Copy your secret now' })
  await secret.getByRole('checkbox', { name: 'I have stored the secret elsewhere' }).check()
  await secret.getByRole('button', { name: 'I’ve copied it' }).click()

  await system.ageSignIns(3600)
  const rows = page.getByRole('row', { name: /Revoke$/ })
  const before = await rows.count()
  await rows.first().getByRole('button', { name: 'Revoke' }).click()
  const revoking = page.getByRole('dialog', { name: 'Revoke this credential?' })
  const id = await revoking.getByRole('paragraph').first().textContent()
  await revoking.getByRole('button', { name: 'Revoke' }).click()
  await expect(revoking.getByRole('alert')).toContainText('Sign in again to continue')
  await revoking.getByRole('button', { name: 'Sign in again' }).click()
  await fillSignIn(page, 'admin')
  await expect(revoking).toContainText('What you entered is back.')
  await expect(revoking).toContainText(id ?? 'the same credential')
  await expect(rows).toHaveCount(before)
  await revoking.getByRole('button', { name: 'Revoke' }).click()
  await expect(revoking).toBeHidden()
  await expect(rows).toHaveCount(before - 1)
})
