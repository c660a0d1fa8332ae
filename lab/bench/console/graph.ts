import type { Browser } from '@playwright/test'
import { sql } from 'kysely'
import { DEPENDENCY_NODES_MAX } from '#contract/runtime-api/dependencies.ts'
import { openDatabase } from '#database/pool.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import type { Db } from '#runtime/model/db.ts'
import { median } from '../report.ts'
import type { Result } from '../report.ts'
import { launchBrowser, openPage, pressUntilPainted, SLOWDOWN } from './browser.ts'
import type { OpenConsole } from './browser.ts'

const ROUNDS = 7
const LARGE = 'bench-large'
const SMALL = 'bench-small'

/**
 * The drawing of a graph with as many nodes as one may have, and the press that leads to it, beside a graph of two. A new
 * browser each time: the press loads the scripts too.
 */
export async function measureGraph(system: OpenConsole): Promise<Result[]> {
  if (system.database === null) throw new Error('The system has no database of its own')
  const tables = openDatabase<RuntimeTables>(system.database)
  await fillGraphs(tables.db)
  await tables.close()
  const drawings: Record<'large' | 'small', Drawing[]> = { large: [], small: [] }
  const browser = await launchBrowser()
  // the first visit fills the caches of the servers
  for (let count = 0; count <= ROUNDS; count++)
    for (const size of ['large', 'small'] as const) {
      const drawn = await draw(browser, system, size)
      if (count > 0) drawings[size].push(drawn)
    }
  await browser.close()
  const of = (size: 'large' | 'small', what: keyof Drawing) =>
    median(drawings[size].map((drawing) => drawing[what]))
  const rows = (['large', 'small'] as const).map((size) => ({
    nodes: size === 'large' ? DEPENDENCY_NODES_MAX : 2,
    boxes: of(size, 'boxes'),
    'response to paint, ms': Math.round(of(size, 'drawMs')),
    'press to paint, ms': Math.round(of(size, 'pressMs')),
  }))
  return [
    {
      name: 'graph',
      rows,
      figure: of('large', 'drawMs') / 1_000,
      goal: 1,
      meaning: `Seconds from the response with ${DEPENDENCY_NODES_MAX} nodes to the paint of their graph, at ${SLOWDOWN} times CPU slow-down.`,
    },
    {
      name: 'graph, press',
      rows,
      figure: of('large', 'pressMs') / of('small', 'pressMs'),
      goal: 3,
      meaning:
        'From the press on a service to the paint of its graph, divided by that of a graph of two nodes.',
    },
  ]
}

interface Drawing {
  /** From the end of the response to the paint. */
  drawMs: number
  /** From the press to the paint. */
  pressMs: number
  boxes: number
}

/**
 * bench-large: used by 900 installations, of which 500 own a service that 399 others use; its owner needs 199 services.
 * bench-small: used by one installation.
 */
async function fillGraphs(db: Db): Promise<void> {
  await sql`
    insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
    select 'bench', 'graph', number, 'bench', 'Bench' from generate_series(1, 1301) as number`.execute(db)
  await sql`
    insert into runtime.installation (environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, scope_id, bundle_install_id, title, state, version)
    select environment_key, application_runtime_id, workspace_id, 'bench', 'bundle-' || workspace_id % 20,
      scope_id, gen_random_uuid(), 'Bundle ' || workspace_id % 20, 'ACTIVE', '1.0.0'
    from runtime.scope where environment_key = 'bench'`.execute(db)
  const reference = (serviceId: ReturnType<typeof sql>) =>
    sql`jsonb_build_object('@type', 'ServiceReference', 'serviceId', ${serviceId})`
  await sql`
    insert into runtime.installed_resource (bundle_install_id, locator, scope_id, kind, title, module_id, version,
      definitions, written_by, properties)
    select bundle_install_id, 'bench/' || bundle_id || '/MODULE/core', scope_id, 'MODULE', 'Core', 'core', '1.0.0',
      '{}', '{}',
      case
        when workspace_id <= 900 then jsonb_build_object('gateway', ${reference(sql`${LARGE}::text`)})
        when workspace_id <= 1299 then
          jsonb_build_object('gateway', ${reference(sql`'bench-owned-' || workspace_id - 900`)})
        when workspace_id = 1300 then (
          select jsonb_object_agg('needed' || number, ${reference(sql`'bench-needed-' || number`)})
          from generate_series(1, 199) as number)
        else jsonb_build_object('gateway', ${reference(sql`${SMALL}::text`)})
      end
    from runtime.installation where environment_key = 'bench'`.execute(db)
  await sql`
    insert into runtime.service (service_id, title, url, methods, owner_bundle_install_id, owner_locator, consumers, enabled)
    select service_id, service_title, 'http://127.0.0.1:9/', '[]', bundle_install_id,
      case when bundle_install_id is not null then 'bench/' || bundle_id || '/MODULE/core' end, '[]', true
    from (
      select ${LARGE}::text, 'Bench large', 1300 union all
      select ${SMALL}::text, 'Bench small', null union all
      select 'bench-needed-' || number, 'Needed ' || number, null from generate_series(1, 199) as number union all
      select 'bench-owned-' || number, 'Owned ' || number, number from generate_series(1, 500) as number
    ) as named (service_id, service_title, workspace_id)
    left join runtime.installation using (workspace_id)
    where workspace_id is null or environment_key = 'bench'`.execute(db)
  await sql`analyze`.execute(db)
}

async function draw(browser: Browser, system: OpenConsole, size: 'large' | 'small'): Promise<Drawing> {
  const page = await openPage(browser, system)
  await page.goto(`${system.url}/services?q=bench-${size}`)
  const service = page.getByRole('link', { name: new RegExp(`^Bench ${size}`) }).first()
  await service.waitFor()
  // what the page loads once it is idle is not part of the drawing
  await page.waitForTimeout(2_000)
  const { pressedAt, paintedAt } = await pressUntilPainted(service, 'figure li')
  const drawn = await page.evaluate(() => {
    const responses = performance
      .getEntriesByType('resource')
      .filter((entry): entry is PerformanceResourceTiming => entry instanceof PerformanceResourceTiming)
    const response = responses.find(({ name }) => name.endsWith('/dependencies'))
    return { boxes: document.querySelectorAll('figure li').length, respondedAt: response?.responseEnd ?? NaN }
  })
  await page.context().close()
  return {
    drawMs: paintedAt - drawn.respondedAt,
    pressMs: paintedAt - pressedAt,
    boxes: drawn.boxes,
  }
}
