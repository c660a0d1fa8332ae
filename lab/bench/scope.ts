import type { Browser } from '@playwright/test'
import { data } from '#plugin/examples/bundles/definitions.ts'
import { platform } from '../../demo/people.ts'
import { sessionCookie } from '../../demo/sign-in.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import { launchBrowser } from './console/browser.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'
import { startBenchSystem } from './system.ts'
import type { BenchSystem } from './system.ts'

const ROUNDS = 7
const BUNDLES = 20
const MODULES = 50
const GOAL_MS = 100
const scope = { environmentKey: 'production', applicationRuntimeId: 'large', workspaceId: 1 }
const address = `/scopes/${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}/configuration`

interface Opened {
  requestMs: number
  openMs: number
}

/** From a click on a scope with 1,000 Modules until its outline and first form are painted, compared with its request. */
export async function benchScope(): Promise<Result> {
  await buildConsole()
  const system = await startBenchSystem()
  await installAll(system)
  const cookie = await sessionCookie(system.url, system.user)
  const browser = await launchBrowser()
  const rounds: Opened[] = []
  for (let count = 0; count < ROUNDS; count++) rounds.push(await openScope(browser, system.url, cookie))
  await browser.close()
  await system.stop()
  return {
    name: 'scope',
    rows: rounds.map(({ requestMs, openMs }) => ({
      'request ms': round(requestMs, 0),
      'outline and form ms': round(openMs, 0),
    })),
    figure: median(rounds.map(({ requestMs, openMs }) => openMs - requestMs)),
    goal: GOAL_MS,
    meaning: `Milliseconds from a click until outline and first form of ${BUNDLES * MODULES} Modules are painted, more than their request takes.`,
  }
}

async function installAll({ call }: BenchSystem): Promise<void> {
  if (call === null) throw new Error('The system has no runtime')
  const properties = Object.fromEntries(
    ['host', 'port', 'sender', 'region', 'schedule'].map((name) => [
      name,
      data({ type: 'string', title: `The ${name}` }),
    ]),
  )
  for (let index = 0; index < BUNDLES; index++) {
    const bundle = { environmentKey: 'production', bundleId: `large-${index}` }
    const resources = Array.from({ length: MODULES }, (_, number) => ({
      kind: 'MODULE' as const,
      name: `module-${number}`,
      title: `Module ${number} of bundle ${index}`,
      moduleId: `module-${index}-${number}`,
      properties,
    }))
    await call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      {
        params: { ...bundle, version: '1.0.0' },
        body: { bundle, version: '1.0.0', title: `Large ${index}`, resources, plugins: [] },
      },
      `publish-large-${index}`,
    )
    await call(
      platform,
      'POST /installations',
      { body: { scope, bundle, targetVersion: '1.0.0', properties: {} } },
      `install-large-${index}`,
    )
  }
}

/** Opens the scope from the list of scopes, whose scripts are loaded, in a new context without cached answers. */
async function openScope(browser: Browser, url: string, cookie: string): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }])
  const page = await context.newPage()
  // loads the scripts of the editor
  await page.goto(`${url}${address.replace('large', 'elsewhere')}`)
  await page.waitForTimeout(2_000)
  await page.goto(`${url}/scopes?environmentKey=${scope.environmentKey}`)
  await page.locator(`a[href^="${address}"]`).first().waitFor()
  await page.waitForTimeout(2_000)
  const opened = await page.evaluate(
    (href) =>
      new Promise<Opened>((resolve) => {
        const link = document.querySelector<HTMLAnchorElement>(`a[href^="${href}"]`)
        const began = performance.now()
        const isOpen = () => document.querySelector('[id^="property-"]') !== null
        const watch = new MutationObserver(() => {
          if (!isOpen()) return
          watch.disconnect()
          // the first task after a frame runs once the frame is painted
          requestAnimationFrame(() =>
            setTimeout(() => {
              const openMs = performance.now() - began
              const requests = performance
                .getEntriesByType('resource')
                .filter(
                  (entry): entry is PerformanceResourceTiming =>
                    entry.startTime >= began &&
                    entry.name.includes('/api/') &&
                    entry.name.includes('configuration'),
                )
              resolve({ openMs, requestMs: Math.max(0, ...requests.map(({ duration }) => duration)) })
            }),
          )
        })
        watch.observe(document, { subtree: true, childList: true })
        link?.click()
      }),
    address,
  )
  await context.close()
  return opened
}
