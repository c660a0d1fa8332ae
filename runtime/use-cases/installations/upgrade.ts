import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { uuidv7 } from '#http-kit/ids.ts'
import { recordAudit } from '../audit/record.ts'
import { checkChanges, protectedProblems, servicesOf } from '../../engine/changes/check-changes.ts'
import { refuseFor } from '../../engine/problem.ts'
import { staleSnapshot } from '../configuration/save.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { operationView } from '../../engine/steps/operation-view.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import { readProperties } from '../../store/configuration/read-properties.ts'
import { readUsableServices } from '../../store/configuration/read-usable-services.ts'
import { readLedger } from '../../store/installations/read-ledger.ts'
import { changeViews } from './change-views.ts'
import { loadAuthorizationsOrFrozen } from './load-authorizations.ts'
import { loadManifest } from './load-manifest.ts'
import { authorizeInstallation, lockActive } from './lock-active.ts'
import { factsOf, targetOf, unknownResources } from '../../engine/plans/target.ts'
import { upgradePlan } from '../../engine/plans/upgrade-plan.ts'

type Name = 'POST /installations/{bundleInstallId}/upgrade'

/**
 * Upgrades an ACTIVE, unclaimed installation to another version of its bundle. New values are checked against the
 * snapshot on which they were edited; the configuration changes when the UPGRADE succeeds.
 */
export async function upgrade(context: WriteContext, { params, body }: Input<Name>): Promise<Answer<Name>> {
  const { tx, actor, deps } = context
  const given = body.properties ?? {}
  const seen = await authorizeInstallation(context, params.bundleInstallId, 'installation:upgrade')
  refuseFor(protectedProblems(given))
  const { installation, version, scope } = await lockActive(context, seen)
  if (body.snapshotVersion !== undefined && body.snapshotVersion !== scope.snapshot_version)
    throw staleSnapshot(scope.snapshot_version)
  if (body.targetVersion === version) throw alreadyThere(version)

  const bundle = { environmentKey: installation.bundle_environment_key, bundleId: installation.bundle_id }
  const target = targetOf(await loadManifest(tx, bundle, body.targetVersion))
  refuseFor(unknownResources(given, target.resources))
  const ledger = await readLedger(tx, deps.vault, [installation.bundle_install_id])
  const locators = [
    ...ledger.map(({ locator }) => locator),
    ...target.resources.map(({ locator }) => locator),
  ]
  const installed = {
    bundleInstallId: installation.bundle_install_id,
    ledger,
    current: await readProperties(tx, deps.vault, scope.scope_id, locators),
    plugins: await loadAuthorizationsOrFrozen(tx, installation, ledger),
  }
  const { plan, brought, kept, missing } = upgradePlan(installed, target, given)
  const facts = factsOf(target.resources)
  const services = await readUsableServices(tx, scopeOf(scope), servicesOf(brought))
  refuseFor([
    ...missing,
    ...checkChanges(brought, facts, services),
    // a kept reference was checked when it was saved: here only its schema is checked
    ...checkChanges(kept, facts, new Set(servicesOf(kept))),
  ])

  const reason = body.reason ?? null
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'UPGRADE',
    currentVersion: version,
    targetVersion: body.targetVersion,
    plan,
    actor,
    reason,
  })
  await recordAudit(tx, actor, {
    action: 'installation.upgrade',
    subject: `${installation.title} ${version} → ${body.targetVersion}`,
    scope: scopeOf(scope),
    bundleInstallId: installation.bundle_install_id,
    operationId: operation.operation_id,
    reason,
    changes: changeViews(plan, ledger),
  })
  return { operation: operationView(operation) }
}

function alreadyThere(version: string): DomainError {
  return new DomainError('REQUEST_INVALID', platformMessage('upgradeSameVersion', { version }))
}
