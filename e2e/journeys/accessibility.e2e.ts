import type { Page } from '@playwright/test'
import axe from 'axe-core'
import { pages } from '#contract/console-api/pages/pages.ts'
import { configurationPath, expectSettled, field, review, saveButton } from '../vocabulary.ts'
import { seedEveryPage } from '../harness/seed-every-page.ts'
import { expect, test } from '../harness/test.ts'

const STANDARD = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** The axe violations of the current page for these rules or tags, each with its element. */
async function violations(page: Page, runOnly: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate((rules) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe }
    return checker
      .run(document, { runOnly: rules, resultTypes: ['violations'] })
      .then((found) =>
        found.violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, html, any }) => `${id}: ${target.join(' ')} ${html} ${any[0]?.message ?? ''}`),
        ),
      )
  }, runOnly)
}

/** The axe violations of the current page, in both themes; another theme changes only colors. */
async function flaws(page: Page): Promise<string[]> {
  await showIn(page, 'dark')
  const dark = await violations(page, ['color-contrast'])
  await showIn(page, 'light')
  return [...dark, ...(await violations(page, STANDARD))]
}

/** Switches the page to a theme, and waits for the color transitions to end. */
async function showIn(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction((theme) => document.documentElement.dataset['theme'] === theme, colorScheme)
  // what the page renders again while it runs starts another one
  await page.waitForFunction(
    () => !document.getAnimations().some((animation) => animation instanceof CSSTransition),
  )
}

const PHONE = { width: 360, height: 740 }
/** The window of a desktop of 1280 px that is enlarged to 400 %. */
const ENLARGED = { width: 320, height: 256 }
const DESKTOP = { width: 1280, height: 800 }

/** The elements that make the page wider than its window; empty if there are none. */
async function tooWide(page: Page): Promise<string[]> {
  // some parts change their layout by script, a moment later
  await page
    .waitForFunction(
      () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
      null,
      {
        timeout: 5_000,
      },
    )
    .catch(() => undefined)
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth && element.children.length === 0,
    )
    return ['the page', ...wide.map(({ outerHTML }) => outerHTML.slice(0, 200))]
  })
}

/** Targets that are smaller than 24 px, by name and size. The size of a link in a sentence is that of its text. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const MIN = 23.9
    const controls =
      'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="tab"], [role="option"]'
    const isSmall = (element: Element): boolean => {
      const label = element.matches('[type="checkbox"], [type="radio"]') ? element.closest('label') : null
      const { width, height } = (label ?? element).getBoundingClientRect()
      const around = getComputedStyle(element, '::after')
      const isEnlarged = around.content !== 'none' && around.position === 'absolute'
      const [wide, high] = isEnlarged
        ? [Number.parseFloat(around.width), Number.parseFloat(around.height)]
        : [0, 0]
      return Math.max(width, wide) < MIN || Math.max(height, high) < MIN
    }
    const isInSentence = (element: Element): boolean =>
      getComputedStyle(element).display === 'inline' &&
      (element.parentElement?.textContent.trim().length ?? 0) > element.textContent.trim().length + 3
    return (
      [...document.querySelectorAll(controls)]
        .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        .filter((element) => {
          const { width, height } = element.getBoundingClientRect()
          // for screen readers only
          return width > 1 && height > 1
        })
        // a press anywhere in a row opens it; the bars of a plot are as high as the plot, and its filters do the same
        .filter(
          (element) => !element.matches('.row-link, svg a') && isSmall(element) && !isInSentence(element),
        )
        .map((element) => {
          const { width, height } = element.getBoundingClientRect()
          return `${element.getAttribute('aria-label') ?? element.textContent.trim()} ${Math.round(width)}x${Math.round(height)}`
        })
    )
  })
}

/** Cells of lists whose text is cut to less than what tells rows apart, or broken into pieces, by list, column and width. */
function cutCells(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // about 16 characters of a row
    const MIN = 112
    const isCut = (element: Element): boolean =>
      // a text for screen readers has 1 px
      element.clientWidth > 1 &&
      element.clientWidth < MIN &&
      element.scrollWidth > element.clientWidth + 1 &&
      getComputedStyle(element).overflowX !== 'visible'
    // several lines of a few characters each
    const isBroken = (element: Element): boolean =>
      [...element.childNodes].some((node) => {
        if (node.nodeType !== Node.TEXT_NODE) return false
        const range = document.createRange()
        range.selectNode(node)
        const lines = range.getClientRects().length
        return lines > 3 && lines * 4 > (node.textContent ?? '').length
      })
    return [...document.querySelectorAll('table')].flatMap((table) =>
      [...table.querySelectorAll('tbody td:not([data-check])')]
        .filter((cell) => [cell, ...cell.querySelectorAll('*')].some((part) => isCut(part) || isBroken(part)))
        .map(
          (cell) =>
            `${table.getAttribute('aria-label')}, “${cell.textContent}” at ${innerWidth} px: ${cell.clientWidth} px`,
        ),
    )
  })
}

/** Sets the font size in the settings of the browser, in px; layouts that depend on rem follow it. */
async function setBrowserFont(page: Page, standard: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setFontSizes', { fontSizes: { standard } })
  await session.detach()
}

/** The routes that no path leads to. */
const routesWithout = (addresses: readonly string[]): string[] =>
  Object.keys(pages).filter((route) => {
    const pattern = new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`)
    return !addresses.some((address) => pattern.test(address.replace(/\?.*/, '')))
  })

/** In px between the widths of a list. The nightly run tries every 20. */
const WIDTH_STEP = Number(process.env['WIDTH_STEP'] ?? 160)

test.describe.configure({ timeout: 300_000 })

for (const half of [0, 1]) {
  test(`every page passes axe, has targets of 24 px, fits a phone and enlarged text, and cuts no cell at any width (half ${half + 1} of 2)`, async ({
    system,
    signIn,
  }) => {
    const pages = Object.entries(await seedEveryPage(system))
    expect(routesWithout(pages.map(([, path]) => path))).toEqual([])
    const page = await signIn('admin')
    for (const [name, path] of pages.filter((_, index) => index % 2 === half)) {
      await page.setViewportSize(PHONE)
      await page.goto(path)
      await expectSettled(page)
      expect.soft(await smallTargets(page), `${name} on a phone`).toEqual([])
      expect.soft(await tooWide(page), `${name} on a phone`).toEqual([])
      await page.setViewportSize(ENLARGED)
      expect.soft(await tooWide(page), `${name} at 400 %`).toEqual([])
      await page.setViewportSize(DESKTOP)
      await expectSettled(page)
      expect.soft(await smallTargets(page), name).toEqual([])
      expect.soft(await flaws(page), name).toEqual([])
      await setBrowserFont(page, 32)
      expect.soft(await tooWide(page), `${name} with text of 200 %`).toEqual([])
      await setBrowserFont(page, 16)
      if ((await page.getByRole('table').count()) === 0) continue
      const cut: string[] = []
      for (let width = 640; width <= 1920; width += WIDTH_STEP) {
        await page.setViewportSize({ width, height: 900 })
        if ((await cutCells(page)).length === 0) continue
        // a page may have to render once more for a width
        await expectSettled(page)
        cut.push(...(await cutCells(page)))
      }
      expect.soft(cut, `the cells of ${name}`).toEqual([])
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
