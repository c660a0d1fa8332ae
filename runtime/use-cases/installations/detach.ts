import { uuidv7 } from '#http-kit/random.ts'
import { detachPlan } from '../../engine/plans/detach-plan.ts'
import { operationView, protectionOf } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { readLedger } from '../../store/installations/ledger.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { admit, eachTime, wayOf } from '../gate/admit.ts'
import type { Once, Way } from '../gate/admit.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { countValues, planOrRefuse, planAt, operationPlan, Refusals } from '../plans/plan-view.ts'
import type { OperationEvaluation } from '../plans/plan-view.ts'
import { loadAuthorizationsOrFrozen } from './load-authorizations.ts'
import { findAuthorized, lockAuthorized, requireActive } from './lock-active.ts'
import type { FoundInstallation } from './lock-active.ts'

type Path = 'POST /installations/{bundleInstallId}/detach'

/** Detaches an ACTIVE, unclaimed installation; a failed operation is taken over instead. */
export async function detach(context: WriteContext, { params, body }: Input<Path>): Promise<Answer<Path>> {
  const { tx, actor, deps } = context
  const found = await lockAuthorized(context, params.bundleInstallId, 'installation:detach')
  const way = wayOf(context, body)
  const evaluation = await evaluateDetach({ db: tx, vault: deps.vault, actor, way }, found)
  countValues(context, [evaluation.plan])
  const plan = await planOrRefuse({ db: tx, vault: deps.vault }, evaluation, body.planToken)
  const { installation } = found
  const { scope, currentVersion, targetVersion } = evaluation
  if (targetVersion === null) throw new Error('an active installation has a version')
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'DETACH',
    currentVersion,
    targetVersion,
    plan,
    actor,
    reason: body.reason,
    admission: evaluation.admission,
  })
  await recordAudit(tx, actor, {
    action: 'installation.detach',
    subject: `${installation.title} ${currentVersion}`,
    scope,
    bundleInstallId: installation.bundle_install_id,
    operationId: operation.operation_id,
    reason: body.reason,
    overridden: evaluation.admission.overridden,
  })
  return { operation: operationView(operation) }
}

/** What a detach would do. */
export function planDetach(
  context: ReadContext,
  { params }: Input<`${Path}/plan`>,
): Promise<Answer<`${Path}/plan`>> {
  return planAt(context, async (db) => {
    const found = await findAuthorized(db, context.actor, params.bundleInstallId, 'installation:detach')
    const { deps, actor } = context
    const evaluation = await evaluateDetach({ db, vault: deps.vault, actor, way: {} }, found)
    countValues(context, [evaluation.plan])
    return operationPlan(db, deps, evaluation)
  })
}

/** What a detach would do and every reason to refuse it. Writes nothing. */
export async function evaluateDetach(
  { db, vault, actor, way, once = eachTime }: { db: Db; vault: Vault; actor: Actor; way: Way; once?: Once },
  { installation, scope }: FoundInstallation,
): Promise<OperationEvaluation> {
  const refusals = new Refusals()
  await refusals.try(() => requireActive(db, installation))
  const admission = await admit(
    db,
    actor,
    { kind: 'DETACH', scope: scopeOf(scope), protection: protectionOf(installation) },
    way,
    once,
  )
  refusals.add(admission.problems)
  const { version } = installation
  const ledger = await readLedger(db, vault, [installation.bundle_install_id])
  const isActive = installation.state === 'ACTIVE'
  return {
    operationType: 'DETACH',
    installation,
    bundle: {
      environmentKey: installation.bundle_environment_key,
      bundleId: installation.bundle_id,
    },
    scope: scopeOf(scope),
    snapshotVersion: scope.snapshot_version,
    currentVersion: version,
    targetVersion: version,
    plan: isActive
      ? detachPlan({ ledger, plugins: await loadAuthorizationsOrFrozen(db, installation, ledger, once) })
      : null,
    ledger,
    unchecked: new Map(),
    admission,
    refusals: refusals.list,
  }
}
