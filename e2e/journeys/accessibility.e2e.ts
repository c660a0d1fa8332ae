import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { configurationPath, expectSettled, field, review, saveButton } from '../vocabulary.ts'
import { createShowcase } from '../world/showcase.ts'
import { expect, test } from '../world/test.ts'

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** What axe has against the page as it stands, in a line each. */
async function flaws(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(STANDARD).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, html, any }) => `${id}: ${target.join(' ')} ${html.slice(0, 160)} ${any[0]?.message ?? ''}`,
    ),
  )
}

test.describe.configure({ timeout: 180_000 })

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every page passes axe in the ${colorScheme} theme`, async ({ system, signIn }) => {
    const pages = await createShowcase(system)
    const page = await signIn('admin')
    await page.emulateMedia({ colorScheme })
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path)
      await expectSettled(page)
      expect.soft(await flaws(page), name).toEqual([])
    }
  })

  test(`every dialog passes axe in the ${colorScheme} theme`, async ({ system, signIn }) => {
    const scope = system.newScope()
    await system.script.add({
      when: { workspaceId: scope.workspaceId, bundleId: 'storefront' },
      times: 1,
      behaviour: { kind: 'fail', message: 'no' },
    })
    const { bundleInstallId } = await system.install(scope, 'crm-suite', '1.0.0')
    const { operation } = await system.install(scope, 'storefront', '1.0.0')
    const page = await signIn('admin', `/operations/${operation.operationId}`)
    await page.emulateMedia({ colorScheme })
    const dialog = page.getByRole('dialog')
    const look = async (name: string) => {
      await expect(dialog).toBeVisible()
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
      expect.soft(await flaws(page), name).toEqual([])
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    }
    await page.getByRole('button', { name: 'Retry' }).click()
    await look('retry')
    await page.getByRole('button', { name: 'Take over with DETACH' }).click()
    await look('takeover')
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type('crm')
    await expect(dialog.getByRole('option').first()).toBeVisible()
    await look('the command palette')
    await page.goto(`/installations/${bundleInstallId}`)
    await page.getByRole('button', { name: 'Detach' }).click()
    await look('detach')
    await page.goto(configurationPath(scope, 'production/crm-suite/MODULE/crm-mail'))
    await page.getByRole('button', { name: 'Where the value of SMTP port comes from' }).click()
    await look('where a value comes from')
    await field(page, 'SMTP port').fill('70000')
    await field(page, 'SMTP user').fill('olivia')
    await review(page)
    await expect(saveButton(page)).toBeVisible()
    await look('review')
    await page.getByRole('button', { name: 'Discard' }).click()
    await look('discard')
  })
}

test('no page needs to be scrolled sideways on a phone', async ({ system, signIn }) => {
  const pages = await createShowcase(system)
  const page = await signIn('admin')
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path)
    await expectSettled(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect.soft(width, name).toBeLessThanOrEqual(360)
  }
})
