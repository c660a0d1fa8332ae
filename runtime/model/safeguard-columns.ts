import type { Generated } from 'kysely'
import type { STANDINGS } from '#contract/runtime-api/vocabulary.ts'

/** Of an installation. All null unless it is pinned; the versions are one, or the beginning of some with `.x`. */
export interface PinColumns {
  pinned_to: Generated<string | null>
  pinned_at: Generated<string | null>
  pinned_by_id: Generated<string | null>
  pinned_by_name: Generated<string | null>
  pinned_reason: Generated<string | null>
}

/** What is paused: exactly one of the three. */
export interface PauseTable {
  operation_id: string | null
  scope_id: number | null
  plugin_id: string | null
  paused_at: Generated<string>
  paused_by_id: string
  paused_by_name: string
  reason: string
}

/** Of a published version. All null unless it is deprecated or recalled. */
export interface StandingColumns {
  standing: Generated<(typeof STANDINGS)[number] | null>
  standing_message: Generated<string | null>
  standing_at: Generated<string | null>
  standing_by_id: Generated<string | null>
  standing_by_name: Generated<string | null>
}
