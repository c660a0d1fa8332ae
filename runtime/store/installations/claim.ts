import type { Selectable } from 'kysely'
import type { Claim } from '#contract/runtime-api/installations.ts'
import { CLAIM_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { RuntimeTables } from '../../model/tables.ts'

type OperationColumns = Selectable<RuntimeTables['runtime.operation']>

/** The columns of the claiming operation as a left join gives them: all null where nothing claims. */
export interface ClaimColumns {
  claim_operation_id: OperationColumns['operation_id'] | null
  claim_operation_type: OperationColumns['operation_type'] | null
  claim_state: OperationColumns['state'] | null
  claim_since: OperationColumns['created_at'] | null
  claim_requested_by_id: OperationColumns['requested_by_id'] | null
  claim_requested_by_name: OperationColumns['requested_by_name'] | null
}

/** To select after `left join runtime.operation as claim on … and claim.holds_claim`. */
export const claimColumns = [
  'claim.operation_id as claim_operation_id',
  'claim.operation_type as claim_operation_type',
  'claim.state as claim_state',
  'claim.created_at as claim_since',
  'claim.requested_by_id as claim_requested_by_id',
  'claim.requested_by_name as claim_requested_by_name',
] as const

export function claimOf(row: ClaimColumns): Claim | null {
  const state = CLAIM_STATES.find((claiming) => claiming === row.claim_state)
  if (
    state === undefined ||
    row.claim_operation_id === null ||
    row.claim_operation_type === null ||
    row.claim_since === null
  ) {
    return null
  }
  return {
    operationId: row.claim_operation_id,
    operationType: row.claim_operation_type,
    state,
    since: row.claim_since,
    requestedBy: { id: row.claim_requested_by_id ?? '', name: row.claim_requested_by_name ?? '' },
  }
}
