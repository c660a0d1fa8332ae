import type { Browser } from '@playwright/test'
import { openPage } from './browser.ts'

/** What browsers offer as "Slow 4G", in bytes a second and ms. */
const SLOW_4G = { offline: false, downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5 }
/** After the page is loaded: long enough for everything that it fetches once it is idle. */
const SETTLE_MS = 2_500
/** What the page writes to its console once a press had its effect. */
const USABLE = 'bench: usable'

export interface Visit {
  /** JavaScript as it is sent, without headers; `early…` counts what is requested before the largest paint. */
  scriptKb: number
  earlyScriptKb: number
  requests: number
  earlyRequests: number
  lcpMs: number
  /** When a press on a button has its effect for the first time. */
  usableMs: number
  /** Elements of the largest row of a list; 0 where there is no list. */
  rowElements: number
}

export interface Page {
  url: string
  /** What is there when the page has its content. */
  ready: string
  /** A button, and what is there once a press on it had its effect. */
  press: string
  effect: string
}

export interface VisitOptions {
  /** Of the session, as a `name=value` pair; null for a page without one. */
  cookie: string | null
  isNetworkSlow: boolean
}

/** A cold visit of a page in a new browser context, which has an empty cache. */
export async function visitPage(browser: Browser, page: Page, options: VisitOptions): Promise<Visit> {
  // a press changes what is painted, so it needs a visit of its own
  return { ...(await watchVisit(browser, page, options)), usableMs: await pressVisit(browser, page, options) }
}

/** A page of its own, over the network that is asked for. */
async function openVisit(browser: Browser, url: string, { cookie, isNetworkSlow }: VisitOptions) {
  const page = await openPage(browser, cookie === null ? null : { url: new URL(url).origin, cookie })
  const session = await page.context().newCDPSession(page)
  if (isNetworkSlow) await session.send('Network.emulateNetworkConditions', SLOW_4G)
  return { page, session }
}

async function pressVisit(
  browser: Browser,
  { url, press, effect }: Page,
  options: VisitOptions,
): Promise<number> {
  const { page } = await openVisit(browser, url, options)
  await page.addInitScript(pressUntilEffect, { press, effect, message: USABLE })
  // not `waitFor`: the script that Playwright adds for it would run on the slow processor before the page can be used
  const usable = page.waitForEvent('console', (message) => message.text() === USABLE)
  await page.goto(url)
  await usable
  const usableMs = await page.evaluate(() => Number(Reflect.get(globalThis, 'usable')))
  await page.context().close()
  return usableMs
}

/** Runs in the page: presses as soon as there is something to press, as an impatient person does. */
function pressUntilEffect({
  press,
  effect,
  message,
}: {
  press: string
  effect: string
  message: string
}): void {
  const PRESS_EVERY_MS = 10
  const again = () => {
    if (document.querySelector(effect) !== null) {
      Object.assign(globalThis, { usable: performance.now() })
      console.debug(message)
      return
    }
    for (const button of document.querySelectorAll<HTMLElement>(press)) button.click()
    setTimeout(again, PRESS_EVERY_MS)
  }
  setTimeout(again, PRESS_EVERY_MS)
}

async function watchVisit(
  browser: Browser,
  { url, ready }: Page,
  options: VisitOptions,
): Promise<Omit<Visit, 'usableMs'>> {
  const { page, session } = await openVisit(browser, url, options)
  let requests = 0
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ request }) => {
    // the event stream stays open, and is not part of loading the page
    if (request.url.startsWith('http') && !request.url.endsWith('/api/events')) requests += 1
  })
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) Object.assign(globalThis, { lcp: entry.startTime })
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
  await page.goto(url)
  // before `waitFor`, whose script would delay the largest paint
  await page.waitForTimeout(SETTLE_MS)
  await page.locator(ready).first().waitFor()
  const visit = await page.evaluate(measureVisit)
  await page.context().close()
  return { ...visit, requests }
}

/** Runs in the page. */
function measureVisit(): Omit<Visit, 'requests' | 'usableMs'> {
  const lcpMs = Number(Reflect.get(globalThis, 'lcp'))
  const resources = performance
    .getEntriesByType('resource')
    .filter((entry): entry is PerformanceResourceTiming => entry instanceof PerformanceResourceTiming)
    .filter(({ name }) => !name.endsWith('/api/events'))
  const early = resources.filter(({ startTime }) => startTime < lcpMs)
  const scriptKb = (of: PerformanceResourceTiming[]) =>
    of
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0) / 1000
  const rows = [...document.querySelectorAll('tbody tr')]
  return {
    lcpMs,
    scriptKb: scriptKb(resources),
    earlyScriptKb: scriptKb(early),
    // the document is one more request
    earlyRequests: early.length + 1,
    rowElements: Math.max(0, ...rows.map((row) => row.querySelectorAll('*').length + 1)),
  }
}
