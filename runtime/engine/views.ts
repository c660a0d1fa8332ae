import { isFromPlugin, reasonOf } from '#contract/protocol/messages.ts'
import type { InstallationIdentity } from '#contract/protocol/scope.ts'
import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { Claim } from '#contract/runtime-api/claim.ts'
import type { NextStep, Failure } from '#contract/runtime-api/common.ts'
import type { Installation, Pin, Protection } from '#contract/runtime-api/installations.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { PluginLinks, PluginOwner, Retirement } from '#contract/runtime-api/plugins.ts'
import { CLAIM_STATES } from '#contract/runtime-api/vocabulary.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type {
  ClaimColumns,
  InstallationIdentityColumns,
  InstallationRow,
  InstallationViewRow,
} from '../model/installation.ts'
import type { OperationRow } from '../model/operation.ts'
import { SITUATIONS } from '../model/situations.ts'
import type { Obstacle, Situation } from '../model/situations.ts'

/**
 * An operation, with the attempts of its current call in this run, the title of its installation, and what stands in its way.
 * Without a number, there are no attempts yet; what else is absent was not read.
 */
type OperationRowWithCall = OperationRow & {
  call_attempts?: number
  installation_title?: string
  obstacle?: Obstacle | null
}

/** An operation as the runtime API returns it. */
export function operationView(row: OperationRowWithCall): Operation {
  return {
    operationId: row.operation_id,
    operationType: row.operation_type,
    currentVersion: row.current_version,
    targetVersion: row.target_version,
    installation: {
      environmentKey: row.environment_key,
      applicationRuntimeId: row.application_runtime_id,
      workspaceId: row.workspace_id,
      bundleInstallId: row.bundle_install_id,
      bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
    },
    ...(row.installation_title !== undefined && { title: row.installation_title }),
    executionSequence: row.execution_sequence,
    run: row.run,
    state: row.state,
    phase: row.phase,
    call: callOf(row),
    takesOver: row.takes_over,
    takenOverBy: row.taken_over_by,
    failure: row.failure,
    causeId: row.state === 'FAILED' || row.state === 'TAKEN_OVER' ? row.cause_id : null,
    requestedBy: { id: row.requested_by_id, name: row.requested_by_name },
    assignee: assigneeOf(row),
    reason: row.reason,
    ...(row.overridden && { overridden: true }),
    ...(row.change_request_id !== null && { changeRequestId: row.change_request_id }),
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    nextAttemptAt: row.next_attempt_at,
    inDoubtSince: row.in_doubt_since,
    runStartedAt: row.run_started_at ?? row.started_at,
    earlierRunsMs: row.earlier_runs_ms,
    nextStep: nextStepOf(row),
    retryHelps: situationOf(row).retryHelps,
  }
}

/** The person who works on an operation; null if nobody does. */
export function assigneeOf({ assignee_id: id, assignee_name: name }: OperationRow): Operation['assignee'] {
  return id === null || name === null ? null : { id, name }
}

/** An unfinished operation is at the call of its next plugin; a failed one is at the call that failed. */
function callOf({
  state,
  phase,
  failure,
  next_plugin,
  call_attempts = 0,
}: OperationRowWithCall): Operation['call'] {
  if (state === 'SUCCEEDED' || (phase !== 'BEFORE_RESOURCES' && phase !== 'AFTER_RESOURCES')) return null
  // the error path of a failed call names its plugin after the runtime
  const pluginId = failure === null ? next_plugin : (failure.errorPath?.[1] ?? '')
  return pluginId === '' ? null : { pluginId, attempts: call_attempts }
}

/** Of the calls of an operation the one that it is at, or failed at. */
export function currentCallOf<Row extends { stage: Stage; plugin_id: string }>(
  operation: OperationRow,
  calls: readonly Row[],
): Row | undefined {
  const at = callOf(operation)
  return calls.find(({ stage, plugin_id }) => stage === operation.phase && plugin_id === at?.pluginId)
}

/** An installation as a row of a list. */
export function installationView(row: InstallationViewRow): Installation {
  const protection = protectionOf(row)
  const pin = pinOf(row)
  return {
    installation: identityOf(row),
    title: row.title,
    state: row.state,
    version: row.version,
    ...(row.version_standing != null && { standing: row.version_standing }),
    upgradeTo: row.upgrade_to,
    claim: claimOf(row),
    ...(protection !== null && { protection }),
    ...(pin !== null && { pin }),
    nextStep: nextStepOfInstallation(row),
    updatedAt: row.updated_at,
  }
}

export function identityOf(row: InstallationIdentityColumns): InstallationIdentity {
  return {
    environmentKey: row.environment_key,
    applicationRuntimeId: row.application_runtime_id,
    workspaceId: row.workspace_id,
    bundleInstallId: row.bundle_install_id,
    bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
  }
}

/** The claim on an installation, or null if it is not claimed. */
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

/** What the claiming operation needs next. */
function nextStepOfInstallation(row: InstallationRow): NextStep {
  if (row.claim_state === null) return nothingNext(row.updated_at)
  return nextStepOf({
    state: row.claim_state,
    operation_type: row.claim_operation_type ?? undefined,
    failure: row.claim_failure,
    in_doubt_since: row.claim_in_doubt_since,
    obstacle: row.claim_obstacle,
    created_at: row.claim_since ?? row.updated_at,
    started_at: row.claim_started_at,
    run_started_at: row.claim_run_started_at,
    finished_at: row.claim_finished_at,
  })
}

