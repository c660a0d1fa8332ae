import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { uuidv7 } from '#http-kit/ids.ts'
import { recordAudit } from '../audit/record.ts'
import { checkChanges, protectedProblems, servicesOf } from '../../engine/changes/check-changes.ts'
import { refuseFor } from '../../engine/problem.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { freezeOperation } from '../operations/freeze.ts'
import { operationView } from '../../engine/steps/operation-view.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { makeScope } from '../../store/configuration/make-scope.ts'
import { readUsableServices } from '../../store/configuration/read-usable-services.ts'
import { findInstallation } from '../../store/installations/find-installation.ts'
import { findUndetached } from '../../store/installations/find-undetached.ts'
import { insertInstallation } from '../../store/installations/insert-installation.ts'
import { changeViews } from './change-views.ts'
import { installPlan } from '../../engine/plans/install-plan.ts'
import type { Seeds } from '../../engine/plans/install-plan.ts'
import { loadManifest } from './load-manifest.ts'
import { readSeeds } from './seed.ts'
import { factsOf, targetOf, unknownResources } from '../../engine/plans/target.ts'
import { installationView } from '../../engine/installation-view.ts'

type Name = 'POST /installations'

/**
 * Installs a version of a bundle: creates an installation, not installed yet, and its frozen INSTALL. The configuration
 * of the scope changes when the INSTALL succeeds. Checks in the order of docs/protocol.md#order-of-checks, as far as
 * they apply.
 */
export async function install(context: WriteContext, { body }: Input<Name>): Promise<Answer<Name>> {
  const { tx, actor, deps } = context
  const given = body.properties ?? {}
  refuseFor(protectedProblems(given))
  const manifest = await loadManifest(tx, body.bundle, body.targetVersion)
  const target = targetOf(manifest)
  const copied = body.copyFrom?.bundleInstallId
  const seeds: Seeds = copied === undefined ? new Map() : await readSeeds(context, copied, body.bundle)

  const scope = await makeScope(tx, body.scope, actor)
  if ((await findUndetached(tx, scope.scope_id, body.bundle)) !== undefined) throw alreadyInstalled()
  refuseFor(unknownResources(given, target.resources))
  const bundleInstallId = uuidv7(deps)
  const { plan, changes, missing } = installPlan({ target, bundleInstallId, given, seeds })
  const services = await readUsableServices(tx, body.scope, servicesOf(changes))
  refuseFor([...missing, ...checkChanges(changes, factsOf(target.resources), services)])

  await insertInstallation(tx, { bundleInstallId, scope, bundle: body.bundle, title: manifest.title })
  const reason = body.reason ?? null
  const operation = await freezeOperation(tx, deps.vault, {
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
    subject: `${manifest.title} ${body.targetVersion}`,
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

function alreadyInstalled(): DomainError {
  return new DomainError('INSTALLATION_EXISTS', platformMessage('installationExists'))
}

async function requireInstallation({ tx }: WriteContext, bundleInstallId: string) {
  const row = await findInstallation(tx, bundleInstallId)
  if (row === undefined) throw new Error('A new installation is missing')
  return row
}
