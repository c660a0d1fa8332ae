import type { Answer, Input, ReadContext } from '../context.ts'
import { identityOf } from '../../engine/views.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { changeView } from '../../engine/changes/change-view.ts'
import type { SaveEvaluation } from '../../engine/changes/evaluate-save.ts'
import type { Db } from '../../model/db.ts'
import { countValues, pluginsOf, stageViews } from '../plans/plan-view.ts'
import { noticesOf } from '../plans/plan-notices.ts'
import { planTokenOf } from '../plans/plan-token.ts'
import type { TokenBasis, TokenKeys } from '../plans/plan-token.ts'
import { planComparing } from '../comparisons/comparing.ts'
import { loadEvaluation } from './load-evaluation.ts'
import { notFound } from '../authorize.ts'

type Name = 'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/plan'

/**
 * Everything that a save of these changes would do and every reason to refuse it, read as of one moment. A stale
 * snapshot is reported in `stale`, not among the problems. Refuses only a scope that does not exist, and too many
 * comparisons with hidden values.
 */
export function planSave(context: ReadContext, input: Input<Name>): Promise<Answer<Name>> {
  const { vault, random } = context.deps
  return planComparing(context, async (db, comparing) => {
    const scope = await findScope(db, input.params)
    if (scope === undefined) throw notFound('scope')
    const reading = { db, vault, actor: context.actor, comparing, way: {} }
    const evaluation = await loadEvaluation(reading, scope, input.body)
    countValues(
      context,
      evaluation.owners.map(({ plan }) => plan),
    )
    return planOfSave(db, { vault, random }, scope, evaluation)
  })
}

/** An evaluation for display, with its token. Sensitive values are hidden. */
export async function planOfSave(
  db: Db,
  keys: TokenKeys,
  scope: ScopeRow,
  evaluation: SaveEvaluation,
): Promise<Answer<Name>> {
  const { changes, facts, owners, problems, stale } = evaluation
  const basis = await basisOfSave(db, scope, evaluation)
  return {
    planToken: basis.parts.length === 0 ? null : planTokenOf(basis, keys),
    snapshotVersion: scope.snapshot_version,
    stale,
    changes: changes.map((change) =>
      changeView(change, getOwn(facts.get(change.locator)?.definitions ?? {}, change.property)),
    ),
    installations: owners.map(({ installation, claim, ledger, plan, unchecked }) => ({
      installation: identityOf(installation),
      claim,
      resources: ledger.map(({ locator }) => locator),
      stages: stageViews(plan, 'CONFIGURE', { plugins: basis.plugins, unchecked }),
    })),
    notices: await noticesOf(
      db,
      owners.map(({ plan }) => ({ scope: scopeOf(scope), plan })),
    ),
    problems: [
      ...problems.shape,
      ...problems.protected,
      ...problems.ownership,
      ...problems.managers,
      ...problems.validity,
      ...problems.claim,
      ...problems.retired,
      ...problems.checks,
      // without a change there is nothing to refuse
      ...(changes.length > 0 ? problems.gate : []),
    ],
  }
}

/** What the token of a save is based on: the snapshot, and each installation whose resources it changes. */
export async function basisOfSave(
  db: Db,
  { snapshot_version }: ScopeRow,
  { owners }: Pick<SaveEvaluation, 'owners'>,
): Promise<TokenBasis> {
  return {
    snapshotVersion: snapshot_version,
    parts: owners.map(({ installation, plan, unchecked }) => ({
      id: installation.bundle_install_id,
      bundleId: installation.bundle_id,
      version: installation.version,
      operationType: 'CONFIGURE',
      targetVersion: installation.version ?? '',
      plan,
      unchecked,
    })),
    plugins: await pluginsOf(
      db,
      owners.map(({ plan }) => plan),
    ),
  }
}
