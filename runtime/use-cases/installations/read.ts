import { inTransaction } from '#database/transaction.ts'
import { propertyViews } from '../configuration/read.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { readStoredLedger } from '../../store/installations/ledger.ts'
import { currentAuthorizations } from './load-authorizations.ts'
import { installationView } from '../../engine/views.ts'
import { requireVisible, notFound } from '../authorize.ts'

type Name = 'GET /installations/{bundleInstallId}'

/** One installation with its ledger (values as last applied) and its plugins. */
export function readInstallation(
  { deps, actor }: ReadContext,
  { params }: Input<Name>,
): Promise<Answer<Name>> {
  return inTransaction(
    deps.db,
    async (tx) => {
      const row = await findInstallation(tx, params.bundleInstallId)
      if (row === undefined) throw notFound('installation')
      requireVisible(actor, scopeOf(row), 'installation')
      const scope = await findScope(tx, scopeOf(row))
      if (scope === undefined) throw new Error('An installation has no scope')
      const ledger = await readStoredLedger(tx, [row.bundle_install_id])
      return {
        ...installationView(row),
        resources: ledger.map((resource) => ({
          locator: resource.locator,
          title: resource.title,
          version: resource.version,
          verifiedAt: resource.verified_at,
          properties: propertyViews(resource.definitions, new Map(Object.entries(resource.properties))),
          definitions: resource.definitions,
        })),
        plugins: (await currentAuthorizations(tx, row, ledger)).map((plugin) => ({
          pluginId: plugin.pluginId,
          order: plugin.order,
          failurePolicy: plugin.failurePolicy,
          authorizations: plugin.resources,
        })),
        snapshotVersion: scope.snapshot_version,
      }
    },
    { isolation: 'repeatable read' },
  )
}
