import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { AuthorizationReadRequest } from '#contract/protocol/plugin-reads.ts'
import { inTransaction } from '#database/transaction.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { DomainError } from '../../engine/refusals.ts'
import { isSamePlace } from '../../engine/resolution.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { readStoredLedger } from '../../store/installations/ledger.ts'
import { currentAuthorizations } from '../installations/load-authorizations.ts'

/**
 * What this plugin may read, write and resolve on an installation: as frozen with the operation that claims it, else as
 * installed.
 *
 * Throws DomainError PERMISSION_DENIED, the same for a missing installation as for one of other plugins;
 * INSTALLATION_NOT_ACTIVE.
 */
export function readAuthorization(
  { db }: RuntimeDeps,
  pluginId: string,
  { installation }: AuthorizationReadRequest,
): Promise<CompiledAuthorization> {
  const { bundleInstallId } = installation
  // valid ids are UUIDs, and the database would reject anything else
  if (!Uuid.safeParse(bundleInstallId).success) throw notBound()
  return inTransaction(
    db,
    async (tx) => {
      const row = await findInstallation(tx, bundleInstallId)
      if (row === undefined || !isSamePlace(row, installation)) throw notBound()
      if (row.state !== 'ACTIVE' && row.claim_operation_id === null)
        throw new DomainError('INSTALLATION_NOT_ACTIVE', 'This installation is not active.')
      const ledger = await readStoredLedger(tx, [bundleInstallId])
      const authorizations = await currentAuthorizations(tx, row, ledger)
      return authorizations.find((authorization) => authorization.pluginId === pluginId) ?? refuse()
    },
    { isolation: 'repeatable read' },
  )
}

function refuse(): never {
  throw notBound()
}

function notBound(): DomainError {
  return new DomainError(
    'PERMISSION_DENIED',
    'The plugin has no authorization here: there is no such installation, or its bundle does not bind the plugin.',
  )
}
