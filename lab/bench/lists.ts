import { sql } from 'kysely'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import { startRetention } from '#runtime/retention/run-retention.ts'
import { readRetention } from '#runtime/store/retention/retention-row.ts'
import { casesFor } from './lists/cases.ts'
import type { Case } from './lists/cases.ts'
import { accessPathsOf, explain } from './lists/explain.ts'
import type { Amount } from './lists/fill.ts'
import { openReader } from './lists/reader.ts'
import { measureReaders } from './lists/readers.ts'
import { startFilled } from './lists/server.ts'
import { person } from './person.ts'
import { median, percentile, round } from './report.ts'
import type { Result } from './report.ts'

const DEEP = 1_000
/** A page of these has several values for each row. */
const TABLES: ReadonlySet<Case['path']> = new Set(['/installed-versions/scopes', '/properties'])
const isSentence = ({ name }: Case): boolean => name.startsWith('sentence')
/** Grouped from all failed operations. */
const CAUSES: Case['path'] = '/causes'
const SAMPLES = 60
/** The name of what `timeFailedPage` measures. */
const FAILED_PAGE = 'a failed operation'

const Page = z.object({ items: z.array(z.unknown()), nextCursor: z.string().nullable() })

/** Reads of a filled runtime, and what they cost its database if a standby serves them. */
export async function benchLists(amount: Amount, only: string): Promise<Result[]> {
  if (only === 'readers') return measureReaders()
  const lists = await measureLists(amount, only)
  return only === '' ? [...lists, ...(await measureReaders())] : lists
}

/**
 * Pages, filters, searches and counts of a filled runtime, requested the way the BFF does. If the operations have attempts,
 * retention removes old operations with their attempts meanwhile.
 *
 * @param only Only cases with this in their names; empty for all, and the page of a failed operation.
 */
