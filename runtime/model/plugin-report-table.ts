import type { ColumnType, Generated } from 'kysely'
import type { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import type { PluginReport } from '#contract/runtime-api/plugin-reports.ts'

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
