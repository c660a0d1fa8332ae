import { reasonOf, shownCode } from '#contract/protocol/messages.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { STAGES } from '#contract/protocol/vocabulary.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Attempt, OperationDetail, PluginCall } from '#contract/runtime-api/operations.ts'
import type { Phase, StepState } from '#contract/runtime-api/vocabulary.ts'
import type { NoteRow } from '../../store/operations/operations.ts'
import { noteView } from './annotate.ts'
import type { RetryRow } from '../../store/operations/runs.ts'
import { callLimits } from '../../engine/steps/prepare-call.ts'
import { currentCallOf, linksOf, ownerOf, operationView, retirementOf } from '../../engine/views.ts'
import type { EndpointRow, PluginRow } from '../../store/plugins/plugins.ts'
import { interrupted, maskFailure } from '../../engine/calls/failures.ts'
import { maskEvidence } from '../../engine/calls/wire-evidence.ts'
import { refusedWriteOf } from '../../engine/calls/refused-write.ts'
import { isResultUnknown } from '../../engine/calls/answer.ts'
import type { AttemptResult } from '../../model/call.ts'
import type { AttemptRow, ResultCount } from '../../store/operations/attempts.ts'
import type { CallRow } from '../../store/operations/calls.ts'
import { maskRequest, maskResponse, sensitiveValues } from '../../engine/calls/sensitive-values.ts'
import type { IsSensitive } from '../../engine/calls/sensitive-values.ts'
import { inCallOrder } from '../../engine/steps/next-step.ts'
import type { FrozenPlan, PlannedChange } from '../../model/plan.ts'
import { changeView, propertyView } from '../../engine/changes/change-view.ts'
import type { OperationRow } from '../../model/operation.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

export interface OperationRows {
  operation: OperationRow
  /** With later sensitive marks applied. */
  plan: FrozenPlan
  /** The changes of the plan that put a value aside, by the definitions without later marks. */
  putAside: ReadonlySet<PlannedChange>
  calls: readonly CallRow[]
  /** All attempts, or the first and the last of each call. */
  attempts: readonly AttemptRow[]
  /** Counts the attempts that are left out. */
  results: readonly ResultCount[]
  /** The results of calls that did not succeed in the operations that it took over. */
  takenOver: readonly (AttemptResult & { plugin_id: string })[]
  retries: readonly RetryRow[]
  notes: readonly NoteRow[]
  /** The operation that took it over. */
  successor: OperationRow | undefined
  /** The registrations of its plugins. */
  plugins: readonly PluginRow[]
  /** Their endpoints since the operation was created, newest first. */
  endpoints: readonly EndpointRow[]
  batches: NonNullable<OperationDetail['batches']>
  attemptsRemoved: boolean
  /** The `plugins` of the manifest of the target version, unchecked; undefined if they are not needed. */
  bindings: JsonValue | undefined
}

/** An operation with its plan, calls and attempts, for display. */
export function operationDetail(rows: OperationRows): OperationDetail {
  const { operation, plan, calls } = rows
  const resourcesState = stateOf('RESOURCES', operation)
  const masks = masksOf(rows)
  return {
    ...operationView({ ...operation, call_attempts: currentCallOf(operation, calls)?.run_attempts ?? 0 }),
    failure: maskFailure(operation.failure, masks.secrets),
    refusedWrite: refusedWriteOf(operation, plan, rows.bindings),
    stages: STAGES.map((stage) => {
      const ofStage = calls
        .filter((call) => call.stage === stage)
        .map((row) => ({ row, order: row.call_order, pluginId: row.plugin_id }))
      return {
        stage,
        state: stateOf(stage, operation),
        calls: inCallOrder(ofStage, operation.operation_type).map(({ row }) => callView(row, rows, masks)),
      }
    }),
    resources: plan.resources.map(({ locator, action, currentVersion, targetVersion }) => ({
      locator,
      action,
      currentVersion,
      targetVersion,
      state: resourcesState,
    })),
    changes: plan.changes.map((change) => ({
      ...changeView(change, definitionOf(plan, change.locator, change.property)),
      ...(rows.putAside.has(change) && { isPutAside: true as const }),
    })),
    retries: rows.retries.map((retry) => ({
      run: retry.run,
      startedAt: retry.started_at,
      startedBy: { id: retry.started_by_id, name: retry.started_by_name },
      reason: retry.reason,
      failedAt: retry.failed_at,
      failure: maskFailure(retry.failure, masks.secrets),
    })),
    takeover:
      rows.successor === undefined
        ? null
        : {
            at: rows.successor.created_at,
            by: { id: rows.successor.requested_by_id, name: rows.successor.requested_by_name },
            reason: rows.successor.reason,
          },
    notes: rows.notes.map(noteView),
    attemptsRemoved: rows.attemptsRemoved,
    batches: rows.batches,
    plugins: rows.plugins.map((row) => {
      const { timeoutMs, maxAttempts } = callLimits(row)
      return {
        pluginId: row.plugin_id,
        title: row.title,
        endpoint: row.endpoint,
        endpoints: rows.endpoints
          .filter(({ plugin_id }) => plugin_id === row.plugin_id)
          .map(({ since, endpoint }) => ({ since, endpoint })),
        enabled: row.enabled,
        retired: retirementOf(row),
        owner: ownerOf(row),
        ...runbooksFor(row, rows),
        ...linksOf(row),
        timeoutMs,
        maxAttempts,
      }
    }),
  }
}

