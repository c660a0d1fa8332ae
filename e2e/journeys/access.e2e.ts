import type { Locator } from '@playwright/test'
import { expectPage } from '../vocabulary.ts'
import type { System } from '../harness/system.ts'
import { expect, test } from '../harness/test.ts'

// What axe cannot see: forced colors, the order of the keyboard, and what a screen reader says.

test('forced colors show what is current, chosen, disabled, and where a dialog ends', async ({
  system,
  signIn,
}) => {
  const operationId = await failedInstall(system)
  const page = await signIn('vera', `/operations/${operationId}`)
  await page.emulateMedia({ forcedColors: 'active' })
  await expectPage(page, 'Install Storefront Failed')
  const colors = (element: Locator) =>
    element.evaluate((one) => {
      const { backgroundColor, color } = getComputedStyle(one)
      return `${color} on ${backgroundColor}`
    })
  const differ = async (one: Locator, other: Locator) =>
    expect(await colors(one)).not.toBe(await colors(other))
  const menu = page.getByRole('navigation', { name: 'Main' })
  await differ(menu.getByRole('link', { name: 'Operations' }), menu.getByRole('link', { name: 'Catalog' }))
  await differ(page.getByRole('tab', { name: 'Timeline' }), page.getByRole('tab', { name: 'Events' }))
  const views = page.getByRole('group', { name: 'View' }).locator('label')
  await differ(views.filter({ hasText: 'Tree' }), views.filter({ hasText: 'Raw' }))
  // a viewer may not retry
  const retry = page.getByRole('button', { name: 'Retry', exact: true })
  await expect(retry).toBeDisabled()
  await differ(retry, page.getByRole('button', { name: 'Share' }))
  await page.goto('/plugins/scripted-hooks?tab=health')
  const tabs = page.getByRole('navigation', { name: 'Plugin details' })
  await differ(tabs.getByRole('link', { name: 'Health' }), tabs.getByRole('link', { name: 'Reports' }))
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  expect(await borderOf(dialog)).toBe('1px')
  await page.goto('/signed-out')
  expect(await borderOf(page.locator('a, button').filter({ hasText: /^Sign in$/ }))).toBe('1px')
})

const borderOf = (element: Locator) => element.evaluate((one) => getComputedStyle(one).borderTopWidth)

test('a takeover is described, its fields are required, and Tab goes through it in reading order', async ({
  system,
  signIn,
}) => {
  const page = await signIn('admin', `/operations/${await failedInstall(system)}`)
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  const dialog = page.getByRole('dialog', { name: 'Take over and detach?' })
  await expect(dialog).toHaveAccessibleDescription(/This cannot be undone.*can never be retried/)
  const reason = dialog.getByRole('textbox', { name: 'Reason for takeover' })
  const word = dialog.getByRole('textbox', { name: 'Type storefront to confirm' })
  await expect(reason).toBeFocused()
  for (const field of [reason, word]) await expect(field).toHaveAttribute('aria-required', 'true')
  await page.keyboard.press('Tab')
  await expect(word).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(dialog.getByRole('button', { name: 'Take over and detach' })).toBeFocused()
})

test('the result of a retry is announced once, also if it fails again', async ({ system, signIn }) => {
  const page = await signIn('sam', `/operations/${await failedInstall(system)}`)
  await expectPage(page, 'Install Storefront Failed')
  await page.evaluate(() => {
    const said: string[] = []
    Object.assign(window, { said })
    const watch = new MutationObserver((changes) => {
      const regions = new Set<Element>()
      for (const { target, addedNodes } of changes) {
        for (const node of [target, ...addedNodes]) {
          const element = node instanceof Element ? node : node.parentElement
          const around = element?.closest('[role="status"], [role="alert"], [aria-live="polite"]')
          if (around) regions.add(around)
          for (const inside of element?.querySelectorAll('[role="status"], [role="alert"]') ?? [])
            if (node !== target) regions.add(inside)
        }
      }
      for (const region of regions) said.push(region.textContent)
    })
    watch.observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'after the retry by sam' })).toBeVisible()
  // a second announcement would come with the events and reads that follow the result
  await page.waitForTimeout(1_000)
  const said = await page.evaluate(() => (window as unknown as { said: string[] }).said)
  expect(said.filter((text) => text.includes('after the retry by sam'))).toHaveLength(1)
})

test('a refused note says why in Chinese', async ({ system, signIn }) => {
  const page = await signIn('sam', `/operations/${await failedInstall(system)}`)
  await page.evaluate(() => localStorage.setItem('bundle-console.locale', 'zh'))
  await page.reload()
  await page.getByRole('button', { name: '添加备注' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').fill('abc\u202edef')
  await dialog.getByRole('button', { name: '添加备注' }).click()
  await expect(dialog.getByRole('textbox')).toHaveAccessibleDescription(/不能包含控制字符/)
  await expect(dialog).not.toContainText('Must')
})

/** An install of storefront whose plugin fails each time. */
async function failedInstall(system: System): Promise<string> {
  const scope = system.newScope()
  await system.script.add({
    when: { workspaceId: scope.workspaceId, operationType: 'INSTALL', stage: 'AFTER_RESOURCES' },
    behaviour: { kind: 'failure-envelope', errorCode: 'CATALOGUE_CORRUPT', message: 'It is corrupt.' },
  })
  return (await system.install(scope, 'storefront', '1.0.0')).operation.operationId
}
