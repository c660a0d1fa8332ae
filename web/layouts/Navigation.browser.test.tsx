import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
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

test('on a small screen the navigation opens as a dialog, which a link and Escape close', async () => {
  const { innerWidth, innerHeight } = window
  await page.viewport(360, 700)
  try {
    const scope = await serveScope({})
    const screen = await renderConsole(scope.address(MAIL))
    const drawer = page.getByRole('dialog', { name: 'Main' })
    const opener = page.getByRole('button', { name: 'Open navigation' })
    await opener.click()
    await expect.element(drawer).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(drawer).not.toBeInTheDocument()
    await expect.element(opener).toHaveFocus()
    await opener.click()
    await drawer.getByRole('link', { name: 'Catalog' }).click()
    await expect.element(drawer).not.toBeInTheDocument()
    await expect.poll(screen.address).toBe('/catalog')
  } finally {
    await page.viewport(innerWidth, innerHeight)
  }
})
