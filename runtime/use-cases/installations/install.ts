import { newCheckBudget, type CheckBudget } from '#contract/json-schema/check-work.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleRef, Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { acceptedIn, protectedProblems, servicesOf } from '../../engine/changes/check-changes.ts'
import { installPlan } from '../../engine/plans/install-plan.ts'
import type { Seeds } from '../../engine/plans/install-plan.ts'
import { uncheckedProblems } from '../../engine/plans/planned-calls.ts'
import { retiredProblems } from '../../engine/steps/retired.ts'
import { factsOf, targetOf, unknownResources } from '../../engine/plans/target.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import { installationView, operationView } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { findScope, makeScope } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import {
  findInstallation,
  insertInstallation,
  findUndetached,
} from '../../store/installations/installations.ts'
import { readUsableServices } from '../../store/services/services.ts'
import { recordAudit } from '../audit/record.ts'
import { loadDomainProblems, loadSizeProblems } from '../configuration/load-evaluation.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { admit, eachTime, wayOf } from '../gate/admit.ts'
import type { Once, Way } from '../gate/admit.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { countValues, planOrRefuse, planAt, operationPlan, Refusals } from '../plans/plan-view.ts'
import type { OperationEvaluation } from '../plans/plan-view.ts'
import { changeViews } from './change-views.ts'
import { checkWithAccepted } from './check-with-accepted.ts'
import { loadManifest, loadObjections } from './load-authorizations.ts'
import { readSeeds } from './seed.ts'

/**
 * Installs a version of a bundle: creates an installation, not installed yet, and its frozen INSTALL. The configuration
 * of the scope changes when the INSTALL succeeds.
 */
export function install(
  context: WriteContext,
  { body }: Input<'POST /installations'>,
): Promise<Answer<'POST /installations'>> {
  return installAs(context, uuidv7(context.deps), body)
}

/** As `install`, with the id that the new installation gets. */
export async function installAs(
  context: WriteContext,
  bundleInstallId: string,
  body: Input<'POST /installations'>['body'],
): Promise<Answer<'POST /installations'>> {
  const { tx, actor, deps } = context
  const { vault } = deps
  const before = await findScope(tx, body.scope)
  const scope = await makeScope(tx, body.scope, actor)
  const { title, ...evaluation } = await evaluateInstall(
    {
      db: tx,
      vault,
      actor,
      way: wayOf(context, body),
    },
    body,
    scope,
    bundleInstallId,
  )
  // a scope that this request creates has no snapshot that the plan could have seen
  const snapshotVersion = before === undefined ? null : evaluation.snapshotVersion
  const plan = await planOrRefuse({ db: tx, vault }, { ...evaluation, snapshotVersion }, body.planToken)
  await insertInstallation(tx, { bundleInstallId, scope, bundle: body.bundle, title })
  const reason = body.reason ?? null
  const operation = await freezeOperation(tx, vault, {
    operationId: uuidv7(deps),
    installation: await requireInstallation(context, bundleInstallId),
    operationType: 'INSTALL',
    currentVersion: null,
    targetVersion: body.targetVersion,
    plan,
    actor,
    reason,
    admission: evaluation.admission,
  })
  await recordAudit(tx, actor, {
    action: 'installation.install',
    subject: `${title} ${body.targetVersion}`,
    scope: body.scope,
    bundleInstallId,
    operationId: operation.operation_id,
    reason,
    changes: changeViews(plan),
    overridden: evaluation.admission.overridden,
  })
  return {
    installation: installationView(await requireInstallation(context, bundleInstallId)),
    operation: operationView(operation),
  }
}

/** What an install would do. Refuses only a version that cannot be installed. */
export function planInstall(
  context: ReadContext,
  { body }: Input<'POST /installations/plan'>,
): Promise<Answer<'POST /installations/plan'>> {
  const { deps, actor } = context
  return planAt(context, async (db) => {
    const scope = await findScope(db, body.scope)
    const reading = { db, vault: deps.vault, actor, way: {} }
    const evaluation = await evaluateInstall(reading, body, scope, uuidv7(deps))
    countValues(context, [evaluation.plan])
    return operationPlan(db, deps, evaluation)
  })
}

async function requireInstallation({ tx }: WriteContext, bundleInstallId: string) {
  const row = await findInstallation(tx, bundleInstallId)
  if (row === undefined) throw new Error('A new installation is missing')
  return row
}

interface InstallRequest {
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
  {
    db,
    vault,
    actor,
    way,
    budget = newCheckBudget(),
    once = eachTime,
  }: { db: Db; vault: Vault; actor: Actor; way: Way; budget?: CheckBudget; once?: Once },
  request: InstallRequest,
  scope: ScopeRow | undefined,
  bundleInstallId: string,
): Promise<OperationEvaluation & { title: string }> {
  const given = request.properties ?? {}
  refuseFor(protectedProblems(given))
  const refusals = new Refusals()
  const manifest = await once(['manifest', request.bundle, request.targetVersion], () =>
    loadManifest(db, request.bundle, request.targetVersion),
  )
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
  const usableServices = await readUsableServices(db, request.scope, servicesOf(changes))
  const facts = factsOf(target.resources)
  refusals.add([
    ...missing,
    ...(await checkWithAccepted(changes, given, { facts, usableServices, ...acceptedIn(way) }, budget)),
    ...(await loadDomainProblems(
      { db, actor, way },
      request.scope,
      { changes, facts },
      () => bundleInstallId,
    )),
    ...(scope === undefined ? [] : await loadSizeProblems(db, scope.scope_id, plan.changes)),
  ])
  const { environmentKey } = request.scope
  const { unchecked, retired } = await loadObjections(db, environmentKey, plan.plugins, once)
  refusals.add(retiredProblems(plan.plugins, retired))
  refusals.add(uncheckedProblems(plan.plugins, unchecked, environmentKey))
  const { bundle, targetVersion: version } = request
  const admission = await admit(
    db,
    actor,
    { kind: 'INSTALL', scope: request.scope, target: { bundle, version } },
    way,
    once,
  )
  refusals.add(admission.problems)
  return {
    operationType: 'INSTALL',
    installation: null,
    bundle: request.bundle,
    scope: request.scope,
    snapshotVersion: scope?.snapshot_version ?? null,
    currentVersion: null,
    targetVersion: request.targetVersion,
    plan,
    ledger: [],
    unchecked,
    named: { properties: given, copyFrom: copied ?? null },
    admission,
    refusals: refusals.list,
    title: manifest.title,
  }
}

function alreadyInstalled(): DomainError {
  return new DomainError('INSTALLATION_EXISTS', platformMessage('installationExists'))
}