/** The columns of an operation that decide its situation. */
interface SituationColumns {
  state: OperationState
  /** Absent, like the others, if nothing stands in its way. */
  operation_type?: OperationType | undefined
  failure: Failure | null
  in_doubt_since?: string | null
  obstacle?: Obstacle | null
}

/** The columns of an operation that decide its next step. */
interface OperationProgressColumns extends SituationColumns {
  created_at: string
  started_at: string | null
  run_started_at: string | null
  finished_at: string | null
}

/**
 * Who acts next on an operation, what they do, and since when it has been in this situation. If somebody else has to act
 * before a retry can help, support retries afterwards.
 */
export function nextStepOf(operation: OperationProgressColumns): NextStep {
  const { state, created_at: created, finished_at: finished } = operation
  const started = operation.run_started_at ?? operation.started_at
  const { actor, action, retryHelps } = situationOf(operation)
  const since = state === 'RUNNING' || state === 'WAITING' ? (started ?? created) : (finished ?? created)
  const isRetryNext = actor !== 'SUPPORT' && (retryHelps === 'YES' || retryHelps === 'AFTER_CHANGE')
  return { actor, action, since, ...(isRetryNext && { afterwards: { actor: 'SUPPORT', action: 'RETRY' } }) }
}

/** An installation that no operation claims needs nothing; otherwise it needs what that operation needs. */
const nothingNext = (since: string): NextStep => ({ actor: 'NOBODY', action: 'NONE', since })

export function situationOf(operation: SituationColumns): Situation {
  const { state, failure, operation_type: type, in_doubt_since: inDoubtSince } = operation
  const found = SITUATIONS.find(
    (situation) =>
      situation.states.includes(state) &&
      ((inDoubtSince ?? null) !== null || situation.isInDoubt !== true) &&
      (situation.obstacle === undefined || situation.obstacle === operation.obstacle) &&
      (situation.isDetach !== true || type === 'DETACH') &&
      fits(situation, failure),
  )
  if (found === undefined) throw new TypeError(`no situation matches an operation that is ${state}`)
  return found
}

function fits(
  { reasons, statuses, asksToWait, ofPlugin, readsWrites, refusals }: Situation,
  failure: Failure | null,
): boolean {
  if (reasons === undefined && ofPlugin === undefined && refusals === undefined) return true
  if (failure === null) return false
  if (refusals !== undefined)
    return failure.refusedHere !== undefined && refusals.includes(failure.refusedHere.rule)
  if (readsWrites === true && failure.readsWrites !== true) return false
  if (asksToWait === true && failure.retryFrom === undefined) return false
  if (ofPlugin !== undefined) return isFromPlugin(failure) && failure.retryable === ofPlugin.retryable
  const reason = reasonOf(failure)
  if (reasons?.some((one) => one === reason) !== true) return false
  return statuses === undefined || statuses.includes(Number(failure.parameters?.['status']))
}

/** The protection of an installation as the runtime API returns it; null unless it is protected. */
export function protectionOf(
  row: Pick<InstallationRow, 'protected_at' | 'protected_by_id' | 'protected_by_name' | 'protected_reason'>,
): Protection | null {
  if (row.protected_at === null) return null
  const by = { id: row.protected_by_id ?? '', name: row.protected_by_name ?? '' }
  return { at: row.protected_at, by, reason: row.protected_reason ?? '' }
}

/** The pin of an installation as the runtime API returns it; null unless it is pinned. */
export function pinOf(
  row: Pick<InstallationRow, 'pinned_to' | 'pinned_at' | 'pinned_by_id' | 'pinned_by_name' | 'pinned_reason'>,
): Pin | null {
  if (row.pinned_to === null || row.pinned_at === null) return null
  const by = { id: row.pinned_by_id ?? '', name: row.pinned_by_name ?? '' }
  return { versions: row.pinned_to, at: row.pinned_at, by, reason: row.pinned_reason ?? '' }
}

/** The retirement of a plugin as the runtime API returns it; null unless it is retired. */
export function retirementOf(row: {
  retired_at: string | null
  retired_by_id: string | null
  retired_by_name: string | null
  retired_reason: string | null
}): Retirement | null {
  if (row.retired_at === null) return null
  const by = { id: row.retired_by_id ?? '', name: row.retired_by_name ?? '' }
  return { at: row.retired_at, by, reason: row.retired_reason ?? '' }
}

/** The owner of a plugin as the runtime API returns it; null if none is registered. */
export function ownerOf({
  owner_team: team,
  owner_contact: contact,
}: {
  owner_team: string | null
  owner_contact: string | null
}): PluginOwner | null {
  return team === null ? null : { team, ...(contact !== null && { contact }) }
}

/** Where the logs and traces of a plugin are, as the runtime API returns it; nothing if neither is registered. */
export function linksOf({
  logs_link: logs,
  traces_link: traces,
}: {
  logs_link: string | null
  traces_link: string | null
}): { links?: PluginLinks } {
  if (logs === null && traces === null) return {}
  return { links: { ...(logs !== null && { logs }), ...(traces !== null && { traces }) } }
}
