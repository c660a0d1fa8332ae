import { uuidv7 } from '#http-kit/random.ts'
import { detachPlan } from '../../engine/plans/detach-plan.ts'
import { DomainError } from '../../engine/refusals.ts'
import { mergedWrites } from '../../engine/steps/plugin-writes.ts'
import { operationView, protectionOf } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Vault } from '../../model/vault.ts'
import { scopeOf, findScope, lockScope } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import { lockInstallation, findInstallation } from '../../store/installations/installations.ts'
import { readLedger } from '../../store/installations/ledger.ts'
import { callOf, readCalls } from '../../store/operations/calls.ts'
import { findOperation } from '../../store/operations/operations.ts'
import { readPlan } from '../../store/operations/plans.ts'
import { handOver, nameSuccessor } from '../../store/operations/runs.ts'
import { recordAudit } from '../audit/record.ts'
import { authorizeObject, notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { admit, eachTime, wayOf } from '../gate/admit.ts'
import type { Once, Way } from '../gate/admit.ts'
import { countValues, planOrRefuse, operationPlan, planAt, Refusals } from '../plans/plan-view.ts'
import type { OperationEvaluation } from '../plans/plan-view.ts'
import { freezeOperation } from './freeze.ts'
import { lockOperationFor, notFailedInRun } from './runs.ts'

type Name = 'POST /operations/{operationId}/takeover'

/**
 * Takes over a FAILED operation, even a DETACH, with a new DETACH: the operation becomes TAKEN_OVER, and its claim
 * moves. Refuses with TAKEOVER_NOT_ALLOWED if it is not FAILED, or has failed again since the person saw it.
 */
export async function takeOverOperation(
  context: WriteContext,
  { params, body }: Input<Name>,
): Promise<Answer<Name>> {
  const { tx, actor, deps } = context
  const scope = await authorizeObject(tx, actor, 'operation:takeover', params)
  // as for every new operation: anyone who pauses the scope or protects the installation meanwhile waits, and sees it
  await lockScope(tx, scope)
  const failed = await lockOperationFor(context, 'operation:takeover', params.operationId)
  const installation = await lockInstallation(tx, failed.bundle_install_id)
  const way = wayOf(context, body)
  const evaluation = await evaluateTakeover({ db: tx, vault: deps.vault, actor, way }, failed, body.run)
  countValues(context, [evaluation.plan])
  const plan = await planOrRefuse({ db: tx, vault: deps.vault }, evaluation, body.planToken)
  if (!(await handOver(tx, failed.operation_id, body.run))) throw new Error('a FAILED operation has no claim')
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'DETACH',
    currentVersion: installation.version,
    targetVersion: failed.target_version,
    plan,
    actor,
    reason: body.reason,
    admission: evaluation.admission,
    takesOver: failed.operation_id,
  })
  await nameSuccessor(tx, failed.operation_id, operation.operation_id)
  await recordAudit(tx, actor, {
    action: 'operation.takeover',
    subject: `${failed.operation_type} of ${failed.installation_title}`,
    scope: scopeOf(failed),
    bundleInstallId: failed.bundle_install_id,
    operationId: operation.operation_id,
    reason: body.reason,
    overridden: evaluation.admission.overridden,
  })
  await emitEvents(tx, [{ kind: 'operation', scopeId: failed.scope_id, objectId: failed.operation_id }])
  return { operation: operationView(operation) }
}

/** What a takeover would do. */
export function planTakeover(
  context: ReadContext,
  { params, body }: Input<`${Name}/plan`>,
): Promise<Answer<`${Name}/plan`>> {
  const { actor, deps } = context
  return planAt(context, async (db) => {
    await authorizeObject(db, actor, 'operation:takeover', params)
    const operation = await findOperation(db, params.operationId)
    if (operation === undefined) throw notFound('operation')
    const reading = { db, vault: deps.vault, actor, way: {} }
    const evaluation = await evaluateTakeover(reading, operation, body.run)
    countValues(context, [evaluation.plan])
    return operationPlan(db, deps, evaluation)
  })
}

/**
 * What a takeover of a FAILED operation would do, and every reason to refuse it. Writes nothing.
 */
export async function evaluateTakeover(
  { db, vault, actor, way, once = eachTime }: { db: Db; vault: Vault; actor: Actor; way: Way; once?: Once },
  failed: OperationRow,
  run: number,
): Promise<OperationEvaluation> {
  const installation = await findInstallation(db, failed.bundle_install_id)
  const scope = await findScope(db, scopeOf(failed))
  if (installation === undefined || scope === undefined) throw notFound('installation')
  const refusals = new Refusals()
  const problem = notFailedInRun(failed, run)
  if (problem !== null) refusals.list.push(new DomainError('TAKEOVER_NOT_ALLOWED', problem))
  const admission = await admit(
    db,
    actor,
    { kind: 'TAKEOVER', scope: scopeOf(failed), protection: protectionOf(installation) },
    way,
    once,
  )
  refusals.add(admission.problems)
  const ledger = await readLedger(db, vault, [failed.bundle_install_id])
  const calls = (await readCalls(db, vault, failed.operation_id)).map(callOf)
  const takenOver = {
    plan: await readPlan(db, vault, failed.operation_id),
    writes: mergedWrites(calls, failed.operation_type),
  }
  return {
    operationType: 'DETACH',
    installation,
    bundle: {
      environmentKey: installation.bundle_environment_key,
      bundleId: installation.bundle_id,
    },
    scope: scopeOf(scope),
    snapshotVersion: scope.snapshot_version,
    currentVersion: installation.version,
    targetVersion: failed.target_version,
    // no other plugins: a plan has all plugins of the installed version, so the plan taken over has them
    plan: detachPlan({ ledger, plugins: [], takenOver }),
    ledger,
    unchecked: new Map(),
    admission,
    refusals: refusals.list,
  }
}
