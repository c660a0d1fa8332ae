import type { ColumnType, Generated } from 'kysely'
import type { MessageParameters } from '#contract/protocol/envelope.ts'
import type { BatchInput, BatchSummary } from '#contract/runtime-api/batches.ts'
import type { PropertyChange } from '#contract/runtime-api/common.ts'
import type {
  BatchAction,
  BatchItemState,
  BatchReason,
  BatchState,
} from '#contract/runtime-api/vocabulary.ts'
import type { Waves } from '#contract/runtime-api/waves.ts'
import type { Actor } from './actor.ts'

type Time = Generated<string>
type Json<T> = ColumnType<T, string, string>
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>

export interface BatchTables {
  'runtime.batch': {
    batch_id: string
    action: BatchAction
    /** Empty for a batch that is named after its summary. */
    title: string
    summary: NullableJson<BatchSummary>
    /** Sealed. */
    input: Buffer
    shown_input: Json<BatchInput>
    first: number | null
    concurrency: number
    stop_after_failures: number | null
    reason: string | null
    state: BatchState
    because: BatchReason | null
    /** Its items are carried out in spite of what would refuse them. */
    overrides: Generated<boolean>
    is_released: boolean
    requested_by_id: string
    requested_by_name: string
    /** Null if nobody stopped it, or in an earlier version. */
    stopped_by_id: ColumnType<string | null, never, string>
    stopped_by_name: ColumnType<string | null, never, string>
    actor: Json<Actor>
    grants_until: string
    created_at: Time
    finished_at: string | null
    available_at: Time
    change_request_id: string | null
    /** Null if it is not divided. */
    waves: NullableJson<Waves>
    released_waves: Generated<number[]>
  }
  'runtime.batch_item': {
    batch_id: string
    position: number
    /** An operation, or an installation; of an INSTALL the id that the installation gets. */
    target: string
    /** Null until an INSTALL has started. */
    bundle_install_id: string | null
    /** Null while the scope of an INSTALL does not exist; the item then names it by its parts. */
    scope_id: number | null
    environment_key: string | null
    application_runtime_id: string | null
    workspace_id: number | null
    state: BatchItemState
    refused_in_plan: boolean
    run: number | null
    plan_token: string | null
    changes_digest: Buffer | null
    shown_values: NullableJson<PropertyChange[]>
    operation_id: string | null
    operation_run: number | null
    code: string | null
    message: string | null
    parameters: NullableJson<MessageParameters>
    start_failures: Generated<number>
    started_at: string | null
    ended_at: string | null
    /** From 1; null without waves, and if its plan refused it. */
    wave: number | null
    /** Of what it was refused for. */
    locator: string | null
    property: string | null
  }
}
