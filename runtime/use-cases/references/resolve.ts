import type {
  AccessResolutionRequest,
  AccessResolutionResponse,
} from '#contract/protocol/access-resolution.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import { ACCESS_VERSION } from '#contract/protocol/limits.ts'
import type { AuthorizationReadRequest } from '#contract/protocol/plugin-reads.ts'
import { inTransaction } from '#database/transaction.ts'
import { rejectsWrites, throwUnless } from '#database/unreachable.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { isSamePlace } from '../../engine/resolution.ts'
import type { Db } from '../../model/db.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { readStoredLedger } from '../../store/installations/ledger.ts'
import { noteCredentialUse, hashOf } from '../../store/plugins/credentials.ts'
import type { PluginReads } from '../../store/references.ts'
import { currentAuthorizations } from '../installations/load-authorizations.ts'
import { loadTargets } from './read-references.ts'
import { ReadRefusal } from './read-refusal.ts'

const TOKEN_SECONDS = 300

/**
 * Gives a plugin access to all services that a property of an installation currently refers to, or to none.
 *
 * Throws DomainError as {@link loadTargets} does.
 */
export async function resolveReference(
  { signer, clock, reads }: Pick<RuntimeDeps, 'signer' | 'clock'> & { reads: PluginReads },
  pluginId: string,
  request: AccessResolutionRequest,
): Promise<AccessResolutionResponse> {
  const { installation, resource, propertyKey } = request
  const { reference, targets } = await loadTargets(reads, pluginId, request)
  // read before the tokens are signed, so that none of them expires earlier; they count in whole seconds
  const expiry = (Math.floor(clock.now().getTime() / 1000) + TOKEN_SECONDS) * 1000
  const tokens = await Promise.all(
    targets.map(({ service_id, methods }) =>
      signer.sign({ sub: pluginId, installation, methods }, service_id, TOKEN_SECONDS),
    ),
  )
  return {
    contractVersion: ACCESS_VERSION,
    installation,
    resource,
    propertyKey,
    reference,
    access: Object.fromEntries(
      targets.map(({ service_id, url }, index) => [service_id, { url, token: tokens[index] ?? '' }]),
    ),
    expiresAt: new Date(expiry).toISOString(),
  }
}

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
        throw new ReadRefusal(
          'INSTALLATION_NOT_ACTIVE',
          'INSTALLATION_NOT_ACTIVE',
          'This installation is not active.',
        )
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

function notBound(): ReadRefusal {
  return new ReadRefusal(
    'NOT_AUTHORIZED',
    'PERMISSION_DENIED',
    'The plugin has no authorization here: there is no such installation, or its bundle does not bind the plugin.',
  )
}

/**
 * The plugin that this credential belongs to, or null if the credential is unknown.
 *
 * Throws DomainError CREDENTIAL_REVOKED, or PLUGIN_NOT_REGISTERED if the plugin is disabled or retired.
 */
export async function authenticatePlugin(
  { db, reads }: { db: Db; reads: PluginReads },
  secret: string,
): Promise<string | null> {
  const holder = await reads.holderOf(hashOf(secret))
  if (holder === undefined) return null
  if (holder.revoked_at !== null)
    throw new ReadRefusal('CREDENTIAL_REVOKED', 'CREDENTIAL_REVOKED', 'This plugin credential was revoked.', {
      pluginId: holder.plugin_id,
    })
  if (!holder.enabled) {
    const message = `The plugin ${holder.plugin_id} is disabled or retired.`
    throw new ReadRefusal('PLUGIN_DISABLED', 'PLUGIN_NOT_REGISTERED', message, {
      retryable: true,
      pluginId: holder.plugin_id,
    })
  }
  // a commit for each resolution would cost more than the resolution
  if (holder.is_use_stale) await noteCredentialUse(db, holder.credential_id).catch(throwUnless(rejectsWrites))
  return holder.plugin_id
}
