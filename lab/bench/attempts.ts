import type { Browser } from '@playwright/test'
import { data } from '#plugin/examples/bundles/definitions.ts'
import { testingPlugin } from '#runtime/testing/plugin.ts'
import { platform } from '../../demo/people.ts'
import { sessionCookie } from '../../demo/sign-in.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import { launchBrowser } from './console/browser.ts'
import { SLOWDOWN } from './console/visit.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { startBenchSystem } from './system.ts'
import type { BenchSystem } from './system.ts'

const ROUNDS = 7
const FRAMES = 180
const scope = { environmentKey: 'production', applicationRuntimeId: 'attempts', workspaceId: 1 }
const environmentKey = 'production'

interface Case {
  name: string
  plugins: number
  attempts: number
}
const FEW: Case = { name: 'two', plugins: 2, attempts: 2 }
const MANY: Case = { name: 'many', plugins: 20, attempts: 2_000 }

interface Opened {
  openMs: number
  /** The intervals between frames while the page scrolls. */
  framesMs: number[]
  answerKb: number
}

/** The page of an operation with 20 plugins and 2,000 attempts, beside one with 2 plugins and 2 attempts. */
export async function benchAttempts(): Promise<Result[]> {
  await buildConsole()
  const system = await startBenchSystem()
  const cookie = await sessionCookie(system.url, system.user)
  const plugin = await testingPlugin()
  const cases = [FEW, MANY]
  const urls = new Map<Case, string>()
  for (const one of cases) urls.set(one, await runOperation(system, cookie, plugin, one))
  const opened = new Map<Case, Opened[]>(cases.map((one) => [one, []]))
  // a new browser for each round, so that other load affects both
  for (let count = 0; count < ROUNDS; count++) {
    const browser = await launchBrowser()
    for (const [one, url] of urls) opened.get(one)?.push(await open(browser, url, cookie))
    await browser.close()
  }
  await plugin.close()
  await system.stop()
  const of = (one: Case) => opened.get(one) ?? []
  const openMs = (one: Case) => median(of(one).map((round) => round.openMs))
  const frameMs = (one: Case, share: number) =>
    median(
      of(one).map(({ framesMs }) => framesMs.toSorted((a, b) => a - b)[Math.ceil(FRAMES * share) - 1] ?? 0),
    )
  const rows = cases.map((one) => ({
    operation: `${one.plugins} plugins, ${one.attempts} attempts`,
    'open ms': round(openMs(one), 0),
    'answer kB': round(median(of(one).map(({ answerKb }) => answerKb)), 0),
    'frame p50 ms': round(frameMs(one, 0.5), 1),
    'frame p95 ms': round(frameMs(one, 0.95), 1),
  }))
  const shared = { name: 'attempts', rows }
  return [
    {
      ...shared,
      figure: openMs(MANY) / openMs(FEW),
      goal: 1.5,
      meaning: 'Time until the timeline is painted, many attempts beside two: the ratio of the medians.',
    },
    {
      ...shared,
      figure: frameMs(MANY, 0.95),
      goal: 17,
      meaning:
        'p95 of the time between two frames while the page scrolls, in ms; 16.7 ms are 60 frames a second.',
    },
  ]
}

/** Installs a bundle whose plugins ask for retries, and returns the page's address when the operation has ended. */
async function runOperation(
  { call, url }: BenchSystem,
  cookie: string,
  plugin: Awaited<ReturnType<typeof testingPlugin>>,
  { name, plugins, attempts }: Case,
): Promise<string> {
  if (call === null) throw new Error('The system has no runtime')
  const each = attempts / plugins
  const ids = Array.from({ length: plugins }, (_, index) => `${name}-${index}`)
  const busy = { message: 'The tenant is busy.', retryable: true }
  plugin.script(({ stage, pluginId }, before) =>
    stage === 'BEFORE_RESOURCES' && before < each - 1
      ? { errorCode: 'BUSY', data: { ...busy, errorPath: [pluginId] } }
      : { outcome: 'APPLIED' },
  )
  for (const pluginId of ids) {
    const body = {
      title: pluginId,
      endpoint: plugin.endpoint(pluginId),
      enabled: true,
      maxAttempts: each,
      maxBackoffMs: 100,
    }
    await call(platform, 'PUT /plugins/{pluginId}', { params: { pluginId }, body }, `register-${pluginId}`)
  }
  const bundle = { environmentKey, bundleId: `attempts-${name}` }
  await call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...bundle, version: '1.0.0' },
      body: {
        bundle,
        version: '1.0.0',
        title: name,
        resources: [
          {
            kind: 'MODULE',
            name: 'tenant',
            title: 'Tenant',
            moduleId: `module-${name}`,
            properties: { region: data({ type: 'string', title: 'Region' }) },
          },
        ],
        plugins: ids.map((pluginId) => ({
          pluginId,
          order: 1,
          failurePolicy: 'FAIL_FAST',
          configuration: { schemaVersion: '1', values: {} },
          resources: [],
        })),
      },
    },
    `publish-${name}`,
  )
  const { operation } = await call(
    platform,
    'POST /installations',
    { body: { scope, bundle, targetVersion: '1.0.0', properties: {} } },
    `install-${name}`,
  )
  const page = `/operations/${operation.operationId}`
  for (;;) {
    const response = await fetch(`${url}/api${page}`, { headers: { cookie, 'x-requested-by': 'console' } })
    const { state } = (await response.json()) as { state: string }
    if (state === 'SUCCEEDED') return url + page
    if (state === 'FAILED') throw new Error(`The operation of ${name} failed`)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function open(browser: Browser, url: string, cookie: string): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url: new URL(url).origin, httpOnly: true, sameSite: 'Strict' }])
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-bars]') === null) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => Object.assign(globalThis, { opened: performance.now() })))
    }).observe(document, { subtree: true, childList: true })
  })
  const response = await page.goto(url)
  await page.waitForFunction(() => Reflect.has(globalThis, 'opened'))
  const openMs = await page.evaluate(() => Number(Reflect.get(globalThis, 'opened')))
  const answerKb = ((await response?.body())?.length ?? 0) / 1000
  // scrolling is measured at the speed of the machine
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  await page.waitForTimeout(2_000)
  const framesMs = await page.evaluate(
    (frames) =>
      new Promise<number[]>((resolve) => {
        const times: number[] = []
        let [last, down] = [0, true]
        const step = (now: number) => {
          if (last > 0) times.push(now - last)
          last = now
          const { scrollTop, scrollHeight, clientHeight } = document.documentElement
          if (scrollTop + clientHeight >= scrollHeight - 1) down = false
          else if (scrollTop === 0) down = true
          scrollBy({ top: down ? 24 : -24, behavior: 'instant' })
          if (times.length < frames) requestAnimationFrame(step)
          else resolve(times)
        }
        requestAnimationFrame(step)
      }),
    FRAMES,
  )
  await context.close()
  return { openMs, framesMs, answerKb }
}
