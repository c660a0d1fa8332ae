import { newCheckBudget, type CheckBudget } from '#contract/json-schema/check-work.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { acceptedIn, protectedProblems, servicesOf } from '../../engine/changes/check-changes.ts'
import { uncheckedProblems } from '../../engine/plans/planned-calls.ts'
import { retiredProblems } from '../../engine/steps/retired.ts'
import { factsOf, targetOf, unknownResources } from '../../engine/plans/target.ts'
import type { Target } from '../../engine/plans/target.ts'
import { comparisonsInUpgrade, restorable, upgradePlan } from '../../engine/plans/upgrade-plan.ts'
import { DomainError } from '../../engine/refusals.ts'
import { identityOf, operationView, pinOf } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { readProperties } from '../../store/configuration/properties.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { readPutAside } from '../../store/configuration/unapplied.ts'
import { readLedger } from '../../store/installations/ledger.ts'
import { readUsableServices } from '../../store/services/services.ts'
import { recordAudit } from '../audit/record.ts'
import type { Comparing } from '../comparisons/compared.ts'
import { planComparing } from '../comparisons/comparing.ts'
import { loadDomainProblems, loadSizeProblems } from '../configuration/load-evaluation.ts'
import { staleSnapshot } from '../configuration/snapshot.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { admit, eachTime, wayOf } from '../gate/admit.ts'
import type { Once, Way } from '../gate/admit.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { countValues, planOrRefuse, operationPlan, Refusals } from '../plans/plan-view.ts'
import type { OperationEvaluation } from '../plans/plan-view.ts'
import { changeViews } from './change-views.ts'
import { checkWithAccepted } from './check-with-accepted.ts'
import { loadAuthorizationsOrFrozen, loadManifest, loadObjections } from './load-authorizations.ts'
import { findAuthorized, lockAuthorized, requireActive } from './lock-active.ts'
import type { FoundInstallation } from './lock-active.ts'

type Path = 'POST /installations/{bundleInstallId}/upgrade'

/**
 * Upgrades an ACTIVE, unclaimed installation to another version of its bundle. New values are checked against the
 * snapshot on which they were edited; the configuration changes when the UPGRADE succeeds.
 */
export async function upgrade(context: WriteContext, { params, body }: Input<Path>): Promise<Answer<Path>> {
  const { tx, actor, deps, comparing } = context
  const found = await lockAuthorized(context, params.bundleInstallId, 'installation:upgrade')
  const way = wayOf(context, body)
  const reading = { db: tx, vault: deps.vault, actor, comparing, way }
  const evaluation = await evaluateUpgrade(reading, found, body)
  countValues(context, [evaluation.plan])
  const plan = await planOrRefuse({ db: tx, vault: deps.vault }, evaluation, body.planToken)
  const { installation } = found
  const { scope, currentVersion } = evaluation
  const { targetVersion } = body
  const reason = body.reason ?? null
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'UPGRADE',
    currentVersion,
    targetVersion,
    plan,
    actor,
    reason,
    admission: evaluation.admission,
  })
  await recordAudit(tx, actor, {
    action: 'installation.upgrade',
    subject: `${installation.title} ${currentVersion} → ${targetVersion}`,
    scope,
    bundleInstallId: installation.bundle_install_id,
    operationId: operation.operation_id,
    reason,
    changes: changeViews(plan, evaluation.ledger),
    overridden: evaluation.admission.overridden,
  })
  return { operation: operationView(operation) }
}

/** What an upgrade would do. */
export function planUpgrade(
  context: ReadContext,
  { params, body }: Input<`${Path}/plan`>,
): Promise<Answer<`${Path}/plan`>> {
  return planComparing(context, async (db, comparing) => {
    const found = await findAuthorized(db, context.actor, params.bundleInstallId, 'installation:upgrade')
    const { deps, actor } = context
    const reading = { db, vault: deps.vault, actor, comparing, way: {} }
    const evaluation = await evaluateUpgrade(reading, found, body)
    countValues(context, [evaluation.plan])
    return operationPlan(db, deps, evaluation)
  })
}

export interface UpgradeRequest {
  targetVersion: string
  properties?: Changes | undefined
  snapshotVersion?: number | undefined
}

