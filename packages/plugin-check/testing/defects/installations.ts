import { breaks } from './defect.ts'
import { editing, refusing, installs, markOf, tenantsOf } from './plant.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { digest, type Change } from '../reference-parts.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with a DETACH and between installations.

/** Stores the sequences under a part of the id. */
const knowingInstallationBy =
  (partOf: (bundleInstallId: string) => string): Change =>
  (parts) => {
    const { fence, raise } = parts
    const cut = (request: LifecycleRequest): LifecycleRequest => {
      const { installation } = request
      return {
        ...request,
        installation: { ...installation, bundleInstallId: partOf(installation.bundleInstallId) },
      }
    }
    parts.fence = (request) => fence(cut(request))
    parts.raise = (request) => raise(cut(request))
  }

export const INSTALLATION_DEFECTS = {
  'detach-must-find': breaks(
    'detach.unknown-installation',
    'fails a DETACH that finds nothing',
    (parts) => {
      const { remove } = parts
      parts.remove = (request) => {
        const removed = remove(request)
        if (removed === 0) throw new Refusal('NOT_INSTALLED', 'There is nothing to remove')
        return removed
      }
    },
    ['detach', 'late', 'restart', 'concurrent'],
  ),
  'detach-needs-version': breaks(
    'detach.takes-over-install',
    'removes nothing if no version is installed',
    (parts) => {
      const { remove } = parts
      parts.remove = (request) => (request.operation.currentVersion === null ? 0 : remove(request))
    },
    ['detach.while-running', 'late', 'repeat'],
  ),
  'detach-by-version': breaks(
    'detach.after-upgrade',
    'stores a tenant under its version, and removes those of the current one',
    (parts, { state }) => {
      const { tenantKey } = parts
      parts.tenantKey = (request, locator) =>
        `${tenantKey(request, locator)} ${request.operation.targetVersion}`
      parts.remove = ({ installation, operation }) => {
        const removed = Object.entries(state.tenants).filter(
          ([, { bundleInstallId, version }]) =>
            bundleInstallId === installation.bundleInstallId && version === operation.currentVersion,
        )
        for (const [key] of removed) delete state.tenants[key]
        return removed.length
      }
    },
    ['module', 'detach'],
  ),
  'versions-as-numbers': breaks(
    'version.similar',
    'does nothing in an UPGRADE between versions that are equal as numbers',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) => {
        const { operationType, currentVersion, targetVersion } = request.operation
        const isSame = Number.parseFloat(currentVersion ?? '') === Number.parseFloat(targetVersion)
        return operationType === 'UPGRADE' && isSame
          ? { outcome: 'NOT_APPLIED', resources: {} }
          : apply(request)
      }
    },
  ),
  'workspace-zero': breaks(
    'isolation.workspace-numbers',
    'omits workspaceId 0 in a response',
    editing(({ data: { installation } }) => {
      if (installation['workspaceId'] === 0) delete installation['workspaceId']
    }),
  ),
  'detach-once': breaks(
    'detach.twice',
    'refuses a second DETACH',
    refusing(
      (request, world) =>
        request.operation.operationType === 'DETACH' &&
        markOf(world, request)?.isDetached === true &&
        request.stage === 'BEFORE_RESOURCES',
    ),
    ['isolation'],
  ),
  'detach-needs-install': breaks(
    'detach.takes-over-install',
    'refuses a DETACH of an INSTALL that is not complete',
    (parts, world) => {
      const { fence } = parts
      parts.fence = (request) => {
        fence(request)
        const { bundleInstallId } = request.installation
        const isComplete = Object.values(world.state.calls).some(
          (call) => call.bundleInstallId === bundleInstallId && call.answer.includes('AFTER_RESOURCES'),
        )
        if (
          request.operation.operationType === 'DETACH' &&
          tenantsOf(world, request).length > 0 &&
          !isComplete
        )
          throw new Refusal('INSTALL_RUNNING', 'The INSTALL is not complete')
      }
    },
    ['late', 'detach', 'repeat', 'isolation', 'token', 'failure'],
  ),
  'detach-needs-configure': breaks(
    'detach.takes-over-configure',
    'refuses a DETACH of a CONFIGURE that is not complete',
    (parts, world) => {
      const { fence } = parts
      parts.fence = (request) => {
        fence(request)
        const { bundleInstallId } = request.installation
        const done = Object.values(world.state.calls).filter(
          (call) => call.bundleInstallId === bundleInstallId && call.answer.includes('"CONFIGURE"'),
        )
        const isOpen =
          done.some(({ answer }) => answer.includes('BEFORE_RESOURCES')) &&
          !done.some(({ answer }) => answer.includes('AFTER_RESOURCES'))
        if (request.operation.operationType === 'DETACH' && isOpen)
          throw new Refusal('CONFIGURE_RUNNING', 'The CONFIGURE is not complete')
      }
    },
    ['late', 'secret'],
  ),
  'no-tombstone': breaks(
    'late.every-call',
    'forgets the sequence after a DETACH',
    (parts, { state }) => {
      const { remember } = parts
      parts.remember = (key, call, request) => {
        remember(key, call, request)
        if (request.operation.operationType === 'DETACH' && request.stage === 'AFTER_RESOURCES')
          delete state.marks[request.installation.bundleInstallId]
      }
    },
    ['detach', 'late', 'restart.tombstone'],
  ),
  'install-while-removed': breaks(
    'detach.install-again',
    'refuses to install a bundle again after a DETACH',
    (parts, { state }) => {
      const { fence } = parts
      const removed = new Set<string>()
      parts.fence = (request) => {
        fence(request)
        const { bundleId } = request.installation.bundle
        if (request.operation.operationType === 'DETACH' && request.stage === 'AFTER_RESOURCES')
          removed.add(bundleId)
        else if (
          installs(request) &&
          removed.has(bundleId) &&
          state.marks[request.installation.bundleInstallId]?.sequence === undefined
        ) {
          removed.delete(bundleId)
          throw new Refusal('DETACHED', 'The bundle was detached')
        }
      }
    },
    ['*'],
  ),
  'token-of-workspace': breaks(
    'isolation.issued-values-differ',
    'issues one token for each workspace',
    (parts) => {
      parts.tokenOf = ({ installation }) => digest(`workspace ${installation.workspaceId}`)
    },
    ['detach.new-token-after-reinstall', 'isolation.same-operation-id'],
  ),
  'token-of-bundle': breaks(
    'isolation.issued-values-differ-between-workspaces',
    'derives its token from the bundle',
    (parts) => {
      parts.tokenOf = ({ installation }) => digest(installation.bundle.bundleId)
    },
    ['isolation', 'detach.new-token-after-reinstall'],
  ),
  'detach-removes-all': breaks(
    'isolation.detach-leaves-others',
    'removes every tenant of the bundle in a DETACH',
    (parts, { state }) => {
      parts.remove = ({ installation }) => {
        const removed = Object.entries(state.tenants).filter(
          ([, { bundleId }]) => bundleId === installation.bundle.bundleId,
        )
        for (const [key] of removed) delete state.tenants[key]
        return removed.length
      }
    },
    ['repeat'],
  ),
  'id-by-end': breaks(
    'isolation.similar-ids',
    'knows an installation by the end of its bundleInstallId',
    knowingInstallationBy((id) => id.slice(-12)),
  ),
  'id-by-start': breaks(
    'isolation.similar-ids',
    'knows an installation by the start of its bundleInstallId, which is a time',
    knowingInstallationBy((id) => id.slice(0, 8)),
    ['*'],
  ),
  'needs-workspace': breaks(
    'isolation.workspace-numbers',
    'takes workspaceId 0 for a missing one',
    refusing(({ installation }) => installation.workspaceId === 0, 'WORKSPACE_MISSING'),
  ),
  'tenant-of-workspace': breaks(
    'isolation.same-scope',
    'makes one tenant for each workspace',
    (parts) => {
      parts.tenantKey = ({ installation }, locator) => `${installation.workspaceId} ${locator}`
    },
    ['*'],
  ),
}
