import { createHash, randomUUID } from 'node:crypto'
import { newCheckBudget, type CheckBudget } from '#contract/json-schema/check-work.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { parseScope } from '#contract/protocol/scope-text.ts'
import type { BundleRef, Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import type { Changes, PropertyChange } from '#contract/runtime-api/common.ts'
import type { BatchRequest } from '#contract/runtime-api/batches.ts'
import type { BatchAction } from '#contract/runtime-api/vocabulary.ts'
import { divide } from '../../engine/batches/waves.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import { situationOf } from '../../engine/views.ts'
import { protectedProblems } from '../../engine/changes/check-changes.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { FrozenPlan, PlannedResource } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { findScope, findScopes, scopeOf } from '../../store/configuration/scopes.ts'
import { loadInstallations } from '../../store/installations/installations.ts'
import { findOperations } from '../../store/operations/operations.ts'
import type { PluginState } from '../../store/plugins/plugins.ts'
import { findVisible } from '../../store/visible-scopes.ts'
import { authorize } from '../authorize.ts'
import { mayIn } from '#contract/endpoint/permission.ts'
import type { Comparing } from '../comparisons/compared.ts'
import type { ReadContext } from '../context.ts'
import { checkSave } from '../configuration/save.ts'
import { loadEvaluation } from '../configuration/load-evaluation.ts'
import { evaluateDetach } from '../installations/detach.ts'
import { changeViews } from '../installations/change-views.ts'
import { evaluateInstall } from '../installations/install.ts'
import { evaluateUpgrade } from '../installations/upgrade.ts'
import type { UpgradeRequest } from '../installations/upgrade.ts'
import type { FoundInstallation } from '../installations/lock-active.ts'
import { evaluateTakeover } from '../operations/take-over.ts'
import { admitRetry, notFailedInRun } from '../operations/runs.ts'
import { onceForAll } from '../gate/admit.ts'
import type { Once, Way } from '../gate/admit.ts'
import { retryOfRetired } from '../registry/retirement.ts'
import { bytesOfValues } from '../../store/operations/plans.ts'
import { partOf, pluginsOf, Refusals } from '../plans/plan-view.ts'
import { itemTokenOf, type TokenPart } from '../plans/plan-token.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

/** What a batch would do to one target, and every reason to refuse it. */
export interface PlannedTarget {
  target: string
  scope: Scope
  bundle: BundleRef
  title: string | null
  /** Null for an INSTALL. */
  installation: InstallationRow | null
  /** Null if nothing was ever installed in the scope of an INSTALL. */
  scopeId: number | null
  snapshotVersion: number | null
  /** Of the operation to retry or to take over. */
  run: number | null
  /** Null for a retry, which changes no plan, and if there is no plan. */
  part: TokenPart | null
  /** Null for a retry. */
  plan: FrozenPlan | null
  /** The changes of the plan, for display. */
  changes: PropertyChange[]
  /** What the operation to retry or to take over failed with. */
  failure: { errorCode: string; retryable: boolean } | null
  refusals: DomainError[]
  /** Compared when its turn comes. Null for a retry. */
  token: string | null
}

export interface PlannedTargets {
  targets: PlannedTarget[]
  /** The registrations of the plugins that they call. */
  plugins: ReadonlyMap<string, PluginState>
}

/** How many bytes the values of all plans of a batch have, and their different definitions: all are in memory at the same time. */
const PLANS_BYTES_MAX = 16 * 1024 * 1024

type Deps = { db: Db; vault: Vault; actor: Actor; way: Way; hasRead?: ReadContext['hasRead'] | undefined }
/** The values that it gives are checked for each target, and all of these checks have one budget. */
type Planning = Deps & { budget: CheckBudget; once: Once }
/** A batch never shows, for any of its targets, whether a value equals a hidden one. */
const BLIND = { comparing: 'never' } as const
type Request = Pick<BatchRequest, 'action' | 'targets' | 'input' | 'override'>

/**
 * Plans every target, in their order, and counts what it reads for each. Writes nothing. Refuses the whole batch if a target does not
 * exist or the actor may not see it (NOT_FOUND), naming each, for a protected property, and if the plans are too large together. A
 * missing permission is a refusal of its target.
 */
export async function planTargets(deps: Deps, request: Request): Promise<PlannedTargets> {
  const { properties = {}, fill = {}, changes = {}, values = {} } = inputOf(request)
  refuseFor([properties, fill, changes, ...Object.values(values)].flatMap(protectedProblems))
  const planned: Omit<PlannedTarget, 'token'>[] = []
  const missing: number[] = []
  const visible = await visibleTargets(deps, request)
  const definitions: KnownDefinitions = new Map()
  // the targets usually have one bundle and few environments
  const planning = { ...deps, budget: newCheckBudget(), once: onceForAll() }
  const found = await findTargets(deps.db, request.action, [...visible])
  let bytes = 0
  for (const [index, target] of request.targets.entries()) {
    const one = !visible.has(target)
      ? null
      : request.action === 'INSTALL'
        ? await planInstallIn(planning, request, target)
        : await planTarget(planning, request, target, found.get(target))
    if (one === null) {
      missing.push(index)
      continue
    }
    planned.push(one)
    const read = bytesOfValues(one.plan) + shareDefinitions(one.plan, definitions)
    deps.hasRead?.(read)
    bytes += read
    // a smaller batch than that of one target is none
    if (bytes > PLANS_BYTES_MAX && planned.length > 1)
      refuseFor([
        { path: 'body.targets', errorCode: 'REQUEST_INVALID', ...platformMessage('planBatchTooLarge') },
      ])
  }
  refuseFor(
    missing.map((index) => ({
      path: `body.targets.${index}`,
      errorCode: 'NOT_FOUND',
      ...platformMessage('targetNotFound'),
    })),
  )
  const plans = planned.map(({ plan }) => plan)
  const plugins = await pluginsOf(deps.db, plans)
  const targets = planned.map((one) => ({
    ...one,
    // others save in the same scope meanwhile, and so do the items before this one: the snapshot may move
    token: one.part === null || one.plan === null ? null : itemTokenOf(one.part, plugins),
  }))
  return { targets, plugins }
}

/** The targets that the actor may see. Of the others nothing else is read: that would take time, and so tell that they exist. */
async function visibleTargets(
  { db, actor }: Deps,
  { action, targets }: Request,
): Promise<ReadonlySet<string>> {
  if (action === 'RETRY' || action === 'TAKEOVER') return findVisible(db, actor, 'operation', targets)
  if (action !== 'INSTALL') return findVisible(db, actor, 'installation', targets)
  const scopes = targets.map((target) => parseScope(target))
  return new Set(targets.filter((_, at) => scopes[at] != null && mayIn(actor.grants, 'read', scopes[at])))
}

/** By their text. */
type KnownDefinitions = Map<string, PlannedResource['definitions']>

/**
 * Replaces the definitions in a plan by those of the plans before it where they are the same: those of a version are, but each target
 * reads its own. Returns the size of the others.
 */
function shareDefinitions(plan: FrozenPlan | null, known: KnownDefinitions): number {
  let bytes = 0
  for (const resource of plan?.resources ?? []) {
    const text = JSON.stringify(resource.definitions)
    const same = known.get(text)
    if (same !== undefined) resource.definitions = same
    else {
      known.set(text, resource.definitions)
      bytes += Buffer.byteLength(text)
    }
  }
  return bytes
}

/** The plan of an INSTALL into a scope. */
async function planInstallIn(
  planning: Planning,
  request: Request,
  target: string,
): Promise<Omit<PlannedTarget, 'token'>> {
  const { db, actor, way } = planning
  const scope = parseScope(target)
  const { bundle, ...input } = inputFor(inputOf(request), target)
  if (scope === null || bundle === undefined) throw new TypeError('The contract has parsed the target')
  const known = { target, scope, bundle, installation: null, run: null, failure: null }
  const nothing = { title: null, scopeId: null, snapshotVersion: null, part: null, plan: null, changes: [] }
  const refusals = new Refusals()
  const isAllowed = await refusals.try(() => {
    authorize(actor, BATCH_PERMISSION.INSTALL, scope)
    if (way.override === true) authorize(actor, 'change:override', scope)
    return true
  })
  if (isAllowed === undefined) return { ...known, ...nothing, refusals: refusals.list }
  const row = await findScope(db, scope)
  const install = { scope, bundle, targetVersion: input.targetVersion ?? '', properties: input.properties }
  // the id is that of no installation: it is neither shown nor part of the token
  const evaluation = await evaluateInstall(planning, install, row, randomUUID())
  const { plan, title } = evaluation
  return {
    ...known,
    title,
    scopeId: row?.scope_id ?? null,
    snapshotVersion: row?.snapshot_version ?? null,
    part: partOf(evaluation),
    plan,
    changes: plan === null ? [] : changeViews(plan),
    refusals: evaluation.refusals,
  }
}

/** The current state of a target; null if it does not exist. */
async function planTarget(
  planning: Planning,
  request: Request,
  target: string,
  found: FoundTarget | undefined,
): Promise<Omit<PlannedTarget, 'token'> | null> {
  const { db, actor, way, once } = planning
  if (found === undefined) return null
  const { installation, scope, operation } = found
  const known = {
    target,
    scope: scopeOf(installation),
    bundle: { environmentKey: installation.bundle_environment_key, bundleId: installation.bundle_id },
    title: installation.title,
    installation,
    scopeId: scope.scope_id,
    snapshotVersion: scope.snapshot_version,
    run: operation?.run ?? null,
    failure:
      operation?.failure == null
        ? null
        : { errorCode: operation.failure.errorCode, retryable: operation.failure.retryable },
  }
  const refusals = new Refusals()
  const isAllowed = await refusals.try(() => {
    authorize(actor, BATCH_PERMISSION[request.action], scopeOf(installation))
    if (way.override === true) authorize(actor, 'change:override', scopeOf(installation))
    return true
  })
  if (isAllowed === undefined)
    return { ...known, part: null, plan: null, changes: [], refusals: refusals.list }
  if (request.action === 'CONFIGURE') {
    const { changes = {} } = inputFor(inputOf(request), target)
    const evaluated = await evaluateConfigure({ ...planning, ...BLIND }, found, changes)
    return { ...known, ...evaluated }
  }
  if (operation !== null && request.action === 'RETRY') {
    const problem = notFailedInRun(operation, operation.run)
    const isHopeless = situationOf(operation).retryHelps === 'NEVER'
    if (problem !== null || isHopeless)
      refusals.list.push(
        new DomainError('OPERATION_NOT_RETRYABLE', problem ?? platformMessage('retryCannotHelp')),
      )
    const retired = await retryOfRetired(db, operation)
    if (retired !== null) refusals.list.push(retired)
    const admission = await refusals.try(() => admitRetry(db, actor, operation, way, once))
    refusals.add(admission?.problems ?? [])
    return { ...known, part: null, plan: null, changes: [], refusals: refusals.list }
  }
  const evaluation =
    operation !== null
      ? await evaluateTakeover(planning, operation, operation.run)
      : request.action === 'DETACH'
        ? await evaluateDetach(planning, found)
        : await planUpgradeOf({ ...planning, ...BLIND }, found, inputFor(inputOf(request), target))
  const { plan, ledger } = evaluation
  return {
    ...known,
    part: partOf(evaluation),
    plan,
    changes: plan === null ? [] : changeViews(plan, ledger),
    refusals: evaluation.refusals,
  }
}

/** The request to upgrade one target with the values for every target. */
export const namedUpgrade = ({ targetVersion = '', properties = {} }: BatchInputParts): UpgradeRequest => ({
  targetVersion,
  properties,
})

/**
 * Adds the values of `fill` for properties that would have no value in a target.
 *
 * @param plan What the request would do without them.
 */
export function filledUpgrade(
  { targetVersion, properties }: UpgradeRequest,
  { fill = {} }: Pick<BatchInputParts, 'fill'>,
  plan: FrozenPlan | null,
): UpgradeRequest {
  const merged: Record<string, Record<string, TypedValue | null>> = { ...properties }
  for (const [locator, values] of Object.entries(fill)) {
    const planned = resourceAt(plan?.resources ?? [], locator)?.properties ?? {}
    const missing = Object.entries(values).filter(([property]) => !Object.hasOwn(planned, property))
    if (missing.length > 0) merged[locator] = { ...Object.fromEntries(missing), ...merged[locator] }
  }
  return { targetVersion, properties: merged }
}

/** The plan of a target's UPGRADE. */
async function planUpgradeOf(
  context: Planning & { comparing: Comparing },
  found: FoundInstallation,
  input: BatchInputParts,
) {
  const request = namedUpgrade(input)
  const evaluation = await evaluateUpgrade(context, found, request)
  if (Object.keys(input.fill ?? {}).length === 0) return evaluation
  return evaluateUpgrade(context, found, filledUpgrade(request, input, evaluation.plan))
}

/** The changes of a CONFIGURE, which must belong to the target alone. */
export async function evaluateConfigure(
  context: Deps & { comparing: Comparing } & Partial<Planning>,
  { installation, scope }: FoundInstallation,
  changes: Changes,
): Promise<Pick<PlannedTarget, 'part' | 'plan' | 'changes' | 'refusals'>> {
  // it was read together with the other targets
  await context.once?.(['installations', [installation.bundle_install_id]], async () => [installation])
  const input = { snapshotVersion: scope.snapshot_version, changes }
  const evaluation = await loadEvaluation(context, scope, input)
  const refusals = new Refusals()
  await refusals.try(() => checkSave(evaluation, scope))
  const others = evaluation.owners.filter(
    (owner) => owner.installation.bundle_install_id !== installation.bundle_install_id,
  )
  refusals.add(
    others.flatMap((owner) =>
      owner.changes.map(({ locator }) => ({
        locator,
        errorCode: 'RESOURCE_OWNERSHIP_MISSING' as const,
        ...platformMessage('resourceNotOwned'),
      })),
    ),
  )
  const ownerOfTarget = evaluation.owners.find(
    (owner) => owner.installation.bundle_install_id === installation.bundle_install_id,
  )
  const plan = ownerOfTarget?.plan ?? null
  const part: TokenPart = {
    id: installation.bundle_install_id,
    bundleId: installation.bundle_id,
    version: installation.version,
    operationType: 'CONFIGURE',
    targetVersion: installation.version ?? '',
    plan,
    unchecked: ownerOfTarget?.unchecked ?? new Map(),
  }
  return {
    part: plan === null ? null : part,
    plan,
    changes: plan === null ? [] : changeViews(plan, ownerOfTarget?.ledger),
    refusals: refusals.list,
  }
}

interface FoundTarget extends FoundInstallation {
  operation: OperationRow | null
}

/** The targets that exist, by target; none of an INSTALL. */
async function findTargets(
  db: Db,
  action: BatchAction,
  targets: readonly string[],
): Promise<Map<string, FoundTarget>> {
  // reading nothing could still wait for a lock, and tell who may see no target that there is something
  if (action === 'INSTALL' || targets.length === 0) return new Map()
  const isOperation = action === 'RETRY' || action === 'TAKEOVER'
  const operations = isOperation ? await findOperations(db, targets) : null
  const ids = operations?.map(({ bundle_install_id }) => bundle_install_id) ?? targets
  const installations = await loadInstallations(db, [...new Set(ids)])
  const scopes = await findScopes(db, [...new Set(installations.map(({ scope_id }) => scope_id))])
  const foundOf = new Map(
    installations.flatMap((installation) => {
      const scope = scopes.get(installation.scope_id)
      return scope === undefined ? [] : [[installation.bundle_install_id, { installation, scope }] as const]
    }),
  )
  const named =
    operations?.map((one) => [one.operation_id, one.bundle_install_id, one] as const) ??
    targets.map((target) => [target, target, null] as const)
  return new Map(
    named.flatMap(([target, id, operation]) => {
      const found = foundOf.get(id)
      return found === undefined ? [] : [[target, { ...found, operation }] as const]
    }),
  )
}

/** The parts that the input of some action has. */
export interface BatchInputParts {
  bundle?: BundleRef | undefined
  targetVersion?: string
  properties?: Changes | undefined
  fill?: Changes | undefined
  changes?: Changes | undefined
  /** By target. */
  values?: Readonly<Record<string, Changes>> | undefined
}
export const inputOf = ({ input }: Pick<BatchRequest, 'input'>): BatchInputParts => input ?? {}

/** The input for one target: its own values, and those for every target that it has no value of its own for. */
export function inputFor(input: BatchInputParts, target: string): Omit<BatchInputParts, 'values'> {
  const { values = {}, ...common } = input
  const own = getOwn(values, target)
  if (own === undefined) return common
  const withOwn = (changes: Changes = {}): Changes => ({
    ...changes,
    ...Object.fromEntries(
      Object.entries(own).map(([locator, properties]) => [
        locator,
        { ...getOwn(changes, locator), ...properties },
      ]),
    ),
  })
  return common.targetVersion === undefined
    ? { ...common, changes: withOwn(common.changes) }
    : { ...common, properties: withOwn(common.properties) }
}

/**
 * The changes that a batch was made for, as text for a keyed digest: the values may be sensitive. Of an UPGRADE these are
 * the changes of its `properties`; what is filled and what the version brings follow the values of their turn.
 */
export function changesText(
  action: BatchAction,
  { properties = {} }: Pick<BatchInputParts, 'properties'>,
  plan: FrozenPlan,
): string {
  const isNamed = (locator: string, property: string) =>
    action !== 'UPGRADE' || getOwn(getOwn(properties, locator) ?? {}, property) !== undefined
  const lines = plan.changes
    .filter(({ locator, property }) => isNamed(locator, property))
    .map(({ locator, property, before, after }) => JSON.stringify([locator, property, before, after]))
  return lines.toSorted().join('\n')
}

/**
 * The wave of each target that the plan does not refuse, or only for want of approvals, which a change request gets. Empty
 * without waves.
 */
export function waveOfEach(
  { waves }: Pick<BatchRequest, 'waves'>,
  planned: readonly PlannedTarget[],
): ReadonlyMap<string, number> {
  if (waves === undefined) return new Map()
  const ready = planned.filter(({ refusals }) => refusals.every(({ code }) => code === 'APPROVAL_REQUIRED'))
  const numbers = divide(
    waves,
    ready.map(({ scope }) => scope.environmentKey),
  )
  return new Map(ready.map(({ target }, index) => [target, numbers[index] ?? 1]))
}

/** The digest of each target in a batch's plan token. */
export function digestOf({ token, run, snapshotVersion, refusals }: PlannedTarget): string {
  const content = [token, run, snapshotVersion, refusals.map(({ code }) => code)]
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 10)
}

/** Whether the request sets the property of a change, rather than a new default or what the version drops. */
export function isSetBy(
  request: Pick<BatchRequest, 'input'>,
  target: string,
): (change: PropertyChange) => boolean {
  const { properties, fill, changes } = inputFor(inputOf(request), target)
  return ({ locator, property }) =>
    [properties, fill, changes].some((of) => Object.hasOwn(of?.[locator] ?? {}, property))
}
