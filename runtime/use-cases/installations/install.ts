import { uuidv7 } from '#http-kit/ids.ts'
import { installationView, operationView } from '../../engine/views.ts'
import { findScope, makeScope } from '../../store/configuration/scopes.ts'
import { findInstallation, insertInstallation } from '../../store/installations/installations.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { planOrRefuse } from '../plans/evaluation.ts'
import { planAt, operationPlan } from '../plans/plan-view.ts'
import { changeViews } from './change-views.ts'
import { evaluateInstall } from './evaluate-install.ts'

/**
 * Installs a version of a bundle: creates an installation, not installed yet, and its frozen INSTALL. The configuration
 * of the scope changes when the INSTALL succeeds.
 */
export async function install(
  context: WriteContext,
  { body }: Input<'POST /installations'>,
): Promise<Answer<'POST /installations'>> {
  const { tx, actor, deps } = context
  const { vault } = deps
  const before = await findScope(tx, body.scope)
  const scope = await makeScope(tx, body.scope, actor)
  const bundleInstallId = uuidv7(deps)
  const { title, ...evaluation } = await evaluateInstall(
    { db: tx, vault, actor },
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
  })
  await recordAudit(tx, actor, {
    action: 'installation.install',
    subject: `${title} ${body.targetVersion}`,
    scope: body.scope,
    bundleInstallId,
    operationId: operation.operation_id,
    reason,
    changes: changeViews(plan),
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
    const evaluation = await evaluateInstall({ db, vault: deps.vault, actor }, body, scope, uuidv7(deps))
    return operationPlan(db, deps, evaluation)
  })
}

async function requireInstallation({ tx }: WriteContext, bundleInstallId: string) {
  const row = await findInstallation(tx, bundleInstallId)
  if (row === undefined) throw new Error('A new installation is missing')
  return row
}
