import type { ColumnType, Generated } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Weekly } from '#contract/runtime-api/freezes.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'

/** What a person sets of a freeze. Exactly one of `environments` and `scopes` is there, and either `from` and `to` or `weekly`. */
export interface FreezeSettings {
  environments: string[] | null
  scopes: Scope[] | null
  /** RFC 3339 in UTC. */
  from: string | null
  to: string | null
  /** In the time of `timeZone`. */
  weekly: Weekly | null
  timeZone: string
  blocks: ChangeKind[]
  allowsRecovery: boolean
  message: string
}

export interface FreezeTable {
  name: string
  /** Of its environments and of its scopes. */
  environment_keys: string[]
  /** Null for a weekly one. */
  ends_at: string | null
  settings: ColumnType<FreezeSettings, string, string>
  updated_at: Generated<string>
  updated_by_id: string
  updated_by_name: string
}
