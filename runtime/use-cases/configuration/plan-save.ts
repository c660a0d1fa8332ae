import { STAGES } from '#contract/protocol/vocabulary.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { identityOf } from '../../engine/installation-view.ts'
import { getOwn } from '#contract/json-schema/get-own.ts'
import { findScope } from '../../store/configuration/find-scope.ts'
import { changeView } from '../../engine/changes/change-view.ts'
import { loadEvaluation } from './load-evaluation.ts'
import type { Owner } from '../../engine/changes/evaluate-save.ts'
import { notFound } from '../authorize.ts'

type Name = 'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/plan'

/**
 * Everything that a save of these changes would do and every reason to refuse it, read as of one moment. A stale
 * snapshot is reported in `stale`, not among the problems. Refuses only a scope that does not exist.
 */
export function planSave({ deps }: ReadContext, input: Input<Name>): Promise<Answer<Name>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const scope = await findScope(tx, input.params)
      if (scope === undefined) throw notFound('scope')
      const { changes, facts, owners, problems, stale } = await loadEvaluation(
        tx,
        deps.vault,
        scope,
        input.body,
      )
      return {
        snapshotVersion: scope.snapshot_version,
        stale,
        changes: changes.map((change) =>
          changeView(change, getOwn(facts.get(change.locator)?.definitions ?? {}, change.property)),
        ),
        installations: owners.map(ownerView),
        problems: [
          ...problems.shape,
          ...problems.protected,
          ...problems.ownership,
          ...problems.validity,
          ...problems.claim,
        ],
      }
    },
    { isolation: 'repeatable read' },
  )
}

function ownerView({ installation, claim, ledger, plan }: Owner): Answer<Name>['installations'][number] {
  const calls = (plan?.plugins ?? []).map(({ pluginId, order }) => ({ pluginId, order }))
  return {
    installation: identityOf(installation),
    claim,
    resources: ledger.map(({ locator }) => locator),
    stages: STAGES.map((stage) => ({ stage, calls })),
  }
}