async function measureLists(amount: Amount, only: string): Promise<Result[]> {
  const server = await startFilled(amount)
  const { connection } = server
  const reader = await openReader(server)
  const { deps, read } = reader
  const cursorAt = async (path: Case['path'], deep = DEEP): Promise<string> => {
    let cursor = ''
    for (let page = 1; page < deep; page++) {
      const { data } = await read({ path, query: cursor === '' ? {} : { cursor } })
      const { nextCursor } = Page.parse(data)
      // a small amount has fewer pages
      if (nextCursor === null) break
      cursor = nextCursor
    }
    return cursor
  }

  const row = await deps.db
    .selectFrom('runtime.operation')
    .selectAll()
    .where('environment_key', '=', 'production')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const all = casesFor({
    operationId: row.operation_id,
    bundleInstallId: row.bundle_install_id,
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
    deepOperations: await cursorAt('/operations'),
    deepInstallations: await cursorAt('/installations'),
    deepMatrix: await cursorAt('/installed-versions/scopes', 100),
  })
  const cases = all.filter(({ name }) => name.includes(only))
  const retention = amount.attempts ? await removeOld(deps) : null
  const times = new Map(cases.map(({ name }): [string, number[]] => [name, []]))
  const sizes = new Map<string, number>()
  for (const listCase of cases) {
    const page = Page.safeParse((await read(listCase)).data)
    if (page.success) sizes.set(listCase.name, page.data.items.length)
  }
  // interleaved, so that other load on the machine affects all of them equally
  for (let index = 0; index < SAMPLES; index++) {
    for (const listCase of cases) times.get(listCase.name)?.push((await read(listCase)).ms)
  }

  const page = FAILED_PAGE.includes(only) ? await timeFailedPage(deps, read) : null
  const removed = await retention?.stop()
  const plans = join(import.meta.dirname, '../../.cache/bench-lists/plans')
  mkdirSync(plans, { recursive: true })
  const rows: Result['rows'] = []
  for (const listCase of cases) {
    const actor = { ...person, grants: [...(listCase.grants ?? person.grants)], requestId: 'bench' }
    const plan = await explain(connection, { deps, actor, listCase })
    writeFileSync(join(plans, `${listCase.name.replaceAll(/[^a-z0-9]+/gi, '-')}.txt`), `${plan}\n`)
    const ms = times.get(listCase.name) ?? []
    rows.push({
      what: listCase.name,
      'median ms': round(median(ms)),
      'p95 ms': round(percentile(ms, 95)),
      // a page without items is fast for another reason
      items: sizes.get(listCase.name) ?? '–',
      by: accessPathsOf(plan),
    })
  }
  await reader.stop()
  await server.stop()
  const of = (name: string): number => median(times.get(name) ?? [])
  const slowest = (isOne: (listCase: Case) => boolean): number =>
    Math.max(...cases.filter(isOne).map(({ name }) => percentile(times.get(name) ?? [], 95)))
  const size = [
    `${amount.installations} installations, ${amount.operations} operations`,
    removed &&
      `${amount.attempts} attempts each, while retention removed ${removed.operations} operations with ${removed.attempts} attempts`,
  ]
    .filter(Boolean)
    .join(' with ')
  const ofPage: Result[] =
    page === null
      ? []
      : [
          {
            name: `lists, ${FAILED_PAGE}`,
            rows: [],
            figure: page.withContext / page.alone,
            goal: 1.2,
            meaning: `Median time of a failed operation (${round(page.alone)} ms) until what changed before it is there too (${round(page.withContext)} ms, requested together): ${size}.`,
          },
        ]
  if (cases.length === 0) return ofPage
  if (only !== '')
    return [
      ...ofPage,
      {
        name: 'lists',
        rows,
        figure: slowest(() => true),
        goal: only.startsWith('sentence') ? 100 : 50,
        meaning: `The slowest p95 in ms of these: ${size}. Plans: ${plans}`,
      },
    ]
  return [
    {
      name: 'lists',
      rows,
      figure: slowest(
        (listCase) => !TABLES.has(listCase.path) && listCase.path !== CAUSES && !isSentence(listCase),
      ),
      goal: 50,
      meaning: `The slowest p95 in ms of a page of 50, a search or a count: ${size}. Plans: ${plans}`,
    },
    {
      name: 'lists, tables',
      rows: [],
      figure: slowest(({ path }) => TABLES.has(path)),
      goal: 100,
      meaning: `The slowest p95 in ms of a page of one property, or of bundles by scope: ${size}.`,
    },
    {
      name: 'lists, sentences',
      rows: [],
      figure: slowest(isSentence),
      goal: 100,
      meaning: `The slowest p95 in ms of a search for a sentence: ${size}. Its median is ${round(
        median(cases.filter(isSentence).map(({ name }) => of(name))) / of('operations, first page'),
      )} times that of the first page without a search.`,
    },
    {
      name: 'lists, causes',
      rows: [],
      figure: slowest(({ path }) => path === CAUSES),
      goal: 200,
      meaning: `The slowest p95 in ms of a page of causes, of ${amount.failed ?? amount.installations / 100} failed operations: ${size}.`,
    },
    ...ofPage,
    {
      name: 'lists, depth',
      rows: [],
      figure: of('installations, page 1000') / of('installations, first page'),
      goal: 1.5,
      meaning: `Median time of page ${DEEP} divided by that of the first, ${size}.`,
    },
  ]
}

/** The median times of a failed operation, alone and with its context. */
async function timeFailedPage(
  { db }: RuntimeDeps,
  read: (request: { path: string }) => Promise<{ ms: number }>,
): Promise<{ alone: number; withContext: number } | null> {
  const failed = await db
    .selectFrom('runtime.operation')
    .select('operation_id')
    .where('state', '=', 'FAILED')
    .orderBy('created_at', 'desc')
    .limit(SAMPLES)
    .execute()
  const [alone, withContext]: [number[], number[]] = [[], []]
  for (const { operation_id } of failed) {
    const path = `/operations/${operation_id}`
    // into the memory of the database
    await Promise.all([read({ path }), read({ path: `${path}/context` })])
    alone.push((await read({ path })).ms)
    const started = performance.now()
    await Promise.all([read({ path }), read({ path: `${path}/context` })])
    withContext.push(performance.now() - started)
  }
  return failed.length === 0 ? null : { alone: median(alone), withContext: median(withContext) }
}

/** Begins to remove what is older than 60 days, and attempts older than 30. `stop` returns how many were removed. */
async function removeOld(deps: RuntimeDeps) {
  const { db } = deps
  await sql`update runtime.retention set due_at = clock_timestamp()`.execute(db)
  const before = await readRetention(db)
  const retention = startRetention(deps, { operationsDays: 60, attemptsDays: 30, pollMs: 10 })
  return {
    async stop() {
      await retention.stop()
      const after = await readRetention(db)
      return {
        operations: after.operations - before.operations,
        attempts: after.attempts - before.attempts,
      }
    },
  }
}
