import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import type { Scope } from '#contract/protocol/scope.ts'
import { configurationPath, expectApplied, expectPage, field, MAIL, saveButton } from '../vocabulary.ts'
import { countInput } from '../harness/count-input.ts'
import { expect, test } from '../harness/test.ts'
import { users } from '../harness/users.ts'

/** Presses Tab until the focus is on the element. Each element on the way must be visible while it has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    await page.keyboard.press('Tab')
    await expect.poll(() => hiddenFocus(page)).toBe(null)
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`100 presses of Tab do not lead to ${String(target)}`)
}

/** The element that has the focus, if it is outside the window or something else covers its middle; null otherwise. */
function hiddenFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const element = document.activeElement
    // after the last element the focus leaves the page
    if (element === null || element === document.body) return null
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    const shown = document.elementFromPoint(x, y)
    const isShown = shown !== null && (element.contains(shown) || shown.contains(element))
    return isShown ? null : `${element.outerHTML.slice(0, 200)} under ${shown?.outerHTML.slice(0, 200)}`
  })
}

/** Moves the focus to the element and presses Enter. */
async function press(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Moves the focus to the field and types, in place of what it contains. */
async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  // a field is read-only until its current value has arrived
  await expect(target).toBeEditable()
  await tabTo(page, target)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** Opens what the palette offers first for the words. */
async function openFromPalette(page: Page, words: string, option: RegExp): Promise<void> {
  const palette = page.getByRole('dialog', { name: 'Search' })
  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type(words)
  await expect(palette.getByRole('option', { name: option }).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
}

/** Signs in, and waits until the page receives keys. */
async function startWithKeys(signIn: (user: 'olivia') => Promise<Page>): Promise<Page> {
  const page = await signIn('olivia')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(help).toBeVisible({ timeout: 2_000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  return page
}

/** Opens the installations and selects those of the scopes. */
async function selectInstallations(page: Page, scopes: readonly Scope[]): Promise<void> {
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await expectPage(page, 'Installations')
  const names = scopes.map(
    (scope) => `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`,
  )
  for (let selected = 0; selected < scopes.length;) {
    await page.keyboard.press('j')
    const row = page.getByRole('row').filter({ has: page.locator(':focus') })
    const text = await row.textContent()
    if (!names.some((name) => text?.includes(name))) continue
    await page.keyboard.press('x')
    selected += 1
    await expect(page.getByRole('region', { name: 'Selection' })).toContainText(`${selected} selected`)
  }
}

test('a pasted address, locator or id leads straight to its page, and a property to a choice of its scopes', async ({
  system,
  signIn,
  crmScope,
}) => {
  const page = await startWithKeys(signIn)
  const palette = page.getByRole('dialog', { name: 'Search' })
  const { bundleInstallId } = await system.install(system.newScope(), 'crm-suite', '1.0.0')
  const address = `/operations?bundleInstallId=${bundleInstallId}`
  await openFromPalette(page, new URL(address, page.url()).href, /^\/operations/)
  await expectPage(page, 'Operations')
  await openFromPalette(page, bundleInstallId, /^CRM suite/)
  await expectPage(page, 'CRM suite')
  await openFromPalette(page, 'show outdated', /^Show what is outdated$/)
  await expectPage(page, 'Versions')
  await openFromPalette(page, 'install bill', /^Install Billing/)
  await expect(page).toHaveURL(/installations\/new\?.*bundleId=billing/)

  for (let place = 0; place < 4; place++) await system.install(system.newScope(), 'crm-suite', '1.0.0')
  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('smtp port')
  const property = palette.getByRole('option', { name: /^CRM mail · SMTP port.* scopes$/ })
  await expect(property).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(palette.getByRole('combobox')).toHaveValue('')
  await page.keyboard.type(String(crmScope.workspaceId))
  await expect(palette.getByRole('option')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(field(page, 'SMTP port')).toBeFocused()

  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('https://elsewhere.example/operations')
  await expect(palette).toContainText('This address belongs to elsewhere.example, not to this console.')
})

test('a pasted scope is opened in one step, and its property is found, edited, saved and undone by keyboard', async ({
  signIn,
  crmScope,
}) => {
  // many presses, each of which waits for the page
  test.slow()
  const page = await startWithKeys(signIn)
  const input = await countInput(page)
  const { environmentKey, applicationRuntimeId, workspaceId } = crmScope
  const scope = `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  const palette = page.getByRole('dialog', { name: 'Search' })
  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.insertText(scope)
  await expect(palette.getByRole('option', { name: scope }).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await expectPage(page, scope)
  expect(await input.keys(), 'Control, K and Enter').toBe(3)

  await page.keyboard.press('Control+k')
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.insertText(`smtp port ${scope}`)
  await expect(palette.getByRole('option', { name: 'CRM mail · SMTP port' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.keyboard.press('Enter')
  await expect(field(page, 'SMTP port')).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('2525')
  await page.keyboard.press('Control+s')
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expectApplied(page)

  await tabTo(page, page.getByRole('link', { name: 'History', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Undo this save' }).first()).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'Undo this save' }).first())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/2525/)
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('button', { name: '1 earlier save' })).toBeVisible()
  expect(await input.clicks()).toBe(0)
})

test('a bundle is installed and detached by keyboard, from the sign-in on', async ({ system, visit }) => {
  test.slow()
  const { environmentKey, applicationRuntimeId, workspaceId } = system.newScope()
  const scope = `${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  const page = await visit('/')
  await expect(page.getByLabel('Username')).toBeFocused()
  await page.keyboard.type(users.olivia.username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(users.olivia.password)
  await page.keyboard.press('Enter')
  await expectPage(page, 'Overview')
  const input = await countInput(page)

  await openFromPalette(page, 'install', /^Install/)
  await expectPage(page, 'Install bundle')
  await typeInto(page, page.getByLabel('Environment, runtime, and workspace'), scope)
  await expect(page.getByRole('option', { name: scope })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await typeInto(page, page.getByLabel('Bundle', { exact: true }), 'storefront')
  await expect(page.getByRole('option', { name: /Storefront/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const version = page.getByLabel('Version', { exact: true })
  await expect(version.getByRole('option', { name: '1.0.0' })).toBeAttached()
  await tabTo(page, version)
  await page.keyboard.type('1.0.0')
  await expect(version).toHaveValue('1.0.0')
  // Enter in a field submits the form, which leads to what is missing
  await typeInto(page, page.getByLabel('Reason for installing'), 'A new market')
  await press(page, page.getByRole('button', { name: 'Install Storefront 1.0.0' }))
  await expect(field(page, 'Shop name')).toBeFocused()
  await page.keyboard.type('Northwind Shop')
  await typeInto(page, field(page, 'Domain'), `shop-${workspaceId}.example`)
  await press(page, page.getByRole('button', { name: 'Install Storefront 1.0.0' }))
  await expectPage(page, 'Install Storefront Succeeded')

  await press(page, page.getByRole('link', { name: 'Storefront', exact: true }))
  await expectPage(page, 'Storefront')
  await press(page, page.getByRole('button', { name: 'Detach' }))
  const dialog = page.getByRole('dialog', { name: /^Detach/ })
  await typeInto(page, dialog.getByLabel('Reason for detaching'), 'The pilot is over')
  await typeInto(page, dialog.getByLabel('Type storefront to confirm'), 'storefront')
  await page.keyboard.press('Enter')
  await expectPage(page, 'Detach Storefront Succeeded')
  expect(await input.clicks()).toBe(0)
})

test('an earlier value is restored, and a file saved and imported, by keyboard', async ({ editing }) => {
  test.slow()
  const page = await editing({ field: 'SMTP port', value: '2525' })
  // the browser hands over file choosers only once somebody listens, which takes a moment
  page.on('filechooser', () => {})
  await page.keyboard.press('Control+s')
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expectApplied(page)
  const input = await countInput(page)

  await press(page, page.getByRole('button', { name: 'Value history of SMTP port' }))
  const values = page.getByRole('dialog', { name: 'SMTP port' })
  await press(page, values.getByRole('button', { name: 'Use this value' }).first())
  await expect(field(page, 'SMTP port')).toBeFocused()
  await expect(field(page, 'SMTP port')).toHaveValue('587')
  await page.keyboard.press('Control+s')
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expectApplied(page)
  await expect(field(page, 'SMTP port')).toBeFocused()

  const files = page.getByRole('button', { name: 'File', exact: true })
  await press(page, files)
  const item = (name: string) => page.getByRole('menuitem', { name })
  await expect(item('Download as JSON')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toContain('smtpPort')
  await expect(files).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(item('Download as JSON')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(item('Import file')).toBeFocused()
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
  await chooser.setFiles({
    name: 'configuration.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.from(text.replace('587', '2526')),
  })
  await expect(page.getByRole('dialog').getByLabel('Changes of CRM mail')).toContainText(/587.*2526/s)
  await expect(saveButton(page)).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expectApplied(page)
  await expect(files).toBeFocused()
  expect(await input.clicks()).toBe(0)
})

test('the editor is switched to another scope by keyboard', async ({ system, signIn, crmScope }) => {
  test.slow()
  const other = system.newScope()
  await system.install(other, 'crm-suite', '1.0.0')
  const page = await signIn('olivia', configurationPath(crmScope, MAIL))
  await expect(field(page, 'SMTP port')).toHaveValue('587')
  const input = await countInput(page)
  await press(page, page.getByRole('button', { name: 'Switch scope' }))
  const popup = page.getByRole('dialog', { name: 'Switch scope' })
  await expect(popup.getByRole('combobox')).toBeFocused()
  const name = `${other.environmentKey}/${other.applicationRuntimeId}/${other.workspaceId}`
  await page.keyboard.type(name)
  await expect(popup.getByRole('option', { name })).toBeVisible()
  await page.keyboard.press('Enter')
  await expectPage(page, name)
  expect(await input.clicks()).toBe(0)
})

test('one property of two installations is set by keyboard', async ({ system, signIn }) => {
  test.slow()
  const scopes = [system.newScope(), system.newScope()]
  for (const scope of scopes) await system.install(scope, 'crm-suite', '1.0.0')
  const page = await startWithKeys(signIn)
  const input = await countInput(page)
  await selectInstallations(page, scopes)
  const bar = page.getByRole('region', { name: 'Selection' })
  await page.keyboard.press('a')
  await expect(bar.getByRole('button', { name: 'Upgrade' })).toBeFocused()
  await press(page, bar.getByRole('button', { name: 'Set a property' }))
  const dialog = page.getByRole('dialog', { name: 'Set a property of 2 installations' })
  const property = dialog.getByLabel('Property', { exact: true })
  await tabTo(page, property)
  while ((await property.locator('option:checked').textContent()) !== 'CRM mail · SMTP port')
    await page.keyboard.press('ArrowDown')
  await typeInto(page, dialog.getByRole('textbox', { name: 'SMTP port' }), '2525')
  await expect(dialog).toContainText('2 will start')
  await press(page, dialog.getByRole('button', { name: 'Save in 2 installations' }))
  await expectPage(page, 'Set SMTP port in 2 installations of CRM suite')
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(2)
  expect(await input.clicks()).toBe(0)
})

test('three installations are selected and upgraded by keyboard', async ({ system, signIn }) => {
  test.slow()
  const scopes = [system.newScope(), system.newScope(), system.newScope()]
  for (const scope of scopes) await system.install(scope, 'crm-suite', '1.1.0')
  const page = await startWithKeys(signIn)
  const input = await countInput(page)
  await selectInstallations(page, scopes)
  await page.keyboard.press('a')
  await expect(
    page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Upgrade' }),
  ).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Upgrade 3 installations' })
  await expect(dialog.getByRole('combobox', { name: 'Data region' })).toBeVisible()
  await tabTo(page, dialog.getByRole('combobox', { name: 'Data region' }))
  await page.keyboard.type('eu-c')
  await expect(dialog).toContainText('3 will start')
  await tabTo(page, dialog.getByRole('button', { name: 'Upgrade 3 installations' }))
  await page.keyboard.press('Enter')
  await expectPage(page, 'Upgrade 3 installations of CRM suite')
  expect(await input.clicks()).toBe(0)
})

test('the keyboard stays at its field after Reset, Remove value and Discard, which is undone and redone', async ({
  editing,
}) => {
  const page = await editing({ field: 'SMTP port', value: '2525' })
  const port = field(page, 'SMTP port')
  const focusIsLost = () => page.evaluate(() => document.activeElement === document.body)
  await port.focus()
  await press(page, page.getByRole('button', { name: 'Reset SMTP port' }))
  await expect(port).toBeFocused()
  await expect(port).toHaveValue('587')

  await page.keyboard.press('Control+a')
  await page.keyboard.type('26')
  await press(page, page.getByRole('button', { name: 'Discard' }))
  await expect(page.getByRole('dialog', { name: 'Discard 1 change?' })).toBeVisible()
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Discard' }))
  await expect(page.getByRole('heading', { name: 'CRM mail' })).toBeFocused()
  await page.keyboard.press('Control+z')
  await expect(port).toBeFocused()
  await expect(port).toHaveValue('26')
  await page.keyboard.press('Control+Shift+z')
  await expect(port).toHaveValue('587')

  const user = field(page, 'SMTP user')
  await tabTo(page, user)
  await press(page, page.getByRole('button', { name: 'Remove value SMTP user' }))
  await expect(user).toBeFocused()
  await expect(user).toHaveValue('')
  expect(await focusIsLost()).toBe(false)
})
