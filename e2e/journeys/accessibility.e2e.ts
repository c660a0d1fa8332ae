import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { configurationPath, expectSettled, field, review, saveButton } from '../vocabulary.ts'
import { seedEveryPage } from '../harness/seed-every-page.ts'
import { expect, test } from '../harness/test.ts'

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** Our pages have no frames, for which axe would open an extra page each time. */
const axe = (page: Page) => new AxeBuilder({ page }).setLegacyMode()

/** The axe violations of the current page, in both themes; another theme changes only colors. */
async function flaws(page: Page): Promise<string[]> {
  await showIn(page, 'dark')
  const dark = await axe(page).withRules(['color-contrast']).analyze()
  await showIn(page, 'light')
  const light = await axe(page).withTags(STANDARD).analyze()
  return [...dark.violations, ...light.violations].flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, any }) => `${id}: ${target.join(' ')} ${html} ${any[0]?.message ?? ''}`),
  )
}

/** Switches the page to a theme, and waits for the color transitions to end. */
async function showIn(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
  await page.evaluate(async () => {
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
  })
}

/** The elements that make a page wider than a phone; empty if there are none. */
async function tooWideForPhone(page: Page): Promise<string[]> {
  const size = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 740 })
  // some parts change their layout by script, a moment later
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= 360, null, { timeout: 5_000 })
    .catch(() => undefined)
  const found = await page.evaluate(() => {
    if (document.documentElement.scrollWidth <= 360) return []
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > 360 && element.children.length === 0,
    )
    return ['the page', ...wide.map(({ outerHTML }) => outerHTML.slice(0, 200))]
  })
  if (size !== null) await page.setViewportSize(size)
  return found
}

test.describe.configure({ timeout: 300_000 })

for (const half of [0, 1]) {
  test(`no page violates axe or scrolls sideways on a phone (half ${half + 1} of 2)`, async ({
    system,
    signIn,
  }) => {
    const pages = Object.entries(await seedEveryPage(system))
    const page = await signIn('admin')
    for (const [name, path] of pages.filter((_, index) => index % 2 === half)) {
      await page.goto(path)
      await expectSettled(page)
      expect.soft(await flaws(page), name).toEqual([])
      expect.soft(await tooWideForPhone(page), name).toEqual([])
    }
  })
}

test('no dialog violates axe', async ({ system, signIn }) => {
  const scope = system.newScope()
  await system.script.add({
    when: { workspaceId: scope.workspaceId, bundleId: 'storefront' },
    times: 1,
    behaviour: { kind: 'fail', message: 'no' },
  })
  const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.0.0')
  const { operation } = await system.install(scope, 'storefront', '1.0.0')
  const page = await signIn('admin', `/operations/${operation.operationId}`)
  const dialog = page.getByRole('dialog')
  const look = async (name: string) => {
    await expect(dialog).toBeVisible()
    await expectSettled(page)
    expect.soft(await flaws(page), name).toEqual([])
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'Retry' }).click()
  await look('retry')
  await page.getByRole('button', { name: 'Take over and detach' }).click()
  await look('takeover')
  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type('crm')
  await expect(dialog.getByRole('option').first()).toBeVisible()
  await look('the command palette')
  await page.goto(`/installations/${bundleInstallId}`)
  await page.getByRole('button', { name: 'Detach' }).click()
  await look('detach')
  await page.goto(configurationPath(scope, 'production/crm-suite/MODULE/crm-mail'))
  await page.getByRole('button', { name: 'Value history of SMTP port' }).click()
  await look('where a value comes from')
  await field(page, 'SMTP port').fill('70000')
  await field(page, 'SMTP user').fill('olivia')
  await review(page)
  await expect(saveButton(page)).toBeVisible()
  await look('review')
  await page.getByRole('button', { name: 'Discard' }).click()
  await look('discard')
})
