import { uuidv7 } from '#http-kit/ids.ts'
import { operationView } from '../../engine/views.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { planOrRefuse } from '../plans/evaluation.ts'
import { planComparing } from '../comparisons/comparing.ts'
import { operationPlan } from '../plans/plan-view.ts'
import { changeViews } from './change-views.ts'
import { evaluateUpgrade } from './evaluate-upgrade.ts'
import { findAuthorized, lockAuthorized } from './lock-active.ts'

type Path = 'POST /installations/{bundleInstallId}/upgrade'

/**
 * Upgrades an ACTIVE, unclaimed installation to another version of its bundle. New values are checked against the
 * snapshot on which they were edited; the configuration changes when the UPGRADE succeeds.
 */
export async function upgrade(context: WriteContext, { params, body }: Input<Path>): Promise<Answer<Path>> {
  const { tx, actor, deps, comparing } = context
  const found = await lockAuthorized(context, params.bundleInstallId, 'installation:upgrade')
  const evaluation = await evaluateUpgrade({ db: tx, vault: deps.vault, actor, comparing }, found, body)
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
  })
  await recordAudit(tx, actor, {
    action: 'installation.upgrade',
    subject: `${installation.title} ${currentVersion} → ${targetVersion}`,
    scope,
    bundleInstallId: installation.bundle_install_id,
    operationId: operation.operation_id,
    reason,
    changes: changeViews(plan, evaluation.ledger),
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
    return operationPlan(
      db,
      context.deps,
      await evaluateUpgrade({ db, vault: context.deps.vault, actor: context.actor, comparing }, found, body),
    )
  })
}
