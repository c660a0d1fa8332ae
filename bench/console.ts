import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { chromium } from '@playwright/test'
import type { Browser, BrowserContext } from '@playwright/test'
import { build } from 'vite'
import react from '@vitejs/plugin-react'
import { ensureBrowser } from '../scripts/browser.ts'
import { buildConsole } from '../scripts/console-build.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { sessionCookie } from '../demo/sign-in.ts'
import { startBenchSystem } from './system.ts'

const ROUNDS = 7
const CPU_SLOWDOWN = 4
const KILOBYTES = 165
const REQUESTS = 15
const root = dirname(import.meta.dirname)

interface Visit {
  scriptKb: number
  requests: number
  lcpMs: number
}

/**
 * A cold visit of the Installations page, compared with an empty React page of the same build, at 4 times CPU
 * slow-down.
 */
export async function benchConsole(): Promise<Result[]> {
  await buildConsole()
  const executablePath = ensureBrowser()
  const system = await startBenchSystem()
  const empty = await serveEmptyPage()
  const [name = '', value = ''] = (await sessionCookie(system.url, system.user)).split(/=(.*)/s)
  const browser = await chromium.launch({
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    ...(executablePath !== undefined && { executablePath }),
  })
  const visits = { console: [] as Visit[], empty: [] as Visit[] }
  for (let index = 0; index < ROUNDS; index++) {
    visits.console.push(
      await visit(browser, `${system.url}/installations`, (context) =>
        context.addCookies([{ name, value, url: system.url, httpOnly: true, sameSite: 'Strict' }]),
      ),
    )
    visits.empty.push(await visit(browser, empty.url))
  }
  await browser.close()
  await empty.stop()
  await system.stop()
  const of = (page: 'console' | 'empty', key: keyof Visit) => median(visits[page].map((one) => one[key]))
  const rows = (['console', 'empty'] as const).map((page) => ({
    page: page === 'console' ? 'Installations' : 'empty React page',
    'JavaScript kB (brotli)': round(of(page, 'scriptKb'), 1),
    requests: of(page, 'requests'),
    'LCP ms': round(of(page, 'lcpMs'), 0),
  }))
  const shared = { rows, name: 'console' }
  return [
    {
      ...shared,
      figure: of('console', 'lcpMs') / of('empty', 'lcpMs'),
      goal: 4,
      meaning: 'LCP divided by that of an empty React page of the same build.',
    },
    { ...shared, figure: of('console', 'requests'), goal: REQUESTS, meaning: 'Requests of a cold visit.' },
    {
      ...shared,
      figure: of('console', 'scriptKb'),
      goal: KILOBYTES,
      meaning: 'kB of JavaScript after brotli on a cold visit.',
    },
  ]
}

async function visit(
  browser: Browser,
  url: string,
  prepare: (context: BrowserContext) => Promise<void> = async () => undefined,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await prepare(context)
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  let requests = 0
  const scripts = new Set<string>()
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ request }) => {
    // the event stream does not count as loading: it stays open
    if (request.url.startsWith('http') && !request.url.endsWith('/api/events')) requests += 1
  })
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength
  })
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) Object.assign(globalThis, { lcp: entry.startTime })
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })
  await page.goto(url)
  await page.locator('table tbody tr a, #ready').first().waitFor()
  await page.waitForTimeout(1_500)
  const lcpMs = await page.evaluate(() => Number(Reflect.get(globalThis, 'lcp')))
  await context.close()
  return { scriptKb: bytes / 1000, requests, lcpMs }
}

/** The smallest page that the same tools build: React, one element, served the same way. */
async function serveEmptyPage(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-console-empty-'))
  const entry = join(root, '.cache', 'empty')
  mkdirSync(entry, { recursive: true })
  writeFileSync(
    join(entry, 'index.html'),
    '<!doctype html><html lang="en"><title>Empty</title><div id="root"></div><script type="module" src="./main.js"></script></html>',
  )
  writeFileSync(
    join(entry, 'main.js'),
    `import { createElement } from 'react'\nimport { createRoot } from 'react-dom/client'\ncreateRoot(document.getElementById('root')).render(createElement('p', { id: 'ready' }, 'Ready'))\n`,
  )
  await build({
    root: entry,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    build: { outDir: folder, emptyOutDir: true },
  })
  // precompressed, like ours
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(html|js)$/.test(name))
      .map((name) => [`/${name}`, brotliCompressSync(readFileSync(join(folder, name)))]),
  )
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    const body = files.get(path)
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    if (body === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': type, 'content-encoding': 'br' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
