import type { Browser, Page } from '@playwright/test'
import { formatLocator } from '#contract/protocol/locator.ts'
import { data } from '#plugin/examples/bundles/definitions.ts'
import { platform } from '../../../demo/people.ts'
import { median, percentile, round } from '../report.ts'
import type { Result } from '../report.ts'
import type { BenchSystem } from '../system.ts'
import { launchBrowser, openPage } from './browser.ts'
import type { OpenConsole } from './browser.ts'

const ROUNDS = 5
const KEYS = 60
/** Between two keys, as in quick typing. */
const PAUSE_MS = 100
const PROPERTIES = 200
const EDITED = 'property100'
const scope = { environmentKey: 'production', applicationRuntimeId: 'typing', workspaceId: 1 }
const bundle = { environmentKey: 'production', bundleId: 'typing' }

/** The time from a key press to its paint in a form of 200 properties, beside a bare input, at 4 times CPU slow-down. */
export async function measureTyping(system: OpenConsole): Promise<Result[]> {
  const url = await installLargeForm(system)
  const rounds: Record<'form' | 'bare', number[]>[] = []
  let elements = 0
  for (let count = 0; count < ROUNDS; count++) {
    const browser = await launchBrowser()
    const form = await openForm(browser, system, url)
    elements = Math.max(elements, await form.evaluate(() => document.querySelectorAll('*').length))
    const formTimes = await type(form, `#property-${EDITED}`)
    const bare = await openPage(browser, null)
    await bare.setContent('<!doctype html><input id="bare">')
    rounds.push({ form: formTimes, bare: await type(bare, '#bare') })
    await browser.close()
  }
  const of = (page: 'form' | 'bare', percent: number) =>
    median(rounds.map((times) => percentile(times[page], percent)))
  const rows = (['form', 'bare'] as const).map((page) => ({
    page: page === 'form' ? `${PROPERTIES} properties` : 'bare input',
    'p50 ms': round(of(page, 50), 1),
    'p95 ms': round(of(page, 95), 1),
    ...(page === 'form' && { elements }),
  }))
  const shared = { name: 'typing', rows }
  return [
    { ...shared, figure: elements, goal: 1_500, meaning: 'Elements of the document.' },
    {
      ...shared,
      // pairs of one round, so that other load affects both
      figure: median(rounds.map(({ form, bare }) => percentile(form, 95) / percentile(bare, 95))),
      goal: 1.8,
      meaning: `p95 from a key press to its paint, beside a bare input: the median of ${ROUNDS} rounds.`,
    },
  ]
}

/** Publishes and installs a bundle with one resource of many properties; returns the address of its form. */
async function installLargeForm({ call, url }: BenchSystem): Promise<string> {
  if (call === null) throw new Error('The system has no runtime')
  const names = Array.from({ length: PROPERTIES }, (_, index) => `property${index}`)
  const properties = Object.fromEntries(
    names.map((name, index) => [
      name,
      data({
        type: 'string',
        title: `Property number ${index}`,
        description: `What the service does with this value, in a sentence that an operator reads once, number ${index}.`,
        maxLength: 200,
      }),
    ]),
  )
  const resource = { kind: 'MODULE' as const, name: 'large' }
  const locator = formatLocator({ ...bundle, ...resource })
  await call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...bundle, version: '1.0.0' },
      body: {
        bundle,
        version: '1.0.0',
        title: 'Typing',
        resources: [{ ...resource, title: 'Large form', moduleId: 'module-large', properties }],
        plugins: [],
      },
    },
    'publish-typing',
  )
  await call(
    platform,
    'POST /installations',
    { body: { scope, bundle, targetVersion: '1.0.0', properties: {} } },
    'install-typing',
  )
  const address = `/scopes/${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}/configuration`
  return `${url}${address}?resource=${encodeURIComponent(locator)}&property=${EDITED}`
}

async function openForm(browser: Browser, system: OpenConsole, url: string): Promise<Page> {
  const page = await openPage(browser, system)
  await page.goto(url)
  await page.locator(`#property-${EDITED}`).waitFor()
  // what the page loads once it is idle is not part of typing
  await page.waitForTimeout(3_000)
  return page
}

/** Types into a field; answers for each key the time until the frame with it was painted, in milliseconds. */
async function type(page: Page, selector: string): Promise<number[]> {
  await page.locator(selector).focus()
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(globalThis, { times })
    const channel = new MessageChannel()
    const pressed: number[] = []
    // the first task after a frame runs once the frame is painted
    channel.port1.addEventListener('message', () => {
      for (const at of pressed.splice(0)) times.push(performance.now() - at)
    })
    channel.port1.start()
    addEventListener(
      'keydown',
      ({ timeStamp }) => {
        pressed.push(timeStamp)
        requestAnimationFrame(() => channel.port2.postMessage(null))
      },
      { capture: true },
    )
  })
  await page.keyboard.type('abcdefghij'.repeat(KEYS / 10), { delay: PAUSE_MS })
  await page.waitForTimeout(500)
  return page.evaluate(() => Reflect.get(globalThis, 'times') as number[])
}
