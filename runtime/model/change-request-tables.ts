import type { ColumnType, Generated } from 'kysely'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import type { ResourceAction, Stage } from '#contract/protocol/vocabulary.ts'
import type { BatchLimits } from '#contract/runtime-api/batches.ts'
import type { ChangeRequestDetail, ShownInput } from '#contract/runtime-api/change-requests.ts'
import type { PropertyChange } from '#contract/runtime-api/common.ts'
import type { ChangeEvent, ChangeKind, ChangeState } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from './actor.ts'

type Json<T> = ColumnType<T, string, string>

/** What somebody who approved saw, without sensitive values. */
export interface ShownEffect {
  changes: PropertyChange[]
  calls: { stage: Stage; pluginId: string; order: number }[]
  resources: { locator: string; action: ResourceAction }[]
  /** Of a batch; absent in approvals of earlier versions. */
  limits?: BatchLimits
}

interface ChangeRequestTable {
  change_request_id: string
  kind: ChangeKind
  title: string
  reason: string | null
  state: ChangeState
  revision: Generated<number>
  /** Sealed; null once it has been applied or has ended. */
  content: Buffer | null
  shown_input: Json<ShownInput>
  environment_key: string | null
  application_runtime_id: string | null
  workspace_id: number | null
  bundle_install_id: string | null
  base_snapshot: number | null
  /** The runner judges it again, because a policy has changed. */
  judge_again: Generated<boolean>
  effect: string | null
  approvals_needed: Generated<number>
  conflicts: ColumnType<ChangeRequestDetail['conflicts'], string | undefined, string>
  not_before: string | null
  not_after: string | null
  time_zone: string | null
  created_by_id: string
  created_by_name: string
  author_ids: string[]
  actor: Json<Actor>
  operation_ids: Generated<string[]>
  batch_id: string | null
  overridden: Generated<boolean>
  code: string | null
  message: string | null
  parameters: ColumnType<MessageParameters | null, string | null | undefined, string | null>
  created_at: Generated<string>
  updated_at: Generated<string>
  ended_at: string | null
}

interface ChangeRequestScopeTable {
  change_request_id: string
  environment_key: string
  application_runtime_id: string
  workspace_id: number
  /** The version of the scope with which the request was judged last; null if it was not judged there, or there was no scope. */
  judged_version: string | null
}

interface ChangeApprovalTable {
  change_request_id: string
  approver_id: string
  approver_name: string
  at: Generated<string>
  revision: number
  effect: string
  shown: Json<ShownEffect>
  comment: string | null
}

interface ChangeEntryTable {
  change_request_id: string
  /** From 1, without gaps. */
  number: number
  at: Generated<string>
  by_id: string
  by_name: string
  event: ChangeEvent
  revision: number
  text: string | null
  target: ColumnType<{ locator: string; property?: string } | null, string | null, never>
  /** That asks for more approvals since then than before. */
  policy: ColumnType<{ environmentKey: string; approvals: number } | null, string | null, never>
}

interface ChangePolicyTable {
  environment_key: string
  required_for: ChangeKind[]
  approvals: number
  updated_at: Generated<string>
}

export interface ChangeRequestTables {
  'runtime.change_request': ChangeRequestTable
  'runtime.change_request_scope': ChangeRequestScopeTable
  'runtime.change_approval': ChangeApprovalTable
  'runtime.change_entry': ChangeEntryTable
  'runtime.change_policy': ChangePolicyTable
}
