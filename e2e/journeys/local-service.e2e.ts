import type { JsonObject } from '#contract/json-schema/json.ts'
import { mira } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const ADDRESS =
  'PUT /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services/{serviceName}' as const

test('a local service has its own version: the second save shows both, and starts no operation', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const params = { ...scope, serviceName: 'image-cache' }
  const saveAsMira = (version: number, values: Record<string, number | boolean>) =>
    system.call(mira, ADDRESS, { params, body: { version, values } }, crypto.randomUUID())
  await saveAsMira(0, { sizeMb: 2048, ttlSeconds: 60, purge: true })
  const path = `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/local-services`
  const page = await signIn('olivia', path)
  await expectPage(page, 'Local services')
  await expect(page.getByText('no operation', { exact: false }).first()).toBeVisible()
  await page.getByRole('link', { name: /image-cache/ }).click()
  const document = page.getByRole('textbox', { name: 'Values of image-cache as JSON' })
  await expect(document).toContainText('"sizeMb": 2048')
  await document.fill('{"sizeMb": 4096, "ttlSeconds": 60, "purge": false}')

  await saveAsMira(1, { sizeMb: 1024, ttlSeconds: 30, purge: true })
  const conflict = page.getByRole('status').filter({ hasText: 'Someone else saved first' })
  await expect(conflict).toContainText('Mira Castellan saved version 2')
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  const continueButton = conflict.getByRole('button', { name: 'Continue from version 2' })
  await expect(continueButton).toBeDisabled()
  await conflict.getByRole('radio', { name: /Keep mine.*4096/ }).check()
  await continueButton.click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()

  await expect(page.getByText('Version 3, saved')).toBeVisible()
  await expect(document).toContainText('"sizeMb": 4096')
  await expect(document).toContainText('"ttlSeconds": 30')
  await expect(document).toContainText('"purge": false')
  expect(await system.operations(scope, 'CONFIGURE')).toHaveLength(0)
})

test('changes of different leaves of one value are both kept', async ({ system, signIn }) => {
  const scope = system.newScope()
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const params = { ...scope, serviceName: 'image-cache' }
  const saveAsMira = (version: number, values: JsonObject) =>
    system.call(mira, ADDRESS, { params, body: { version, values } }, crypto.randomUUID())
  await saveAsMira(0, { limits: { sizeMb: 1, ttl: 60 }, hosts: ['a'] })
  const path = `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/local-services`
  const page = await signIn('olivia', path)
  await page.getByRole('link', { name: /image-cache/ }).click()
  const document = page.getByRole('textbox', { name: 'Values of image-cache as JSON' })
  await document.fill('{"limits": {"sizeMb": 2, "ttl": 60}, "hosts": ["a", "mine"]}')
  await saveAsMira(1, { limits: { sizeMb: 1, ttl: 30 }, hosts: ['a', 'theirs'] })
  const conflict = page.getByRole('status').filter({ hasText: 'Someone else saved first' })
  await expect(conflict.getByRole('listitem').filter({ hasText: 'limits › sizeMb' })).toContainText('yours')
  await conflict.getByRole('button', { name: 'Continue from version 2' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Version 3, saved')).toBeVisible()
  await expect(document).toContainText(/"sizeMb": 2.*"ttl": 30.*"a".*"theirs".*"mine"/s)
})

test('a focused document shows another person’s save, but does not change between two keys', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  const { environmentKey, applicationRuntimeId, workspaceId } = scope
  const params = { ...scope, serviceName: 'image-cache' }
  const saveAsMira = (version: number, sizeMb: number) =>
    system.call(mira, ADDRESS, { params, body: { version, values: { sizeMb } } }, crypto.randomUUID())
  await saveAsMira(0, 2048)
  const path = `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/local-services`
  const page = await signIn('olivia', `${path}?service=image-cache`)
  const document = page.getByRole('textbox', { name: 'Values of image-cache as JSON' })
  await document.click()
  await expect(document).toContainText('"sizeMb": 2048')
  await saveAsMira(1, 1024)
  await expect(document).toContainText('"sizeMb": 1024')
  await expect(document).toBeFocused()

  // between two keys it does not change, even when the edit is back at its base
  await page.keyboard.press('Control+End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('End')
  await page.keyboard.type('0')
  await page.keyboard.press('Backspace')
  await saveAsMira(2, 512)
  await expect(page.getByText('Version 3, saved')).toBeVisible()
  await page.keyboard.type('1')
  await expect(document).toContainText('"sizeMb": 10241')
  await expect(page.getByRole('status').filter({ hasText: 'Someone else saved first' })).toBeVisible()
})
