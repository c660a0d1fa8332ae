import type { ColumnType, Generated } from 'kysely'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { CauseState } from '#contract/runtime-api/vocabulary.ts'

/** What solved a cause: a retry, with its scope, or what a person says. */
export interface StoredSolution {
  by: Person
  reason: string | null
  operationId?: string
  run?: number
  scope?: Scope
}

/** Triggers write it with the operations that fail and recover. */
export interface CauseTable {
  cause_id: string
  /** Null if the runtime itself failed. */
  plugin_id: string | null
  error_code: string
  shape: string
  state: Generated<CauseState>
  assignee_id: string | null
  assignee_name: string | null
  waiting_for: string | null
  opened_at: string
  solved_at: string | null
  solved_by: ColumnType<StoredSolution | null, string | null | undefined, string | null>
  updated_at: Generated<string>
}

export interface CauseNoteTable {
  cause_id: string
  /** From 1, without gaps. */
  number: number
  author_id: string
  author_name: string
  at: Generated<string>
  text: string
}
