import type { BundleRef, Scope } from '#contract/protocol/scope.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { OperationPlan, PlannedStage, PlanProblem } from '#contract/runtime-api/plans.ts'
import { inTransaction } from '#database/transaction.ts'
import { calledPlugins, plannedStages } from '../../engine/plans/planned-calls.ts'
import { DomainError, refusalFor } from '../../engine/refusals.ts'
import type { Problem } from '../../engine/refusals.ts'
import { claimOf, identityOf } from '../../engine/views.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/plugin.ts'
import { bytesOfValues } from '../../store/operations/plans.ts'
import { readPluginStates } from '../../store/plugins/plugins.ts'
import type { PluginState } from '../../store/plugins/plugins.ts'
import type { ReadContext } from '../context.ts'
import type { Admission } from '../gate/admit.ts'
import { changeViews } from '../installations/change-views.ts'
import { noticesOf } from './plan-notices.ts'
import { planTokenOf, refuseIfMoved } from './plan-token.ts'
import type { TokenBasis, TokenKeys, TokenPart, TokenReader } from './plan-token.ts'

/** Makes a plan from what the database holds at one moment. */
export function planAt<Result>({ deps }: ReadContext, plan: (db: Db) => Promise<Result>): Promise<Result> {
  return inTransaction(deps.db, plan, { isolation: 'repeatable read' })
}

/** Counts all values of plans: they are read for each plan, and most of them are not shown. */
export function countValues(
  { hasRead }: { hasRead?: ReadContext['hasRead'] | undefined },
  plans: readonly (FrozenPlan | null)[],
): void {
  hasRead?.(plans.reduce((sum, plan) => sum + bytesOfValues(plan), 0))
}

/** An evaluation for display, with its token. Sensitive values are hidden. */
export async function operationPlan(
  db: Db,
  keys: TokenKeys,
  evaluation: OperationEvaluation,
): Promise<OperationPlan> {
  const { operationType, installation, plan, scope, bundle, targetVersion: version } = evaluation
  const isLeadingTo = version !== null && operationType !== 'DETACH'
  const basis = await basisOf(db, evaluation)
  return {
    planToken: plan === null ? null : planTokenOf(basis, keys),
    operationType,
    scope: evaluation.scope,
    installation: installation === null ? null : identityOf(installation),
    currentVersion: evaluation.currentVersion,
    targetVersion: evaluation.targetVersion,
    snapshotVersion: evaluation.snapshotVersion,
    claim: installation === null ? null : claimOf(installation),
    resources: (plan?.resources ?? []).map(({ locator, kind, title, action }) => ({
      locator,
      kind,
      title,
      action,
    })),
    changes: plan === null ? [] : changeViews(plan, evaluation.ledger),
    stages: stageViews(plan, operationType, { plugins: basis.plugins, unchecked: evaluation.unchecked }),
    notices: await noticesOf(db, [{ scope, plan, ...(isLeadingTo && { target: { bundle, version } }) }]),
    problems: evaluation.refusals.flatMap(problemsOf),
  }
}

/** The plugin calls of a plan, with the availability of each plugin and what its check lacks. */
export function stageViews(
  plan: FrozenPlan | null,
  operationType: OperationType,
  { plugins, unchecked }: Pick<TokenBasis, 'plugins'> & Pick<TokenPart, 'unchecked'>,
): PlannedStage[] {
  return plannedStages(plan ?? { plugins: [], changes: [] }, operationType).map(({ stage, calls }) => ({
    stage,
    calls: calls.map((call) => {
      const missing = unchecked.get(call.pluginId)
      const availability = availabilityOf(plugins.get(call.pluginId))
      return { ...call, availability, ...(missing !== undefined && { unchecked: missing }) }
    }),
  }))
}

export function problemsOf({ code, message, parameters, details }: DomainError): PlanProblem[] {
  if (details.length > 0) return details
  return [{ errorCode: code, message, ...(parameters !== undefined && { parameters }) }]
}

function availabilityOf(plugin: PluginState | undefined) {
  if (plugin === undefined) return 'NOT_REGISTERED'
  if (plugin.retired === true) return 'RETIRED'
  return plugin.enabled ? 'READY' : 'DISABLED'
}

/** What an operation would do, and every reason to refuse it. The same for a plan and for the write itself. */
export interface OperationEvaluation {
  operationType: OperationType
  /** Null for an INSTALL. */
  installation: InstallationRow | null
  bundle: BundleRef
  scope: Scope
  snapshotVersion: number | null
  currentVersion: string | null
  targetVersion: string | null
  /** Null if it cannot be made; `refusals` says why. */
  plan: FrozenPlan | null
  ledger: readonly LedgerRow[]
  /** Without the passing report that the environment asks for. Empty for a DETACH. */
  unchecked: UncheckedPlugins
  named?: TokenPart['named']
  /** What the gate says; its problems are among the refusals. */
  admission: Admission
  /** In the order of the checks: a write is refused with the first. */
  refusals: DomainError[]
}

/** Collects refusals instead of stopping at the first, so that a plan reports all of them. */
export class Refusals {
  readonly list: DomainError[] = []

  /** The result, or undefined if it is refused. */
  async try<Result>(check: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await check()
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      this.list.push(error)
      return undefined
    }
  }

  add(problems: readonly Problem[]): void {
    const refusal = refusalFor(problems)
    if (refusal !== null) this.list.push(refusal)
  }
}

/** What the token of this evaluation contains, and the registrations of its plugins. */
export async function basisOf(db: Db, evaluation: OperationEvaluation): Promise<TokenBasis> {
  return { ...evaluation, parts: [partOf(evaluation)], plugins: await pluginsOf(db, [evaluation.plan]) }
}

export function partOf(evaluation: OperationEvaluation): TokenBasis['parts'][number] {
  const { installation, bundle, currentVersion, operationType, targetVersion, plan, unchecked, named } =
    evaluation
  // one by one: a batch keeps the parts of all targets, and the ledger has every value again
  return {
    id: installation?.bundle_install_id ?? '',
    bundleId: bundle.bundleId,
    version: currentVersion,
    operationType,
    targetVersion,
    plan,
    unchecked,
    named,
  }
}

export function pluginsOf(
  db: Db,
  plans: readonly (FrozenPlan | null)[],
): Promise<ReadonlyMap<string, PluginState>> {
  return readPluginStates(db, calledPlugins(plans))
}

/**
 * The plan to carry out. Refuses with PLAN_STALE if the plan that the token identifies has changed, else with the first
 * refusal.
 */
export async function planOrRefuse(
  reader: TokenReader,
  evaluation: OperationEvaluation,
  token: string | undefined,
): Promise<FrozenPlan> {
  if (token !== undefined) await refuseIfMoved(reader, token, await basisOf(reader.db, evaluation))
  const [refusal] = evaluation.refusals
  if (refusal !== undefined) throw refusal
  if (evaluation.plan === null) throw new Error('An operation without a plan was not refused')
  return evaluation.plan
}
