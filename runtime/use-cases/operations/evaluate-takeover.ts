import { DomainError } from '../../engine/refusals.ts'
import { detachPlan } from '../../engine/plans/detach-plan.ts'
import { mergedWrites } from '../../engine/steps/plugin-writes.ts'
import type { Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { Vault } from '../../model/vault.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { readLedger } from '../../store/installations/ledger.ts'
import { callOf, readCalls } from '../../store/operations/calls.ts'
import { readPlan } from '../../store/operations/plans.ts'
import { notFound } from '../authorize.ts'
import type { OperationEvaluation } from '../plans/evaluation.ts'
import { notFailedInRun } from './lock-operation-for.ts'

/**
 * What a takeover of a FAILED operation would do, and every reason to refuse it. Writes nothing.
 */
export async function evaluateTakeover(
  db: Db,
  vault: Vault,
  failed: OperationRow,
  run: number,
): Promise<OperationEvaluation> {
  const installation = await findInstallation(db, failed.bundle_install_id)
  const scope = await findScope(db, scopeOf(failed))
  if (installation === undefined || scope === undefined) throw notFound('installation')
  const problem = notFailedInRun(failed, run)
  const ledger = await readLedger(db, vault, [failed.bundle_install_id])
  const calls = (await readCalls(db, vault, failed.operation_id)).map(callOf)
  const takenOver = {
    plan: await readPlan(db, vault, failed.operation_id),
    writes: mergedWrites(calls, failed.operation_type),
  }
  return {
    operationType: 'DETACH',
    installation,
    bundleId: installation.bundle_id,
    scope: scopeOf(scope),
    snapshotVersion: scope.snapshot_version,
    currentVersion: installation.version,
    targetVersion: failed.target_version,
    // no other plugins: a plan has all plugins of the installed version, so the plan taken over has them
    plan: detachPlan({ ledger, plugins: [], takenOver }),
    ledger,
    unchecked: new Map(),
    refusals: problem === null ? [] : [new DomainError('TAKEOVER_NOT_ALLOWED', problem)],
  }
}
