import type { Scope } from '#contract/protocol/scope.ts'
import type { Apply } from '#contract/runtime-api/managers.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { emitEvents } from '../../store/events.ts'
import { endsAutomatically, refuseFor } from '../../engine/refusals.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { operationView } from '../../engine/views.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { advanceScope, scopeOf, lockScope } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { domainsOfChanges } from '../../engine/changes/gateway-domains.ts'
import { releaseDomains } from '../../store/configuration/gateway-domains.ts'
import { deleteProperties, putProperties } from '../../store/configuration/properties.ts'
import { insertSnapshotChanges, insertSnapshots } from '../../store/configuration/snapshots.ts'
import { auditedApply, managerOfSave } from '../../engine/changes/managers.ts'
import { changeView } from '../../engine/changes/change-view.ts'
import { loadEvaluation } from './load-evaluation.ts'
import type { Evaluation } from './load-evaluation.ts'
import type { SaveInput, Owner, SaveEvaluation } from '../../engine/changes/evaluate-save.ts'
import { notFound } from '../authorize.ts'
import { wayOf } from '../gate/admit.ts'
import { refuseIfMoved } from '../plans/plan-token.ts'
import { countValues } from '../plans/plan-view.ts'
import { basisOfSave } from './plan-save.ts'
import { refuseLastSnapshot, staleSnapshot } from './snapshot.ts'

type Base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'
type Saved = Answer<`PATCH ${Base}`>
type Reason = Input<`PATCH ${Base}`>['body']['reason']
/** What is recorded of a save besides its changes. */
type Recorded = { reason: Reason; apply: Apply | undefined }
type SaveOptions = { reason: Reason; planToken: string | undefined; override: true | undefined }

/**
 * Saves changes on top of the named snapshot. One transaction writes the snapshot, one CONFIGURE for each owner and the
 * audit, or nothing. Without actual changes there is no operation and no snapshot. Refuses in the order of
 * docs/protocol.md#order-of-checks.
 */
export function saveConfiguration(context: WriteContext, input: Input<`PATCH ${Base}`>): Promise<Saved> {
  const { reason, planToken, override, ...given } = input.body
  return save(context, input.params, given, { reason, planToken, override })
}

/** Saves the full configuration: computes its changes, then saves them in the same way. */
export function saveFullConfiguration(context: WriteContext, input: Input<`PUT ${Base}`>): Promise<Saved> {
  const { reason, planToken, override, ...given } = input.body
  return save(context, input.params, given, { reason, planToken, override })
}

async function save(
  context: WriteContext,
  place: Scope,
  given: SaveInput,
  { reason, planToken, override }: SaveOptions,
): Promise<Saved> {
  const { tx, deps, actor, comparing } = context
  const scope = await lockScope(tx, place)
  if (scope === undefined) throw notFound('scope')
  const way = wayOf(context, { override, reason })
  const evaluation = await loadEvaluation({ db: tx, vault: deps.vault, actor, comparing, way }, scope, given)
  countValues(
    context,
    evaluation.owners.map(({ plan }) => plan),
  )
  // a stale snapshot is refused with a separate code
  if (planToken !== undefined && !evaluation.stale)
    await refuseIfMoved({ db: tx, vault: deps.vault }, planToken, await basisOfSave(tx, scope, evaluation))
  if (!checkSave(evaluation, scope)) return { snapshotVersion: scope.snapshot_version, operations: [] }

  const snapshotVersion = await writeSnapshot(context, scope, evaluation, { reason, apply: given.apply })
  // gateways of several owners may exchange their domains
  if (domainsOfChanges(evaluation.changes, evaluation.facts).length > 0)
    await releaseDomains(
      tx,
      evaluation.owners.map(({ installation }) => installation.bundle_install_id),
    )
  const operations: Saved['operations'] = []
  for (const owner of evaluation.owners) {
    operations.push(await startConfigure(context, scope, owner, evaluation, { reason, apply: given.apply }))
  }
  return { snapshotVersion, operations }
}

