import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderConsole } from '../testing/render.tsx'
import { MAIL, serveScope } from '../testing/served-scope.ts'

test('the current page is marked, and no page where none was found', async () => {
  const current = () => document.querySelectorAll('nav a[aria-current=page]')
  const scope = await serveScope({})
  const found = await renderConsole(scope.address(MAIL))
  await expect.poll(() => current()[0]?.textContent).toBe('Configuration')
  // the pages above it are not the current one
  const trail = page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link')
  await expect.element(trail.first()).not.toHaveAttribute('aria-current')
  await found.unmount()
  await renderConsole('/no-such-page')
  await expect.element(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  expect(current()).toHaveLength(0)
})
