import type { ColumnType, Generated } from 'kysely'
import type { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import type { Runbook } from '#contract/runtime-api/plugins.ts'
import type { UncheckedPlugin } from '#contract/runtime-api/plans.ts'
import type { PluginReport } from '#contract/runtime-api/plugin-reports.ts'
import type { PluginRead, PluginRefusal } from '#contract/runtime-api/vocabulary.ts'

type Time = Generated<string>

export interface RegistrationRow {
  plugin_id: string
  endpoint: string
  /** Since when it has this endpoint; absent where an operation is leased together with its first attempt. */
  endpoint_since?: string
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
  /** Whether the plugin is gone for good; it is never called again, whether or not it is enabled. */
  retired: boolean
  /** Whether it is not called until somebody resumes it. */
  paused: boolean
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

/** The registrations. */
export interface PluginTable {
  plugin_id: string
  title: string
  endpoint: string
  enabled: boolean
  timeout_ms: number | null
  max_attempts: number | null
  max_backoff_ms: number | null
  owner_team: string | null
  owner_contact: string | null
  version: string | null
  runbooks: ColumnType<Runbook[], string | undefined, string>
  /** Addresses with placeholders. */
  logs_link: string | null
  traces_link: string | null
  updated_at: Time
  /** All null unless the plugin is retired. */
  retired_at: string | null
  retired_by_id: string | null
  retired_by_name: string | null
  retired_reason: string | null
  /** Not part of the registration. */
  paused: Generated<boolean>
  resumed_at: string | null
}

/** What this platform refused plugins that read from it. */
export interface PluginRefusalTable {
  plugin_id: string
  endpoint: PluginRead
  rule: PluginRefusal
  code: string
  bundle_install_id: string | null
  locator: string | null
  property: string | null
  service_id: string | null
  first_at: Time
  last_at: Time
  refusals: number
}

/** What this platform answered plugins that read from it, one row a minute for what is the same. */
export interface PluginReadTable {
  plugin_id: string
  endpoint: PluginRead
  bundle_install_id: string | null
  locator: string | null
  property: string | null
  minute: string
  last_at: string
  calls: number
}
