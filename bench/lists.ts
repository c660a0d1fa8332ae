import { createLocalJWKSet } from 'jose'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createActorAssertions } from '#bff/actor-assertion.ts'
import { loadActorKey } from '#bff/actor-key.ts'
import { createLog } from '#edge/log.ts'
import { startTestServer, testDatabase } from '#database/testing.ts'
import { createRuntime } from '#runtime/app.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { person } from './person.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const INSTALLATIONS = 100_000
const LIMIT = 50
const DEEP = 1_000
const TRIES = 300
const ADDRESS = 'http://127.0.0.1/bundle-runtime/api/installations'

/** A page of 50 out of 100,000 installations: the thousandth beside the first. */
export async function benchLists(): Promise<Result> {
  const server = await startTestServer()
  const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: server.url })
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-bench-'))
  const key = await loadActorKey(dataDir)
  const runtime = await createRuntime({
    connection: database.connection,
    dataDir,
    platformApiBase: 'http://127.0.0.1',
    egressAllow: [],
    credentials: ['credential-of-the-benchmark-0123456789'],
    actorKeys: createLocalJWKSet({ keys: [key.publicJwk] }),
    log: createLog({ name: 'bench', level: 'silent' }),
    worker: 'off',
    rateLimit: { perSecond: 1e6, burst: 1e6 },
  })
  await runtime.start()
  const { db } = runtime.world
  await fill(db)
  const assertionOf = createActorAssertions(key)
  const page = async (cursor: string | null): Promise<{ ms: number; nextCursor: string | null }> => {
    const headers = {
      authorization: 'Bearer credential-of-the-benchmark-0123456789',
      'x-runtime-actor-assertion': await assertionOf(person),
    }
    const url = `${ADDRESS}?limit=${LIMIT}${cursor === null ? '' : `&cursor=${cursor}`}`
    const started = performance.now()
    const response = await runtime.app.request(url, { headers })
    const { data } = (await response.json()) as { data: { items: unknown[]; nextCursor: string | null } }
    const ms = performance.now() - started
    if (data.items.length !== LIMIT) throw new Error(`The page holds ${data.items.length} rows`)
    return { ms, nextCursor: data.nextCursor }
  }
  let cursor: string | null = null
  for (let index = 1; index < DEEP; index++) cursor = (await page(cursor)).nextCursor
  const [first, deep]: [number[], number[]] = [[], []]
  // interleaved, so that whatever else the machine does falls on both
  for (let index = 0; index < TRIES; index++) {
    first.push((await page(null)).ms)
    deep.push((await page(cursor)).ms)
  }
  await runtime.stop()
  await database.close()
  await server.stop()
  return {
    name: 'lists',
    rows: [
      { page: 'first', 'median ms': round(median(first)) },
      { page: `number ${DEEP}`, 'median ms': round(median(deep)) },
    ],
    figure: median(deep) / median(first),
    goal: 1.5,
    meaning: `Median time of page ${DEEP} divided by that of the first, ${INSTALLATIONS} installations, ${LIMIT} a page.`,
  }
}

async function fill(db: Awaited<ReturnType<typeof createRuntime>>['world']['db']): Promise<void> {
  const { sql } = await import('kysely')
  await sql`
    insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
    select 'production', 'bench', n, 'bench', 'Bench' from generate_series(1, 1000) n`.execute(db)
  await sql`
    insert into runtime.installation (bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, title, state, version, updated_at)
    select gen_random_uuid(), s.scope_id, s.environment_key, s.application_runtime_id, s.workspace_id,
      'production', 'bundle-' || n, 'Bundle ' || n, 'ACTIVE', '1.0.0', clock_timestamp() - n * interval '1 second'
    from runtime.scope s cross join generate_series(1, ${sql.lit(INSTALLATIONS / 1000)}) n`.execute(db)
  await sql`analyze runtime.installation`.execute(db)
}
