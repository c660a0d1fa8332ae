import type { OperationType } from '#contract/protocol/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { DomainError, refusalFor } from '../../engine/refusals.ts'
import type { Problem } from '../../engine/refusals.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/unchecked-plugin.ts'
import { readPluginStates } from '../../store/plugins/plugins.ts'
import type { PluginState } from '../../store/plugins/plugins.ts'
import { refuseIfMoved } from './plan-token.ts'
import type { TokenBasis, TokenReader } from './plan-token.ts'

/** What an operation would do, and every reason to refuse it. The same for a plan and for the write itself. */
export interface OperationEvaluation {
  operationType: OperationType
  /** Null for an INSTALL. */
  installation: InstallationRow | null
  bundleId: string
  scope: Scope
  snapshotVersion: number | null
  currentVersion: string | null
  targetVersion: string | null
  /** Null if it cannot be made; `refusals` says why. */
  plan: FrozenPlan | null
  ledger: readonly LedgerRow[]
  /** Without the passing report that the environment asks for. Empty for a DETACH. */
  unchecked: UncheckedPlugins
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
  const { installation, currentVersion, ...rest } = evaluation
  return { ...rest, id: installation?.bundle_install_id ?? '', version: currentVersion }
}

export function pluginsOf(
  db: Db,
  plans: readonly (FrozenPlan | null)[],
): Promise<ReadonlyMap<string, PluginState>> {
  const ids = plans.flatMap((plan) => plan?.plugins ?? []).map(({ pluginId }) => pluginId)
  return readPluginStates(db, [...new Set(ids)].toSorted())
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
