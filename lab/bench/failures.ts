import { sql } from 'kysely'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { systemClock } from '#http-kit/clock.ts'
import { openDatabase } from '#database/pool.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { listFailureGroups } from '#runtime/use-cases/operations/failure-groups.ts'
import { startFilled } from './lists/server.ts'
import { person } from './person.ts'
import { median, percentile, round } from './report.ts'
import type { Result } from './report.ts'

const FAILED = 100_000
const SAMPLES = 40

/** Times the failure groups of a hundred thousand failed operations, unfiltered and filtered. */
export async function benchFailures(): Promise<Result> {
  const server = await startFilled({ installations: FAILED, operations: FAILED })
  const { db, close } = openDatabase<RuntimeTables>(server.connection, { statementTimeoutMs: 600_000 })
  // ten causes; the most frequent one has more than half of the operations
  await sql`
    update runtime.operation
    set state = 'FAILED', phase = 'AFTER_RESOURCES', finished_at = created_at,
      failure = json_build_object('errorCode', 'CODE_' || cause, 'retryable', false,
        'message', 'Tenant ' || operation_id || ' is locked by "' || cause || '".',
        'errorPath', json_build_array('bundle-runtime', 'plugin-' || cause % 10))
    from (
      select operation_id as id, floor(10 * power(row_number() over () % 997 / 997.0, 4))::int as cause
      from runtime.operation
    ) as made where operation_id = id and state <> 'FAILED'`.execute(db)
  await sql`vacuum analyze runtime.operation`.execute(db)
  // the use case reads nothing else
  const deps = { db, clock: systemClock } as unknown as RuntimeDeps
  const actor = { ...person, grants: [...person.grants], requestId: 'bench' }
  const QUERIES: Record<string, object> = {
    'first page': {},
    'an environment': { environmentKey: 'production' },
    'a plugin': { pluginId: 'plugin-0' },
    'an error code': { errorCode: 'CODE_0' },
  }
  const rows: Result['rows'] = []
  const slowest: number[] = []
  for (const [what, given] of Object.entries(QUERIES)) {
    const query = runtimeApi['GET /failure-groups'].query.parse(given)
    const times: number[] = []
    for (let attempt = 0; attempt < SAMPLES; attempt++) {
      const started = performance.now()
      await listFailureGroups({ deps, actor }, { params: {}, query, body: undefined })
      times.push(performance.now() - started)
    }
    const p95 = percentile(times, 95)
    slowest.push(p95)
    rows.push({ what, 'median ms': round(median(times)), 'p95 ms': round(p95) })
  }
  await close()
  await server.stop()
  return {
    name: 'failures',
    rows,
    figure: Math.max(...slowest),
    goal: 200,
    meaning: `The slowest p95 in ms of a page of failure groups: ${FAILED} failed operations.`,
  }
}
