import { inTransaction } from '#database/transaction.ts'
import type { OperationPlan, PlannedStage, PlanProblem } from '#contract/runtime-api/plans.ts'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { DomainError } from '../../engine/refusals.ts'
import { claimOf, identityOf } from '../../engine/views.ts'
import { plannedStages } from '../../engine/plans/planned-calls.ts'
import type { Db } from '../../model/db.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { PluginState } from '../../store/plugins/plugins.ts'
import type { ReadContext } from '../context.ts'
import { changeViews } from '../installations/change-views.ts'
import { basisOf } from './evaluation.ts'
import type { OperationEvaluation } from './evaluation.ts'
import { planTokenOf } from './plan-token.ts'
import type { TokenBasis, TokenKeys, TokenPart } from './plan-token.ts'

/** Makes a plan from what the database holds at one moment. */
export function planAt<Result>({ deps }: ReadContext, plan: (db: Db) => Promise<Result>): Promise<Result> {
  return inTransaction(deps.db, plan, { isolation: 'repeatable read' })
}

/** An evaluation for display, with its token. Sensitive values are hidden. */
export async function operationPlan(
  db: Db,
  keys: TokenKeys,
  evaluation: OperationEvaluation,
): Promise<OperationPlan> {
  const { operationType, installation, plan } = evaluation
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
  return plugin.enabled ? 'READY' : 'DISABLED'
}
