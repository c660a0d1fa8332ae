import type { Browser } from '@playwright/test'
import { testingPlugin } from '#runtime/testing/plugin.ts'
import { platform } from '../../demo/people.ts'
import { sessionCookie } from '../../demo/sign-in.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import { launchBrowser } from './console/browser.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { startBenchSystem } from './system.ts'
import type { BenchSystem } from './system.ts'

const ROUNDS = 20
const GOAL_MS = 150
const environmentKey = 'production'
const bundle = { environmentKey, bundleId: 'answer' }

/** From the moment at which a plugin answers its last call until the page of the operation has painted the success. */
export async function benchAnswer(): Promise<Result> {
  await buildConsole()
  const system = await startBenchSystem()
  const plugin = await testingPlugin()
  const cookie = await sessionCookie(system.url, system.user)
  await publish(system, plugin.endpoint('answer'))
  const browser = await launchBrowser()
  const times: number[] = []
  for (let count = 0; count < ROUNDS; count++) {
    let answer = (): void => undefined
    plugin.script(async ({ stage }) => {
      if (stage === 'AFTER_RESOURCES') await new Promise<void>((resolve) => (answer = resolve))
      return { outcome: 'APPLIED' }
    })
    const operationId = await install(system, count)
    times.push(await watch(browser, { url: system.url, cookie, operationId }, () => answer()))
  }
  await browser.close()
  await plugin.close()
  await system.stop()
  const sorted = times.toSorted((a, b) => a - b)
  return {
    name: 'answer',
    rows: [
      { 'fastest ms': round(sorted[0] ?? 0, 0), 'slowest ms': round(sorted.at(-1) ?? 0, 0), rounds: ROUNDS },
    ],
    figure: median(times),
    goal: GOAL_MS,
    meaning:
      'Milliseconds from the answer of a plugin until the page of its operation has painted the result; the median.',
  }
}

async function publish({ call }: BenchSystem, endpoint: string): Promise<void> {
  if (call === null) throw new Error('The system has no runtime')
  const registration = { title: 'Answer', endpoint, enabled: true }
  await call(
    platform,
    'PUT /plugins/{pluginId}',
    { params: { pluginId: 'answer' }, body: registration },
    'register-answer',
  )
  await call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...bundle, version: '1.0.0' },
      body: {
        bundle,
        version: '1.0.0',
        title: 'Answer',
        resources: [
          { kind: 'MODULE', name: 'module', title: 'Module', moduleId: 'module-answer', properties: {} },
        ],
        plugins: [
          {
            pluginId: 'answer',
            order: 1,
            failurePolicy: 'FAIL_FAST',
            configuration: { schemaVersion: '1', values: {} },
            resources: [],
          },
        ],
      },
    },
    'publish-answer',
  )
}

async function install({ call }: BenchSystem, workspaceId: number): Promise<string> {
  if (call === null) throw new Error('The system has no runtime')
  const scope = { environmentKey, applicationRuntimeId: 'answer', workspaceId }
  const { operation } = await call(
    platform,
    'POST /installations',
    { body: { scope, bundle, targetVersion: '1.0.0', properties: {} } },
    `install-answer-${workspaceId}`,
  )
  return operation.operationId
}

interface Page {
  url: string
  cookie: string
  operationId: string
}

/** Opens the page of a running operation, lets the plugin answer, and returns the time until the page shows it, in ms. */
async function watch(
  browser: Browser,
  { url, cookie, operationId }: Page,
  answer: () => void,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }])
  const page = await context.newPage()
  await page.goto(`${url}/operations/${operationId}`)
  await page.locator('main header, main h1').getByText('Running').first().waitFor()
  // the page is idle, and the plugin holds the call
  await page.waitForTimeout(1_500)
  const painted = page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new MutationObserver((_, observer) => {
          if (!(document.querySelector('main')?.textContent ?? '').includes('Succeeded')) return
          observer.disconnect()
          // the first task after a frame runs once the frame is painted
          requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
        }).observe(document, { subtree: true, childList: true, characterData: true })
      }),
  )
  await page.waitForTimeout(100)
  const answered = performance.timeOrigin + performance.now()
  answer()
  const ms = (await painted) - answered
  await context.close()
  return ms
}
