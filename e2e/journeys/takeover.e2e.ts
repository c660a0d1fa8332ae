import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('a failed install is taken over by a DETACH, and the bundle can be installed again', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  await system.script.add({
    when: { workspaceId: scope.workspaceId, operationType: 'INSTALL', stage: 'AFTER_RESOURCES' },
    times: 1,
    behaviour: {
      kind: 'failure-envelope',
      errorCode: 'CATALOGUE_CORRUPT',
      message: 'The catalogue is corrupt.',
    },
  })
  const { operation, bundleInstallId } = await system.install(scope, 'storefront', '1.0.0')
  const page = await signIn('admin', `/operations/${operation.operationId}`)
  await expectPage(page, 'Install storefront Failed')
  await page.getByRole('button', { name: 'Take over and detach' }).click()

  const dialog = page.getByRole('dialog', { name: 'Take over and detach?' })
  await expect(dialog).toContainText('This cannot be undone')
  await expect(dialog).toContainText('This operation ends as “Taken over”')
  await expect(dialog).toContainText('References of this installation stop resolving.')
  const confirm = dialog.getByRole('button', { name: 'Take over and detach' })
  await expect(confirm).toBeDisabled()
  await expect(confirm).toHaveAccessibleDescription('Enter a reason first.')
  await dialog.getByLabel('Reason for takeover').fill('The course is cancelled')
  await expect(confirm).toHaveAccessibleDescription('Type storefront to confirm')
  await dialog.getByLabel('Type storefront to confirm').fill('storefront')
  await confirm.click()

  await expectPage(page, 'Detach storefront Succeeded')
  await expect(page.getByText('The course is cancelled')).toBeVisible()
  const tookOver = page.getByRole('definition').filter({ hasText: 'Taken over' })
  await tookOver.getByRole('link', { name: 'Install' }).click()
  await expectPage(page, 'Install storefront Taken over')
  await expect(page.getByRole('region', { name: 'Original failure' })).toContainText(
    'The catalogue is corrupt.',
  )

  await page.getByRole('link', { name: 'storefront', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(bundleInstallId))
  await expect(page.getByRole('main')).toContainText('Detached')
  await page.getByRole('link', { name: 'Install again' }).click()
  await expectPage(page, 'Install again')
  await expect(page.getByText('Reinstalling a detached bundle')).toBeVisible()
})
