import { platform } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { failInstall } from '../harness/failed-install.ts'
import type { InstallFailure } from '../harness/failed-install.ts'
import { expect, fillSignIn, test } from '../harness/test.ts'

const CORRUPT: InstallFailure = {
  bundle: 'storefront',
  stage: 'AFTER_RESOURCES',
  sequence: [
    { kind: 'failure-envelope', errorCode: 'CATALOGUE_CORRUPT', message: 'The catalogue is corrupt.' },
  ],
}

test('a failed install is taken over by a DETACH, and the bundle can be installed again', async ({
  system,
  signIn,
}) => {
  const { operation, bundleInstallId, scope } = await failInstall(system, CORRUPT)
  const page = await signIn('admin', `/operations/${operation.operationId}`)
  await expectPage(page, 'Install Storefront Failed')
  await page.getByRole('button', { name: 'Take over and detach' }).click()

  const dialog = page.getByRole('dialog', { name: 'Take over and detach?' })
  await expect(dialog).toContainText('This cannot be undone')
  await expect(dialog).toContainText('This operation ends as “Taken over”')
  await expect(dialog).toContainText('This installation’s references stop resolving.')
  const confirm = dialog.getByRole('button', { name: 'Take over and detach' })
  await expect(confirm).toBeDisabled()
  await expect(confirm).toHaveAccessibleDescription('Enter a reason first.')
  await dialog.getByLabel('Reason for takeover').fill('The course is cancelled')
  await expect(confirm).toHaveAccessibleDescription('Type storefront to confirm')
  await dialog.getByLabel('Type storefront to confirm').fill('storefront')
  await confirm.click()

  await expectPage(page, 'Detach Storefront Succeeded')
  await expect(page.getByText('The course is cancelled')).toBeVisible()
  const tookOver = page.getByRole('definition').filter({ hasText: 'Taken over' })
  await tookOver.getByRole('link', { name: 'Install' }).click()
  await expectPage(page, 'Install Storefront Taken over')
  await expect(page.getByRole('region', { name: 'Original failure' })).toContainText(
    'The catalogue is corrupt.',
  )
  // the form in which another value is sent
  await expect(page.getByRole('link', { name: 'Install again' })).toHaveAttribute(
    'href',
    new RegExp(`copyFrom=${bundleInstallId}`),
  )

  await page.getByRole('link', { name: 'Storefront', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(bundleInstallId))
  await expect(page.getByRole('main')).toContainText('Detached')
  await expect(page.getByRole('main')).toContainText('Detached by admin')
  await expect(page.getByRole('main')).toContainText('The course is cancelled')
  await expect(page.getByRole('link', { name: 'View the detach operation' })).toBeVisible()
  await page.getByRole('link', { name: 'Install again' }).click()
  await expectPage(page, 'Install again')
  await expect(page.getByText('Reinstalling a detached bundle')).toBeVisible()

  // the old page leads to the new installation, and back
  await system.install(scope, 'storefront', '1.0.0')
  await page.goto(`/installations/${bundleInstallId}`)
  await expect(page.getByRole('link', { name: 'Install again' })).toHaveCount(0)
  await page
    .getByRole('banner')
    .or(page.getByRole('main'))
    .getByRole('link', { name: 'Open the' })
    .first()
    .click()
  await expect(page.getByRole('link', { name: 'Open the previous installation' })).toBeVisible()
  await page.getByRole('link', { name: 'Open the previous installation' }).click()
  await expect(page).toHaveURL(new RegExp(bundleInstallId))
})

test('an old sign-in is renewed before a takeover, by the same person, and nothing typed is lost', async ({
  system,
  signIn,
}) => {
  const { operation } = await failInstall(system, CORRUPT)
  const address = `/operations/${operation.operationId}`
  const page = await signIn('admin', address)
  await system.ageSignIns(3600)
  const dialog = page.getByRole('dialog', { name: 'Take over and detach?' })
  const confirm = dialog.getByRole('button', { name: 'Take over and detach' })
  const reason = dialog.getByLabel('Reason for takeover')
  const word = dialog.getByLabel('Type storefront to confirm')
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  await reason.fill('Ticket 4711: the course is over')
  await word.fill('storefront')
  await confirm.click()
  await expect(dialog.getByRole('alert')).toContainText('Sign in again to continue')
  await expect(reason).toHaveValue('Ticket 4711: the course is over')
  expect((await system.ended(operation.operationId)).state).toBe('FAILED')

  // another person is refused, and the session stays as it is
  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  await fillSignIn(page, 'olivia')
  await expect(page.getByRole('heading', { name: 'Sign in as the same person' })).toBeVisible()
  expect(page.url()).not.toContain('4711')
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await expect(page).toHaveURL(address)
  await expect(dialog).toContainText('What you entered is back.')
  await expect(reason).toHaveValue('Ticket 4711: the course is over')
  await confirm.click()

  // the same person signs in; meanwhile a colleague's retry fails again
  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  await expect(page.getByLabel('Password')).toBeVisible()
  const { operationId, run } = operation
  const asPlatform = [{ params: { operationId }, body: { run } }, crypto.randomUUID()] as const
  await system.call(platform, 'POST /operations/{operationId}/retry', ...asPlatform)
  await expect.poll(async () => (await system.ended(operationId)).run).toBe(2)
  await fillSignIn(page, 'admin')
  await expect(page).toHaveURL(address)
  await expect(dialog).toContainText('This operation has changed')
  await expect(confirm).toBeDisabled()
  await expect(reason).toHaveValue('Ticket 4711: the course is over')
  await expect(word).toHaveValue('storefront')
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('4711')
  await dialog.getByRole('button', { name: 'Continue with its current state' }).click()
  await confirm.click()
  await expectPage(page, 'Detach Storefront Succeeded')
  await expect(page.getByText('Ticket 4711: the course is over')).toBeVisible()
})
