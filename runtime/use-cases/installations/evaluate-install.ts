import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleRef, Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { checkChanges, protectedProblems, servicesOf } from '../../engine/changes/check-changes.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import { installPlan } from '../../engine/plans/install-plan.ts'
import type { Seeds } from '../../engine/plans/install-plan.ts'
import { uncheckedProblems } from '../../engine/plans/planned-calls.ts'
import { factsOf, targetOf, unknownResources } from '../../engine/plans/target.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { readUsableServices } from '../../store/services/services.ts'
import { findUndetached } from '../../store/installations/installations.ts'
import { loadDomainProblems } from '../configuration/load-domain-problems.ts'
import { Refusals } from '../plans/evaluation.ts'
import { readUnchecked } from '../../store/plugins/reports.ts'
import type { OperationEvaluation } from '../plans/evaluation.ts'
import { loadManifest } from './load-manifest.ts'
import { readSeeds } from './seed.ts'

export interface InstallRequest {
  scope: Scope
  bundle: BundleRef
  targetVersion: string
  properties?: Changes | undefined
  copyFrom?: { bundleInstallId: string } | undefined
}

/**
 * What an install would do and every reason to refuse it, in the order of docs/protocol.md#order-of-checks as far as
 * the checks apply. Writes nothing. Refuses only a protected property and a
 * version that does not exist or cannot be installed.
 *
 * @param scope Undefined if nothing was ever installed there.
 */
export async function evaluateInstall(
  { db, vault, actor }: { db: Db; vault: Vault; actor: Actor },
  request: InstallRequest,
  scope: ScopeRow | undefined,
  bundleInstallId: string,
): Promise<OperationEvaluation & { title: string }> {
  const given = request.properties ?? {}
  refuseFor(protectedProblems(given))
  const refusals = new Refusals()
  const manifest = await loadManifest(db, request.bundle, request.targetVersion)
  const target = targetOf(manifest)
  const copied = request.copyFrom?.bundleInstallId
  const none: Seeds = new Map()
  const seeds =
    copied === undefined
      ? none
      : ((await refusals.try(() => readSeeds({ db, actor, vault }, copied, request.bundle))) ?? none)
  if (scope !== undefined && (await findUndetached(db, scope.scope_id, request.bundle)) !== undefined)
    refusals.list.push(alreadyInstalled())
  refusals.add(unknownResources(given, target.resources))
  const { plan, changes, missing } = installPlan({ target, bundleInstallId, given, seeds })
  const services = await readUsableServices(db, request.scope, servicesOf(changes))
  const facts = factsOf(target.resources)
  refusals.add([
    ...missing,
    ...checkChanges(changes, facts, services),
    ...(await loadDomainProblems(
      { db, actor },
      request.scope.environmentKey,
      { changes, facts },
      () => bundleInstallId,
    )),
  ])
  const unchecked = await readUnchecked(db, request.scope.environmentKey, plan.plugins)
  refusals.add(uncheckedProblems(plan.plugins, unchecked, request.scope.environmentKey))
  return {
    operationType: 'INSTALL',
    installation: null,
    bundleId: request.bundle.bundleId,
    scope: request.scope,
    snapshotVersion: scope?.snapshot_version ?? null,
    currentVersion: null,
    targetVersion: request.targetVersion,
    plan,
    ledger: [],
    unchecked,
    refusals: refusals.list,
    title: manifest.title,
  }
}

function alreadyInstalled(): DomainError {
  return new DomainError('INSTALLATION_EXISTS', platformMessage('installationExists'))
}
