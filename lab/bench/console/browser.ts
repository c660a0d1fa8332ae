import { chromium } from '@playwright/test'
import type { Browser, Locator, Page } from '@playwright/test'
import { ensureBrowser } from '../../../scripts/browser.ts'
import type { BenchSystem } from '../system.ts'

/** A system whose console somebody has open. */
export interface OpenConsole extends BenchSystem {
  /** Of the session, as a `name=value` pair. */
  cookie: string
}

/** How many times slower the browser's processor is made. */
export const SLOWDOWN = 4

export async function launchBrowser(): Promise<Browser> {
  const executablePath = ensureBrowser()
  return chromium.launch({
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    ...(executablePath !== undefined && { executablePath }),
  })
}

/**
 * A page of a new browser context with a slow processor, in which nothing is cached.
 *
 * @param session Of whom the page is: the address of the console and the cookie; null for a page without a session.
 */
export async function openPage(
  browser: Browser,
  session: Pick<OpenConsole, 'url' | 'cookie'> | null,
  { slowdown = SLOWDOWN }: { slowdown?: number } = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  if (session !== null) {
    const [name = '', value = ''] = session.cookie.split(/=(.*)/s)
    await context.addCookies([{ name, value, url: session.url, httpOnly: true, sameSite: 'Strict' }])
  }
  const page = await context.newPage()
  const devTools = await context.newCDPSession(page)
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return page
}

/**
 * Presses in the page, and waits until something was painted.
 *
 * @param shown Selects what the press leads to.
 * @returns Both times, by the clock of the page, in milliseconds.
 */
export function pressUntilPainted(
  pressed: Locator,
  shown: string,
): Promise<{ pressedAt: number; paintedAt: number }> {
  return pressed.evaluate(
    (element: HTMLElement, selector) =>
      new Promise<{ pressedAt: number; paintedAt: number }>((resolve) => {
        const pressedAt = performance.now()
        const observer = new MutationObserver(() => {
          if (document.querySelector(selector) === null) return
          observer.disconnect()
          const channel = new MessageChannel()
          // the first task after a frame runs once the frame is painted
          channel.port1.addEventListener('message', () =>
            resolve({ pressedAt, paintedAt: performance.now() }),
          )
          channel.port1.start()
          requestAnimationFrame(() => channel.port2.postMessage(null))
        })
        observer.observe(document, { childList: true, subtree: true })
        element.click()
      }),
    shown,
  )
}
