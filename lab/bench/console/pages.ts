import { request } from 'undici'
import { scopes } from '../../../demo/places.ts'
import { median, round } from '../report.ts'
import type { Result } from '../report.ts'
import { launchBrowser } from './browser.ts'
import type { OpenConsole } from './browser.ts'
import { serveEmptyPage } from './empty-page.ts'
import { visitPage } from './visit.ts'
import type { Page, Visit } from './visit.ts'

const EMPTY = 'empty React page'

export interface PagesOptions {
  rounds: number
  /** As over slow 4G. */
  isNetworkSlow: boolean
}

/**
 * Compares cold visits of four pages with an empty React page from the same build, on a CPU that is slowed down 4 times; and
 * measures what their documents cost the servers.
 */
export async function measurePages(
  { url, cookie }: OpenConsole,
  { rounds, isNetworkSlow }: PagesOptions,
): Promise<Result[]> {
  const pages = await pagesOf(url, cookie)
  const empty = await serveEmptyPage()
  const visits = new Map<string, Visit[]>([...Object.keys(pages), EMPTY].map((name) => [name, []]))
  // each round visits every page in a new browser, so that other load on the machine affects all pages alike
  for (let round = 0; round < rounds; round++) {
    const browser = await launchBrowser()
    for (const [name, page] of Object.entries(pages)) {
      visits.get(name)?.push(await visitPage(browser, page, { cookie, isNetworkSlow }))
    }
    visits
      .get(EMPTY)
      ?.push(
        await visitPage(
          browser,
          { url: empty.url, ready: '#ready', press: '#ready', effect: '.pressed' },
          { cookie: null, isNetworkSlow },
        ),
      )
    await browser.close()
  }
  await empty.stop()
  const costs = new Map<string, number>()
  for (const [name, page] of Object.entries(pages)) costs.set(name, await documentCost(page.url, cookie))
  return resultsOf(visits, costs)
}

async function pagesOf(url: string, cookie: string): Promise<Record<string, Page>> {
  const response = await fetch(`${url}/api/operations?state=FAILED&limit=1`, {
    headers: { cookie, 'x-requested-by': 'console' },
  })
  const { items } = (await response.json()) as { items: { operationId: string }[] }
  const { environmentKey, applicationRuntimeId, workspaceId } = scopes.europe
  const scope = `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  // the search, which every page has
  const search = { press: 'aside button', effect: 'dialog[open]' }
  return {
    Installations: { url: `${url}/installations`, ready: 'tbody tr a', ...search },
    Operations: { url: `${url}/operations`, ready: 'tbody tr a', ...search },
    'one Operation': {
      url: `${url}/operations/${items[0]?.operationId}`,
      ready: 'main a[href*="/plugins/"]',
      ...search,
    },
    Configuration: {
      url: `${url}${scope}/configuration`,
      ready: 'main section :is(input, textarea)',
      ...search,
    },
  }
}

function resultsOf(
  visits: ReadonlyMap<string, readonly Visit[]>,
  documentCosts: ReadonlyMap<string, number>,
): Result[] {
  const medianOf = (name: string, key: keyof Visit) =>
    median((visits.get(name) ?? []).map((visit) => visit[key]))
  const names = [...visits.keys()]
  const rows = names.map((page) => ({
    page,
    'JavaScript kB (brotli)': round(medianOf(page, 'scriptKb'), 1),
    'kB before LCP': round(medianOf(page, 'earlyScriptKb'), 1),
    requests: medianOf(page, 'requests'),
    'requests before LCP': medianOf(page, 'earlyRequests'),
    'LCP ms': round(medianOf(page, 'lcpMs'), 0),
    'LCP ratio': round(medianOf(page, 'lcpMs') / medianOf(EMPTY, 'lcpMs')),
    'usable ms': round(medianOf(page, 'usableMs'), 0),
    'usable ratio': round(medianOf(page, 'usableMs') / medianOf(EMPTY, 'usableMs')),
    'elements per row': medianOf(page, 'rowElements'),
    'processor ms a document': round(documentCosts.get(page) ?? 0, 1),
  }))
  const worst = (key: keyof Visit) =>
    Math.max(...names.filter((name) => name !== EMPTY).map((name) => medianOf(name, key)))
  const goals = [
    {
      figure: worst('lcpMs') / medianOf(EMPTY, 'lcpMs'),
      goal: 3,
      meaning: 'LCP of the slowest page, divided by that of an empty React page from the same build.',
    },
    {
      figure: worst('usableMs') / medianOf(EMPTY, 'usableMs'),
      goal: 3,
      meaning: 'The first press that works on the slowest page, divided by that on the empty page.',
    },
    {
      figure: worst('requests'),
      goal: 12,
      meaning: 'Requests of a cold visit: the highest of the four pages.',
    },
    {
      figure: worst('scriptKb'),
      goal: 120,
      meaning: 'kB of JavaScript (brotli) of a cold visit: the highest of the four pages.',
    },
    { figure: worst('rowElements'), goal: 30, meaning: 'DOM elements of the largest row of a list.' },
    {
      figure: Math.max(...documentCosts.values()),
      goal: 8,
      meaning: 'ms of processor time of console and runtime a document: the highest of the four pages.',
    },
  ]
  return goals.map((goal) => ({ name: 'console', rows, ...goal }))
}

const WARM_UP = 100
const TIMES = 200

/**
 * The processor time of a page's document, in ms: of the console and of the runtime, which run in this process, together with
 * what it costs to request it here. The database is a process of its own, and is not in it.
 */
async function documentCost(url: string, cookie: string): Promise<number> {
  const headers = { cookie, accept: 'text/html', 'accept-encoding': 'br', 'sec-fetch-dest': 'document' }
  const read = async () => {
    const { statusCode, body } = await request(url, { headers })
    await body.dump()
    if (statusCode !== 200) throw new Error(`${url} got ${statusCode}`)
  }
  for (let at = 0; at < WARM_UP; at++) await read()
  const before = process.cpuUsage()
  for (let at = 0; at < TIMES; at++) await read()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / TIMES
}