/** What an upgrade would do and every reason to refuse it. Writes nothing. */
export async function evaluateUpgrade(
  {
    db,
    vault,
    actor,
    comparing,
    way,
    budget = newCheckBudget(),
    once = eachTime,
  }: {
    db: Db
    vault: Vault
    actor: Actor
    comparing: Comparing
    way: Way
    budget?: CheckBudget
    once?: Once
  },
  { installation, scope }: FoundInstallation,
  request: UpgradeRequest,
): Promise<OperationEvaluation> {
  const given = request.properties ?? {}
  const refusals = new Refusals()
  refusals.add(protectedProblems(given))
  await refusals.try(() => requireActive(db, installation))
  const { version } = installation
  const current = scope.snapshot_version
  if (request.snapshotVersion !== undefined && request.snapshotVersion !== current)
    refusals.list.push(staleSnapshot(current))
  const isSame = version === request.targetVersion
  if (isSame) refusals.list.push(alreadyThere(version))
  const admission = await admit(
    db,
    actor,
    {
      kind: 'UPGRADE',
      scope: scopeOf(scope),
      pin: pinOf(installation),
      target: { bundle: identityOf(installation).bundle, version: request.targetVersion },
    },
    way,
    once,
  )
  const evaluation = {
    operationType: 'UPGRADE' as const,
    installation,
    bundle: {
      environmentKey: installation.bundle_environment_key,
      bundleId: installation.bundle_id,
    },
    scope: scopeOf(scope),
    snapshotVersion: current,
    currentVersion: version,
    targetVersion: request.targetVersion,
    named: { properties: given, copyFrom: null },
    admission,
    refusals: refusals.list,
  }
  const { bundle } = evaluation
  const target = await refusals.try(() =>
    once(['target', bundle, request.targetVersion], () =>
      loadTargetVersion(db, bundle, request.targetVersion),
    ),
  )
  // there is nothing to upgrade from, or to
  if (installation.state !== 'ACTIVE' || isSame || target === undefined)
    return { ...evaluation, plan: null, ledger: [], unchecked: new Map() }
  refusals.add(unknownResources(given, target.resources))
  const installed = await loadInstalled({ db, vault, once }, { installation, scope }, { target, given })
  if (comparing !== 'never') {
    const found = comparisonsInUpgrade(installed, target, given)
    const { bundleInstallId } = installed
    if (found.length > 0)
      await comparing({
        scope,
        comparisons: found.map((one) => ({ ...one, bundleInstallId })),
        replaces: false,
      })
  }
  const { plan, brought, kept, missing } = upgradePlan(installed, target, given, comparing === 'never')
  const facts = factsOf(target.resources)
  const usableServices = await readUsableServices(db, scopeOf(scope), servicesOf(brought))
  refusals.add([
    ...missing,
    ...(await checkWithAccepted(brought, given, { facts, usableServices, ...acceptedIn(way) }, budget)),
    // a kept reference was checked when it was saved: here only its schema is checked
    ...(await checkWithAccepted(kept, {}, { facts, usableServices: new Set(servicesOf(kept)) }, budget)),
    ...(await loadDomainProblems(
      { db, actor, way },
      scopeOf(scope),
      // what is brought may change nothing, and what is removed is not brought
      { changes: brought, released: [...brought, ...plan.changes], facts },
      () => installation.bundle_install_id,
    )),
    ...(await loadSizeProblems(db, scope.scope_id, plan.changes)),
  ])
  const { unchecked, retired } = await loadObjections(db, scope.environment_key, plan.plugins, once)
  refusals.add(retiredProblems(plan.plugins, retired))
  refusals.add(uncheckedProblems(plan.plugins, unchecked, scope.environment_key))
  refusals.add(admission.problems)
  return { ...evaluation, plan, ledger: installed.ledger, unchecked }
}

/** What an upgrade begins with: the resources of the installation, and the saved values that it keeps or restores. */
async function loadInstalled(
  { db, vault, once }: { db: Db; vault: Vault; once: Once },
  { installation, scope }: FoundInstallation,
  { target, given }: { target: Target; given: Changes },
) {
  const ledger = await readLedger(db, vault, [installation.bundle_install_id])
  const locators = [...ledger, ...target.resources].map(({ locator }) => locator)
  const current = await readProperties(db, vault, scope.scope_id, locators)
  const removedSince = { scopeId: scope.scope_id, since: installation.created_at }
  return {
    bundleInstallId: installation.bundle_install_id,
    ledger,
    current,
    putAside: await readPutAside(db, vault, removedSince, restorable({ ledger, current }, target, given)),
    plugins: await loadAuthorizationsOrFrozen(db, installation, ledger, once),
  }
}

/** The content of the version that an installation is upgraded to. Refuses as `loadManifest` and `targetOf` do. */
async function loadTargetVersion(db: Db, bundle: BundleRef, version: string): Promise<Target> {
  return targetOf(await loadManifest(db, bundle, version))
}

function alreadyThere(version: string): DomainError {
  return new DomainError('REQUEST_INVALID', platformMessage('upgradeSameVersion', { version }))
}
