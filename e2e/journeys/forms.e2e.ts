import { wrapData } from '#contract/protocol/data.ts'
import { platform } from '../../demo/people.ts'
import { configurationPath, expectApplied, expectPage, field, save, saveButton } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('a plugin form leads to its first error, shows a refusal at its field, and asks before it discards', async ({
  signIn,
}) => {
  const page = await signIn('admin', '/plugins')
  await page.getByRole('button', { name: 'Register plugin' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Register plugin' })
  const id = dialog.getByLabel('Plugin ID')
  const endpoint = dialog.getByLabel('Endpoint')
  const timeout = dialog.getByLabel('Request timeout (ms)')
  await timeout.fill('99')
  await timeout.press('Enter')
  await expect(id).toBeFocused()
  await expect(id).toHaveAccessibleDescription(/^Use 1 to 128 letters/)
  await expect(dialog.getByLabel('Title')).toHaveAccessibleDescription('Enter a title')
  await expect(timeout).toHaveAccessibleDescription(/^Enter a whole number from 100/)

  await id.fill(' journey-plugin ')
  await dialog.getByLabel('Title').fill('A plugin')
  await timeout.fill('900')
  await endpoint.fill('http://10.0.0.1')
  await dialog.getByLabel('Reason').fill('For a journey')
  await endpoint.press('Enter')
  await expect(endpoint).toHaveAccessibleDescription(/^The setting EGRESS_ALLOW does not allow/)
  await expect(endpoint).toBeFocused()
  await expect(timeout).toHaveValue('900')

  await page.keyboard.press('Escape')
  await expect(dialog.getByText('Discard what you entered?')).toBeVisible()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expect(endpoint).toBeFocused()
  await endpoint.fill('http://127.0.0.1:9')
  await expect(endpoint).not.toHaveAttribute('aria-invalid')
  await endpoint.press('Enter')
  await expectPage(page, 'A plugin')

  await page.goto('/audit?action=plugin.save')
  await expect(page.getByRole('listitem').filter({ hasText: 'journey-plugin' }).first()).toContainText(
    'For a journey',
  )
})

test('a service form keeps what was typed when no response comes, and sends it again', async ({
  system,
  signIn,
}) => {
  const page = await signIn('admin', '/services')
  await page.getByRole('button', { name: 'Register service' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Register service' })
  const methods = dialog.getByLabel('Methods')
  await dialog.getByLabel('Service ID').fill('journey-mail')
  await dialog.getByLabel('Title').fill('Mail')
  await dialog.getByLabel('URL').fill('http://127.0.0.1:9/mail')
  await methods.fill('send\na/b')
  await methods.press('Control+Enter')
  await expect(methods).toBeFocused()
  await expect(methods).toHaveAccessibleDescription(/“a\/b” is not a valid method/)

  await methods.fill('send\nreceive')
  system.proxy.down()
  await dialog.getByLabel('Title').press('Enter')
  await expect(dialog.getByRole('alert')).toContainText('The console can’t be reached', { timeout: 40_000 })
  await expect(methods).toHaveValue('send\nreceive')
  system.proxy.up()
  await dialog.getByLabel('Title').press('Enter')
  await expectPage(page, 'Mail')
  await expect(page.getByRole('main')).toContainText('receive')
})

test('a manifest that is refused stays, with each problem and its place', async ({ signIn }) => {
  const page = await signIn('admin', '/catalog')
  await page.getByRole('button', { name: 'Publish version' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Publish version' })
  const text = dialog.getByRole('textbox', { name: 'Manifest' })
  const publish = dialog.getByRole('button', { name: 'Publish', exact: true })
  await expect(text).toBeVisible()
  await expect(publish).toHaveAccessibleDescription(/^The manifest must set/)
  // it only looks disabled, so that it can lead to what is missing
  await publish.click({ force: true })
  await expect(text).toBeFocused()
  const manifest = {
    bundle: { environmentKey: 'production', bundleId: 'journey-bundle' },
    version: '1.0.0',
    title: 'A bundle',
    resources: [{ kind: 'MODULE', name: 'core', title: 'Core', properties: { size: { kind: 'NUMBER' } } }],
    plugins: [],
  }
  await text.fill('{\n  "version" 1\n}')
  await expect(
    dialog.getByText('Line 2, column 13: A colon is expected after the key.').first(),
  ).toBeVisible()
  // the line is marked beside its number
  await expect(dialog.locator('.cm-gutter-lint .cm-lint-marker-error')).toHaveCount(1)
  await text.fill(JSON.stringify(manifest))
  await publish.click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await expect(dialog.getByRole('region', { name: /^Fix \d+ problem/ })).toContainText('kind')
  const mark = dialog.locator('.cm-lintRange-error')
  await expect(mark).toHaveText('"NUMBER"')
  await expect(text).toHaveText(JSON.stringify(manifest))
  // the error was about another text
  await text.press('Control+End')
  await page.keyboard.type(' ')
  await expect(mark).toHaveCount(0)
})

test('Enter in a confirmation leads to what is missing, and then confirms', async ({ system, signIn }) => {
  const scope = system.newScope()
  const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', `/installations/${bundleInstallId}`)
  await page.getByRole('button', { name: 'Detach' }).click()
  const dialog = page.getByRole('dialog', { name: /^Detach/ })
  const word = dialog.getByLabel('Type crm-suite to confirm')
  await word.fill('crm-suite')
  await word.press('Enter')
  await expect(dialog.getByLabel('Reason for detaching')).toBeFocused()
  await page.keyboard.type('The pilot is over')
  await word.press('Enter')
  await expectPage(page, 'Detach CRM suite Succeeded')
})

test('a sign-out that the server does not confirm says so, and can be tried again', async ({
  system,
  signIn,
}) => {
  const page = await signIn('olivia')
  await expectPage(page, 'Overview')
  await page.getByRole('button', { name: /olivia/i }).click()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  system.proxy.down()
  const lost = page.waitForEvent('requestfailed', (request) => request.method() === 'POST')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await lost
  // the dialog is loaded on demand
  system.proxy.up()
  const dialog = page.getByRole('dialog', { name: 'You may still be signed in' })
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('You are signed out')).toBeVisible()
})

test('a choice of schemas and a value that may be null are filled in by hand, saved and applied', async ({
  system,
  signIn,
}) => {
  test.slow()
  const scope = system.newScope()
  await system.install(scope, 'storefront', '1.5.0')
  const at = (resource: string) => configurationPath(scope, `production/storefront/${resource}`)
  const page = await signIn('olivia', at('AGENT/shopping-adviser'))
  const handOver = page.getByRole('group', { name: 'Hand over' })
  await handOver.getByRole('textbox').fill('11')
  await expect(page.getByRole('radio', { name: 'Invalid 1' })).toBeVisible()
  await handOver.getByRole('textbox').fill('7')
  await expect(page.getByRole('radio', { name: 'Invalid 0' })).toBeVisible()
  await handOver.getByRole('combobox').selectOption('Never')
  await page.goto(at('MODULE/checkout'))
  const none = page.getByRole('checkbox', { name: 'No value' })
  await none.uncheck()
  await field(page, 'Free shipping from').fill('-5')
  await expect(page.getByText('Must be at least 0')).toBeVisible()
  await field(page, 'Free shipping from').fill('49.5')
  await save(page)
  await expectApplied(page)
  const saved = await system.call(
    platform,
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
    { params: scope },
  )
  const value = (resource: string, property: string) =>
    saved.resources[`production/storefront/${resource}`]?.properties[property]
  expect(value('AGENT/shopping-adviser', 'handOver')).toEqual(wrapData('never'))
  expect(value('MODULE/checkout', 'freeShippingFrom')).toEqual(wrapData(49.5))

  await none.check()
  await save(page)
  await expectApplied(page)
})

test('an impossible schedule is counted and cannot be saved, and an unknown time zone is named at its field', async ({
  system,
  signIn,
  crmScope,
}) => {
  const page = await signIn('olivia', configurationPath(crmScope, 'production/crm-suite/TIMER/nightly-sync'))
  await field(page, 'When to synchronize').fill('61 25 * *')
  await expect(
    page.getByText(/Must be a schedule of five fields in one line .* such as 30 2 \* \* 1-5/),
  ).toBeVisible()
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('Europe/Nowhere')
  await field(page, 'When to synchronize').focus()
  await expect(
    page.getByText('No option is named “Europe/Nowhere”. Check the text, or choose from the list.'),
  ).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Invalid 1' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+S')
  await expect(saveButton(page)).toBeDisabled()
  expect(await system.operations(crmScope, 'CONFIGURE')).toHaveLength(0)
})
