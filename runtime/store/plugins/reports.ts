import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { PluginPolicy } from '#contract/runtime-api/plugin-reports.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import type { UncheckedPlugin } from '#contract/runtime-api/plans.ts'
import type { UncheckedPlugins } from '../../model/plugin.ts'

export type PluginReportRow = Selectable<RuntimeTables['runtime.plugin_report']>
export type ListedReportRow = Omit<PluginReportRow, 'report'>
type PolicyName = PluginPolicy['policy']

const REPORTS_MAX = 20

/** All columns but `report`, which can have a megabyte. */
const LISTED = [
  'plugin_id',
  'version',
  'passed',
  'summary',
  'digest',
  'uploaded_at',
  'uploaded_by_id',
  'uploaded_by_name',
] as const

/** Returns the newest reports of a plugin, without their cases. */
export function selectReports(db: Db, pluginId: string): Promise<ListedReportRow[]> {
  return db
    .selectFrom('runtime.plugin_report')
    .select(LISTED)
    .where('plugin_id', '=', pluginId)
    .orderBy('uploaded_at', 'desc')
    .orderBy('version', 'desc')
    .limit(REPORTS_MAX)
    .execute()
}

/** Returns the report of a version, or undefined if there is none. */
export function findReport(db: Db, pluginId: string, version: string): Promise<PluginReportRow | undefined> {
  return db
    .selectFrom('runtime.plugin_report')
    .selectAll()
    .where('plugin_id', '=', pluginId)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Stores the report of a version in place of an earlier one, and returns it. */
export function putReport(
  tx: Tx,
  row: Omit<PluginReportRow, 'uploaded_at' | 'summary'>,
): Promise<ListedReportRow> {
  const { plugin_id, version, ...rest } = row
  const columns = { ...rest, report: JSON.stringify(row.report) }
  return tx
    .insertInto('runtime.plugin_report')
    .values({ plugin_id, version, ...columns })
    .onConflict((conflict) =>
      conflict
        .columns(['plugin_id', 'version'])
        .doUpdateSet({ ...columns, uploaded_at: sql<string>`clock_timestamp()` }),
    )
    .returning(LISTED)
    .executeTakeFirstOrThrow()
}

/** Returns the stored policies by environment key. */
export function selectPluginPolicies(db: Db): Promise<Selectable<RuntimeTables['runtime.plugin_policy']>[]> {
  return db.selectFrom('runtime.plugin_policy').selectAll().orderBy('environment_key').execute()
}

/** Sets the policy of an environment; returns the one before. */
export async function putPluginPolicy(
  tx: Tx,
  environmentKey: string,
  policy: PolicyName,
): Promise<PolicyName> {
  // concurrent changes wait here, so that each records the policy that it replaced
  await sql`lock table runtime.plugin_policy in share row exclusive mode`.execute(tx)
  const before = await tx
    .selectFrom('runtime.plugin_policy')
    .select('policy')
    .where('environment_key', '=', environmentKey)
    .executeTakeFirst()
  await tx
    .insertInto('runtime.plugin_policy')
    .values({ environment_key: environmentKey, policy })
    .onConflict((conflict) => conflict.column('environment_key').doUpdateSet({ policy }))
    .execute()
  return before?.policy ?? 'IGNORE'
}

/**
 * Returns those of the plugins whose registered version has no passing report, with the policy of the environment; none
 * where it is IGNORE.
 */
export async function readUnchecked(
  db: Db,
  environmentKey: string,
  plugins: readonly { pluginId: string }[],
): Promise<UncheckedPlugins> {
  if (plugins.length === 0) return new Map()
  const { rows } = await sql<UncheckedPlugin & { pluginId: string }>`
    select named.plugin_id as "pluginId", plugin.version, policy.policy,
      case when plugin.version is null then 'NO_VERSION' when report.passed is null then 'NO_REPORT' else 'NOT_PASSED' end
        as reason
    from unnest(${plugins.map(({ pluginId }) => pluginId)}::text[]) as named (plugin_id)
    join runtime.plugin_policy as policy on policy.environment_key = ${environmentKey} and policy.policy <> 'IGNORE'
    left join runtime.plugin as plugin on plugin.plugin_id = named.plugin_id
    left join runtime.plugin_report as report
      on report.plugin_id = plugin.plugin_id and report.version = plugin.version
    where report.passed is not true
    order by named.plugin_id`.execute(db)
  return new Map(rows.map(({ pluginId, ...unchecked }) => [pluginId, unchecked]))
}
