import type { Page } from '@playwright/test'
import { expectPage } from '../vocabulary.ts'
import { failInstall } from '../harness/failed-install.ts'
import { expect, test } from '../harness/test.ts'

const TITLE =
  'The mailbox of the whole team is locked by a migration that somebody started yesterday evening and nobody has ended since.'

/** What is hard to use with one hand: content beside the screen, text that is cut, and targets that are too small. */
async function hardToUse(page: Page): Promise<string[]> {
  // dialogs and skeletons are animated; what follows the scroll position never ends
  await page.evaluate(async () => {
    const animations = document
      .getAnimations()
      .filter(
        ({ effect, timeline }) =>
          effect?.getTiming().iterations !== Infinity && timeline === document.timeline,
      )
    await Promise.allSettled(animations.map(({ finished }) => finished))
  })
  return page.evaluate(() => {
    const MIN = 24
    const width = document.documentElement.clientWidth
    const found: string[] = []
    if (document.documentElement.scrollWidth > width) found.push('the page scrolls sideways')
    const layer = document.querySelector('dialog:modal') ?? document.body
    const isShown = (element: Element) =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      // the header of a table of cards is for screen readers
      element.closest('.sr-only, thead') === null &&
      element.getBoundingClientRect().width > 1
    const name = (element: Element) => `${element.tagName} ${element.textContent.trim().slice(0, 60)}`
    const controls = 'a, button, input, select, textarea, summary, [role="tab"]'
    const targets = [...layer.querySelectorAll(controls)].filter(isShown)
    for (const target of targets) {
      const box = target.getBoundingClientRect()
      const isScrolled = target.closest('[class*="overflow-x-auto"]') !== null
      if ((box.left < 0 || box.right > width) && !isScrolled) found.push(`off the screen: ${name(target)}`)
      if (box.width >= MIN && box.height >= MIN) continue
      // a smaller target needs a circle of 24 px that touches no other target (WCAG 2.2, 2.5.8)
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      const near = targets.find((other) => {
        if (other === target || other.contains(target) || target.contains(other)) return false
        const { left, right, top, bottom } = other.getBoundingClientRect()
        const [dx, dy] = [Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom)]
        return Math.hypot(dx, dy) < MIN / 2
      })
      if (near) found.push(`too small and too close to ${name(near)}: ${name(target)}`)
    }
    for (const element of layer.querySelectorAll('*')) {
      const isCut = element.scrollWidth > element.clientWidth + 1
      if (isShown(element) && isCut && getComputedStyle(element).textOverflow === 'ellipsis') {
        found.push(`cut: ${name(element)}`)
      }
    }
    return found
  })
}

test('a night call is done on a phone: find, understand, retry, take over', async ({
  system,
  signInOnPhone,
}) => {
  const { scope } = await failInstall(system, {
    bundle: 'storefront',
    stage: 'AFTER_RESOURCES',
    sequence: [{ kind: 'failure-envelope', errorCode: 'MAILBOX_LOCKED', message: TITLE }],
  })
  // beside it in the list, with a long code of the platform
  await failInstall(system, { sequence: [{ kind: 'fail' }] })
  const page = await signInOnPhone('sam')
  expect.soft(await hardToUse(page)).toEqual([])
  // the overview shows the newest causes only, and other journeys fail too
  await expect(page.getByRole('region', { name: 'Needs attention' })).toContainText('Failed')

  await page.goto('/operations?state=FAILED')
  const row = page.getByRole('row').filter({ hasText: String(scope.workspaceId) })
  await expect(row).toContainText(TITLE)
  expect.soft(await hardToUse(page)).toEqual([])
  await row.getByRole('link').first().tap()
  await expectPage(page, 'Install Storefront Failed')
  const failure = page.getByRole('region', { name: 'Why it failed' })
  await expect(failure.getByRole('heading', { level: 2 })).toHaveText(TITLE)
  await expect(failure).toContainText('scripted-hooks in After resources, attempt 1, run 1')
  await expect(failure).toContainText('The operation has stopped')
  await expect(failure).toContainText('Plugin owner: Find and fix the cause')
  // the first screen has every answer
  await expect(failure.getByRole('heading', { level: 2 })).toBeInViewport({ ratio: 1 })
  for (const answer of await failure
    .getByRole('definition')
    .all()
    .then((all) => all.slice(0, 4)))
    await expect(answer).toBeInViewport({ ratio: 1 })
  expect.soft(await hardToUse(page)).toEqual([])

  // the one of the first screen
  await page.getByRole('button', { name: 'Retry', exact: true }).first().tap()
  const retry = page.getByRole('dialog', { name: 'Retry this operation?' })
  await expect(retry).toBeVisible()
  expect.soft(await hardToUse(page)).toEqual([])
  await retry.getByLabel('Reason').fill('The migration was said to be over')
  await retry.getByRole('button', { name: 'Retry' }).tap()
  const result = page.getByRole('status').filter({ hasText: 'after the retry by' })
  await expect(result).toContainText('The migration was said to be over')
  expect.soft(await hardToUse(page)).toEqual([])

  await page.getByRole('button', { name: 'Take over and detach' }).tap()
  const takeover = page.getByRole('dialog', { name: 'Take over and detach?' })
  await expect(takeover).toContainText('This cannot be undone')
  expect.soft(await hardToUse(page)).toEqual([])
  await takeover.getByLabel('Reason for takeover').fill('Nobody can end the migration tonight')
  await takeover.getByLabel('Type storefront to confirm').fill('storefront')
  expect.soft(await hardToUse(page)).toEqual([])
  await takeover.getByRole('button', { name: 'Take over and detach' }).tap()
  await expectPage(page, 'Detach Storefront Succeeded')
  expect.soft(await hardToUse(page)).toEqual([])
})
