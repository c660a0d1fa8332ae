import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderConsole } from '../testing/render.tsx'
import { MAIL, serveScope } from '../testing/served-scope.ts'

/** The sizes of all visible texts, in pixels. */
const sizes = () =>
  new Set(
    [...document.body.querySelectorAll('*')]
      .filter((element) => element.checkVisibility())
      .filter(({ childNodes }) =>
        [...childNodes].some(({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && nodeValue?.trim()),
      )
      .map((element) => Number.parseFloat(getComputedStyle(element).fontSize)),
  )

test('every text has a size of the type scale, ids and keys too', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  await expect.element(page.getByRole('textbox', { name: 'SMTP port' })).toBeVisible()
  const found = sizes()
  expect(found.size).toBeGreaterThan(2)
  expect([...found].filter((size) => ![12, 13, 14, 16, 20].includes(size))).toEqual([])
})
