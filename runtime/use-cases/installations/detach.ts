import { uuidv7 } from '#http-kit/ids.ts'
import { recordAudit } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { detachPlan } from '../../engine/plans/detach-plan.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { operationView } from '../../engine/steps/operation-view.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import { readLedger } from '../../store/installations/read-ledger.ts'
import { loadAuthorizationsOrFrozen } from './load-authorizations.ts'
import { authorizeInstallation, lockActive } from './lock-active.ts'

type Name = 'POST /installations/{bundleInstallId}/detach'

/** Detaches an ACTIVE, unclaimed installation; a failed operation is taken over instead. */
export async function detach(context: WriteContext, { params, body }: Input<Name>): Promise<Answer<Name>> {
  const { tx, actor, deps } = context
  const seen = await authorizeInstallation(context, params.bundleInstallId, 'installation:detach')
  const { installation, version, scope } = await lockActive(context, seen)
  const ledger = await readLedger(tx, deps.vault, [installation.bundle_install_id])
  const plugins = await loadAuthorizationsOrFrozen(tx, installation, ledger)
  const operation = await freezeOperation(tx, deps.vault, {
    operationId: uuidv7(deps),
    installation,
    operationType: 'DETACH',
    currentVersion: version,
    targetVersion: version,
    plan: detachPlan({ ledger, plugins }),
    actor,
    reason: body.reason,
  })
  await recordAudit(tx, actor, {
    action: 'installation.detach',
    subject: `${installation.title} ${version}`,
    scope: scopeOf(scope),
    bundleInstallId: installation.bundle_install_id,
    operationId: operation.operation_id,
    reason: body.reason,
  })
  return { operation: operationView(operation) }
}
