import type { ColumnType, Generated } from 'kysely'
import type { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import type { UncheckedPlugin } from '#contract/runtime-api/plans.ts'
import type { PluginReport } from '#contract/runtime-api/plugin-reports.ts'

export interface RegistrationRow {
  plugin_id: string
  endpoint: string
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
}

export interface Registrations {
  /** The time of the database. */
  now: string
  byPlugin: ReadonlyMap<string, RegistrationRow>
}

/** Those of an operation's plugins that lack the report that the environment asks for, by plugin. */
export type UncheckedPlugins = ReadonlyMap<string, UncheckedPlugin>

type Summary = Pick<PluginReport, 'complete' | 'checkerVersion' | 'startedAt' | 'docsUrl' | 'totals'>

/** The last report of each version of a plugin. */
export interface PluginReportTable {
  plugin_id: string
  version: string
  passed: boolean
  report: ColumnType<PluginCheckReport, string, string>
  /** Generated from `report`. */
  summary: ColumnType<Summary, never, never>
  digest: string
  uploaded_at: Generated<string>
  uploaded_by_id: string
  uploaded_by_name: string
}
