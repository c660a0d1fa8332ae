/** The columns to select after `left join runtime.operation as claim on … and claim.holds_claim`. */
export const claimColumns = [
  'claim.operation_id as claim_operation_id',
  'claim.operation_type as claim_operation_type',
  'claim.state as claim_state',
  'claim.created_at as claim_since',
  'claim.started_at as claim_started_at',
  'claim.run_started_at as claim_run_started_at',
  'claim.finished_at as claim_finished_at',
  'claim.failure as claim_failure',
  'claim.requested_by_id as claim_requested_by_id',
  'claim.requested_by_name as claim_requested_by_name',
] as const
