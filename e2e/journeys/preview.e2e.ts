import type { BrowserContext, CDPSession, Page } from '@playwright/test'
import { configurationPath } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

/** Opens a page whose scripts never arrive, as on a bad connection. */
async function openWithoutScripts(page: Page, path: string): Promise<{ page: Page; session: CDPSession }> {
  const bare = await page.context().newPage()
  const session = await page.context().newCDPSession(bare)
  await session.send('Network.enable')
  await session.send('Network.setBlockedURLs', { urls: ['*/assets/*.js'] })
  // the first pages after the server's start, and slow answers, leave the rendering to the browser
  await expect(async () => {
    await session.send('Page.navigate', { url: new URL(path, page.url()).href })
    await expect(bare.locator('#preview h1')).toBeVisible({ timeout: 2_000 })
  }).toPass()
  return { page: bare, session }
}

test('a page is there before its scripts, in the language of the person, and its links work', async ({
  signIn,
  crmScope,
}) => {
  const page = await signIn('olivia', '/installations')
  const { page: bare } = await openWithoutScripts(page, configurationPath(crmScope))
  const { workspaceId } = crmScope
  await expect(bare.getByRole('heading', { level: 1 })).toContainText(String(workspaceId))
  await expect(bare.locator('#preview input').first()).toHaveJSProperty('inert', true)

  const { page: list } = await openWithoutScripts(page, `/installations?q=crm-suite+${workspaceId}`)
  const row = list.getByRole('row').filter({ hasText: `/${workspaceId}` })
  await expect(row).toContainText('Active')
  await row.getByRole('link').first().click()
  await expect(list.locator('#preview h1')).toContainText('CRM suite')

  const hostile = '"><img src=x onerror="alert(1)"><b style="color:red'
  const { page: searched } = await openWithoutScripts(page, `/installations?q=${encodeURIComponent(hostile)}`)
  await expect(searched.getByRole('searchbox')).toHaveValue(hostile)
  await expect(searched.locator('#preview img, #preview b')).toHaveCount(0)

  await page.getByRole('button', { name: /olivia/ }).click()
  await page.getByRole('dialog').getByText('简体中文').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('安装实例')
  const { page: chinese } = await openWithoutScripts(page, '/installations')
  await expect(chinese.getByRole('heading', { level: 1 })).toHaveText('安装实例')
  await expect(chinese.locator('html')).toHaveAttribute('lang', 'zh-Hans')
  // an address that the console rewrites has no rendering, rather than an empty one
  await chinese.goto('/installations?unknown=1', { waitUntil: 'commit' })
  await expect(chinese.locator('#document-data, #root')).not.toHaveCount(0)
  await expect(chinese.locator('#preview')).toHaveCount(0)
})

/** Opens a page of a signed-in person whose scripts wait to be released. */
async function withHeldScripts(context: BrowserContext) {
  // a page that has shown the console has its scripts in memory
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  let held = 0
  session.on('Fetch.requestPaused', () => (held += 1))
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/assets/*.js' }] })
  const release = async () => {
    expect(held).toBeGreaterThan(0)
    // continues what is held
    await session.send('Fetch.disable')
  }
  return { page, release }
}

test('the page replaces the preview without a shift, and keeps what was typed for the palette', async ({
  signIn,
}) => {
  const { page, release } = await withHeldScripts((await signIn('sam', '/operations')).context())
  await page.addInitScript(() => {
    const seen = { shift: 0 }
    Object.assign(globalThis, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += Number(Reflect.get(entry, 'value'))
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const opening = page.goto('/operations')
  await expect(page.locator('#preview').getByRole('heading', { level: 1 })).toHaveText('Operations')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('instal')
  await release()
  await opening
  const palette = page.getByRole('dialog', { name: 'Search' })
  await expect(palette.getByRole('combobox')).toHaveValue('instal')
  await page.keyboard.type('l')
  await expect(palette.getByRole('combobox')).toHaveValue('install')
  await expect(page.getByRole('heading', { level: 1, includeHidden: true })).toHaveCount(1)
  expect(
    await page.evaluate(() => Number(Reflect.get(Reflect.get(globalThis, 'seen'), 'shift'))),
  ).toBeLessThan(0.01)
})

test('scrolling and the focus stay where they are when the page replaces the preview', async ({ signIn }) => {
  const { page, release } = await withHeldScripts((await signIn('sam', '/operations')).context())
  await page.setViewportSize({ width: 1280, height: 240 })
  const link = page.locator('#preview main').getByRole('link').first()
  const opening = page.goto('/operations')
  await expect(link).toBeVisible()
  const address = await link.getAttribute('href')
  await link.focus()
  await page.evaluate(() => scrollTo(0, 60))
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(60)
  await release()
  await opening
  await expect(page.locator(':focus')).toHaveAttribute('href', address ?? '')
  await expect(page.locator('#preview')).toHaveCount(0)
  // more if something appeared above what was visible, which the browser keeps in its place
  expect(await page.evaluate(() => scrollY)).toBeGreaterThanOrEqual(60)
})

test('a page whose scripts cannot be loaded says so, and starts when they can be', async ({ signIn }) => {
  const page = await signIn('sam', '/operations')
  const { page: bare, session } = await openWithoutScripts(page, '/operations')
  await expect(bare.getByText('The server is not responding')).toBeVisible()
  await session.send('Network.setBlockedURLs', { urls: [] })
  await expect(bare.locator('#root').getByRole('heading', { level: 1 })).toHaveText('Operations')
})
