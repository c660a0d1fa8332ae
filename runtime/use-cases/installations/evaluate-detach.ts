import { detachPlan } from '../../engine/plans/detach-plan.ts'
import type { Db } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { readLedger } from '../../store/installations/ledger.ts'
import { Refusals } from '../plans/evaluation.ts'
import type { OperationEvaluation } from '../plans/evaluation.ts'
import { loadAuthorizationsOrFrozen } from './load-authorizations.ts'
import { requireActive } from './lock-active.ts'
import type { FoundInstallation } from './lock-active.ts'

/** What a detach would do and every reason to refuse it. Writes nothing. */
export async function evaluateDetach(
  db: Db,
  vault: Vault,
  { installation, scope }: FoundInstallation,
): Promise<OperationEvaluation> {
  const refusals = new Refusals()
  await refusals.try(() => requireActive(db, installation))
  const { version } = installation
  const ledger = await readLedger(db, vault, [installation.bundle_install_id])
  const isActive = installation.state === 'ACTIVE'
  return {
    operationType: 'DETACH',
    installation,
    bundleId: installation.bundle_id,
    scope: scopeOf(scope),
    snapshotVersion: scope.snapshot_version,
    currentVersion: version,
    targetVersion: version,
    plan: isActive
      ? detachPlan({ ledger, plugins: await loadAuthorizationsOrFrozen(db, installation, ledger) })
      : null,
    ledger,
    unchecked: new Map(),
    refusals: refusals.list,
  }
}
