import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from '@playwright/test'
import type { System } from '../../e2e/harness/system.ts'
import { fillSignIn } from '../../e2e/harness/test.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
]

/** A Chromium: that of `CHROMIUM_PATH`, where Playwright's own browser is not installed. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH']
  return chromium.launch({ args: FLAGS, ...(executablePath !== undefined && { executablePath }) })
}

/** Signs an operator in to the console of a system. */
export async function signIn(
  browser: Browser,
  system: System,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: system.url,
    locale: 'en-GB',
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  await page.goto('/auth/login')
  await fillSignIn(page, 'olivia')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.close()
  return context
}
