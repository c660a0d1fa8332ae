import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderConsole } from '../../testing/render.tsx'
import { CONFIGURATION, MAIL, OLIVIA, serveScope } from '../../testing/served-scope.ts'

afterEach(() => page.viewport(1280, 800))

test('on a phone, a lock and a conflict are a line each above the unsaved changes', async () => {
  await page.viewport(360, 800)
  const scope = await serveScope({ 'GET /operations': () => ({ items: [], nextCursor: null }) })
  await renderConsole(scope.address(MAIL))
  await page.getByRole('textbox', { name: 'SMTP port' }).fill('2525')
  scope.api.answer({
    [CONFIGURATION]: () => {
      const { resources, ...rest } = scope.configuration()
      const mail = resources[MAIL]
      if (mail === undefined) throw new Error('The scope has the mail')
      const claim = {
        operationId: '01920000-0000-7000-8000-0000000000aa',
        operationType: 'CONFIGURE' as const,
        state: 'RUNNING' as const,
        since: rest.savedAt,
        requestedBy: OLIVIA,
      }
      return { ...rest, resources: { ...resources, [MAIL]: { ...mail, claim } } }
    },
  })
  await scope.saveAsColleague({ [MAIL]: { smtpPort: 26 } })
  const dock = page.getByRole('complementary', { name: 'Changes and saves' })
  await expect.element(dock.getByRole('button', { name: 'Compare and choose' })).toBeVisible()
  const count = dock.getByText('1 to decide')
  await expect.element(count).toBeVisible()
  // a long one has room too
  const shown = count.element()
  shown.textContent = '123 to decide'
  expect(shown.scrollWidth).toBeLessThanOrEqual(shown.clientWidth)
  await expect.element(dock.getByRole('link', { name: 'Configure' })).toBeVisible()
  const heights = [...dock.element().children].map((row) => row.getBoundingClientRect().height)
  expect(heights).toHaveLength(3)
  // as high as a button
  for (const height of heights.slice(0, 2)) expect(height).toBeLessThanOrEqual(41)
})