/** Refuses for the first kind of problem, with all problems of that kind. Returns whether the save changes anything. */
export function checkSave(
  { problems, stale, changes }: Pick<SaveEvaluation, 'problems' | 'stale' | 'changes'>,
  { snapshot_version }: Pick<ScopeRow, 'snapshot_version'>,
): boolean {
  refuseFor(problems.shape)
  refuseFor(problems.protected)
  if (stale) throw staleSnapshot(snapshot_version)
  if (changes.length === 0) return false
  refuseFor(problems.ownership)
  refuseFor(problems.managers)
  refuseFor(problems.validity)
  refuseFor(problems.claim, { retryable: endsAutomatically(problems.claim) })
  refuseFor(problems.retired)
  refuseFor(problems.checks)
  refuseFor(problems.gate)
  return true
}

async function writeSnapshot(
  { tx, actor, deps }: WriteContext,
  scope: ScopeRow,
  { changes, facts, owners }: SaveEvaluation,
  { reason, apply }: Recorded,
): Promise<number> {
  refuseLastSnapshot(scope.snapshot_version)
  const next = await advanceScope(tx, scope.scope_id, scope.snapshot_version, actor)
  if (next === undefined) throw staleSnapshot(scope.snapshot_version)
  const at = { scopeId: scope.scope_id, snapshotVersion: next.snapshot_version }
  const manager = managerOfSave(apply)
  const snapshot = { ...at, savedAt: next.saved_at, savedBy: actor, reason: reason ?? null }
  await insertSnapshots(tx, [{ ...snapshot, cause: 'SAVE', operationId: null }])
  await insertSnapshotChanges(
    tx,
    deps.vault,
    changes.map((change) => ({
      ...at,
      ...change,
      manager: change.after === null ? null : manager,
      isSensitive:
        getOwn(facts.get(change.locator)?.definitions ?? {}, change.property)?.isSensitive === true,
    })),
  )
  await putProperties(
    tx,
    deps.vault,
    owners.flatMap(({ installation, changes: ownedChanges }) =>
      ownedChanges.flatMap(({ locator, property, after }) =>
        after === null
          ? []
          : [
              {
                ...at,
                bundleInstallId: installation.bundle_install_id,
                locator,
                property,
                value: after,
                manager,
              },
            ],
      ),
    ),
  )
  const gone = changes.filter(({ after }) => after === null)
  await deleteProperties(
    tx,
    gone.map(({ locator, property }) => ({ scopeId: scope.scope_id, locator, property })),
  )
  await emitEvents(tx, [
    {
      kind: 'configuration',
      scopeId: scope.scope_id,
      objectId: String(scope.scope_id),
      version: next.snapshot_version,
    },
  ])
  return next.snapshot_version
}

async function startConfigure(
  { tx, actor, deps }: WriteContext,
  scope: ScopeRow,
  { installation, plan, changes }: Owner,
  { facts, managers, admission }: Evaluation,
  { reason, apply }: Recorded,
): Promise<Saved['operations'][number]> {
  const { version } = installation
  if (plan === null || version === null)
    throw new Error('An owner without a plan or a version was not refused')
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'CONFIGURE',
    currentVersion: version,
    targetVersion: version,
    plan,
    actor,
    reason: reason ?? null,
    admission,
  })
  await recordAudit(tx, actor, {
    action: 'configuration.save',
    subject: installation.title,
    scope: scopeOf(scope),
    bundleInstallId: installation.bundle_install_id,
    operationId: operation.operation_id,
    reason: reason ?? null,
    changes: auditedApply(
      changes.map((change) =>
        changeView(change, getOwn(facts.get(change.locator)?.definitions ?? {}, change.property)),
      ),
      managers,
      apply,
    ),
    overridden: admission.overridden,
  })
  return operationView(operation)
}
