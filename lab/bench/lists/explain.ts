import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { valueTypes } from '#database/values.ts'
import type { Actor } from '#runtime/model/actor.ts'
import {
  listInstalledVersions,
  listInstallations,
  listVersionsByScope,
} from '#runtime/use-cases/installations/read.ts'
import { listPropertyValues } from '#runtime/use-cases/configuration/list-property-values.ts'
import { countFailureHours, listCauses } from '#runtime/use-cases/operations/causes.ts'
import {
  countOperations,
  listOperations,
  countMatchingOperations,
} from '#runtime/use-cases/operations/list.ts'
import { listScopes, readSummary } from '#runtime/use-cases/overview/overview.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import type { Case } from './cases.ts'

/** Runs one request, and returns what EXPLAIN ANALYZE says about each of its queries. */
export async function explain(
  connection: ConnectionSettings,
  { deps, actor, listCase }: { deps: RuntimeDeps; actor: Actor; listCase: Case },
): Promise<string> {
  const pool = new pg.Pool({ ...clientConfig(connection), types: valueTypes, max: 1 })
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<RuntimeTables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query: { sql, parameters } }) => void statements.push({ sql, parameters }),
  })
  await runCase({ deps: { ...deps, db }, actor }, listCase)
  const plans: string[] = []
  for (const { sql, parameters } of statements) {
    if (!/^\s*(select|with)/i.test(sql)) continue
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, buffers, costs off, timing off) ${sql}`,
      [...parameters],
    )
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  await db.destroy()
  return plans.join('\n\n')
}

function runCase(context: { deps: RuntimeDeps; actor: Actor }, { path, query }: Case): Promise<unknown> {
  const params = {}
  const body = undefined
  switch (path) {
    case '/operations': {
      const parsed = runtimeApi['GET /operations'].query.parse(query)
      return listOperations(context, { params, body, query: parsed })
    }
    case '/operations/counts': {
      const parsed = runtimeApi['GET /operations/counts'].query.parse(query)
      return countOperations(context, { params, body, query: parsed })
    }
    case '/operations/total': {
      const parsed = runtimeApi['GET /operations/total'].query.parse(query)
      return countMatchingOperations(context, { params, body, query: parsed })
    }
    case '/installations': {
      const parsed = runtimeApi['GET /installations'].query.parse(query)
      return listInstallations(context, { params, body, query: parsed })
    }
    case '/installed-versions': {
      const parsed = runtimeApi['GET /installed-versions'].query.parse(query)
      return listInstalledVersions(context, { params, body, query: parsed })
    }
    case '/installed-versions/scopes': {
      const parsed = runtimeApi['GET /installed-versions/scopes'].query.parse(query)
      return listVersionsByScope(context, { params, body, query: parsed })
    }
    case '/properties': {
      const parsed = runtimeApi['GET /properties'].query.parse(query)
      return listPropertyValues(context, { params, body, query: parsed })
    }
    case '/causes': {
      const parsed = runtimeApi['GET /causes'].query.parse(query)
      return listCauses(context, { params, body, query: parsed })
    }
    case '/causes/hours': {
      const parsed = runtimeApi['GET /causes/hours'].query.parse(query)
      return countFailureHours(context, { params, body, query: parsed })
    }
    case '/summary': {
      const parsed = runtimeApi['GET /summary'].query.parse(query)
      return readSummary(context, { params, body, query: parsed })
    }
    case '/scopes': {
      const parsed = runtimeApi['GET /scopes'].query.parse(query)
      return listScopes(context, { params, body, query: parsed })
    }
  }
}

/** The access paths of a query plan: what it scans, and with which index. */
export function accessPathsOf(plan: string): string {
  const scans =
    plan.match(/(?:Index Only|Index|Bitmap Heap|Bitmap Index|Seq|Parallel Seq) Scan[^(\n]*/g) ?? []
  const names = scans.map((scan) => scan.replace(/ Backward| Scan using| Scan on| Scan/g, '').trim())
  return [...new Set(names)].join('; ')
}