/** The runbooks for the codes with which the calls of the plugin, or the operation, failed. */
function runbooksFor(
  { plugin_id, runbooks }: PluginRow,
  { operation, attempts, retries }: OperationRows,
): Pick<OperationDetail['plugins'][number], 'runbooks'> {
  const failures = [
    operation.failure,
    ...retries.map(({ failure }) => failure),
    ...attempts.filter((attempt) => attempt.plugin_id === plugin_id).map(({ failure }) => failure),
  ]
  const codes = new Set(
    failures.flatMap((failure) => (failure ? [failure.errorCode, shownCode(failure)] : [])),
  )
  const found = runbooks.filter(({ errorCode }) => codes.has(errorCode))
  return found.length === 0 ? {} : { runbooks: found }
}

const PHASE_ORDER: readonly Phase[] = ['BEFORE_RESOURCES', 'RESOURCES', 'AFTER_RESOURCES', 'DONE']

/**
 * A phase that the operation has passed is done, a later one is pending; the current one has the state of the
 * operation.
 */
function stateOf(phase: Stage | 'RESOURCES', operation: OperationRow): StepState {
  const distance = PHASE_ORDER.indexOf(operation.phase) - PHASE_ORDER.indexOf(phase)
  if (distance > 0) return 'DONE'
  if (distance < 0 || operation.state === 'PENDING') return 'PENDING'
  return operation.state === 'FAILED' || operation.state === 'TAKEN_OVER' ? 'FAILED' : 'RUNNING'
}

/** What to mask in an operation: texts that contain a secret, and the values of sensitive properties. */
export interface Masks {
  secrets: readonly JsonValue[]
  isSensitive: IsSensitive
}

export function masksOf({ plan, calls }: Pick<OperationRows, 'plan' | 'calls'>): Masks {
  return {
    secrets: sensitiveValues(
      plan,
      calls.map(({ writes }) => writes),
    ),
    isSensitive: (locator, property) => {
      const definition = definitionOf(plan, locator, property)
      return definition === undefined || definition.isSensitive === true
    },
  }
}

function callView(
  row: CallRow,
  { operation, plan, attempts, results, takenOver }: OperationRows,
  masks: Masks,
): PluginCall {
  const request = row.request === null ? null : maskRequest(row.request, masks.secrets, masks.isSensitive)
  const isOwn = (of: { stage: Stage; plugin_id: string }) =>
    of.stage === row.stage && of.plugin_id === row.plugin_id
  const ofCall = attempts.filter(isOwn)
  const shown = ofCall.map((attempt) => attemptView(attempt, row, operation, masks))
  const uncertain = [
    ...shown.filter(isUncertain).map(() => 1),
    ...results.filter((result) => isOwn(result) && isResultUnknown(result)).map(({ attempts }) => attempts),
  ]
  const uncertainAttempts = uncertain.reduce((sum, count) => sum + count, 0)
  // a plugin knows what it did before; the platform, which answers in its place, does not
  const isInItsPlace = ofCall.findLast(({ late }) => !late)?.by_platform === true
  const isUnknownBefore = takenOver.some(
    (result) => result.plugin_id === row.plugin_id && isResultUnknown(result),
  )
  return {
    pluginId: row.plugin_id,
    order: row.call_order,
    outcome: row.outcome,
    runAttempts: row.run_attempts,
    uncertainAttempts,
    ...(isInItsPlace && (uncertainAttempts > 0 || isUnknownBefore) && { effectUnknown: true as const }),
    request,
    attempts: shown,
    writes: Object.entries(row.writes ?? {}).flatMap(([locator, properties]) =>
      Object.entries(properties).flatMap(([property, written]) => {
        const value = propertyView(definitionOf(plan, locator, property), written)
        return value === null ? [] : [{ locator, property, value }]
      }),
    ),
  }
}

/** An attempt for display. It is masked again: a value may have become sensitive after it was recorded. */
export function attemptView(
  attempt: AttemptRow,
  call: CallRow,
  operation: OperationRow,
  { secrets, isSensitive }: Masks,
): Attempt {
  // nothing was sent for an attempt of the platform, so nothing of it is unknown
  const isInterrupted =
    attempt.finished_at === null && !attempt.by_platform && !isInProgress(attempt, call, operation)
  return {
    attempt: attempt.attempt,
    run: attempt.run,
    late: attempt.late,
    dueAt: attempt.due_at,
    startedAt: attempt.started_at,
    durationMs: attempt.duration_ms,
    timing: timingOf(attempt),
    outcome: attempt.outcome,
    failure: isInterrupted
      ? interrupted(attempt.plugin_id, attempt.lost_by)
      : maskFailure(attempt.failure, secrets),
    httpStatus: attempt.http_status,
    response: maskResponse(attempt.response, secrets, isSensitive),
    wire: maskEvidence(attempt.wire, secrets),
    ...(attempt.by_platform && { byPlatform: true as const }),
  }
}

function timingOf(attempt: AttemptRow): Attempt['timing'] {
  const { sent_ms: sentMs, connected_ms: connectedMs, answered_ms: answeredMs, ended_ms: endedMs } = attempt
  return sentMs === null || endedMs === null ? null : { sentMs, connectedMs, answeredMs, endedMs }
}

function isInProgress(attempt: AttemptRow, call: CallRow, operation: OperationRow): boolean {
  return (
    attempt.finished_at === null &&
    operation.state === 'RUNNING' &&
    attempt.attempt === call.attempts &&
    attempt.lease_epoch === operation.lease_epoch
  )
}

const isUncertain = ({ outcome, failure }: Attempt): boolean =>
  isResultUnknown({
    // one in progress has neither an outcome nor a failure
    finished: true,
    outcome,
    failed: failure !== null,
    reason: failure && reasonOf(failure),
  })

function definitionOf(plan: FrozenPlan, locator: string, property: string) {
  const resource = resourceAt(plan.resources, locator)
  return resource === undefined ? undefined : getOwn(resource.definitions, property)
}
