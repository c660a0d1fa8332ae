import { sql } from 'kysely'
import type { DomainHolder, DomainUse } from '../../model/gateway-domain.ts'
import type { Db, Tx } from '../../model/db.ts'
import { scopeOf } from './find-scope.ts'

/** Who uses these domains in an environment. */
export async function readDomainHolders(
  db: Db,
  environmentKey: string,
  domains: readonly string[],
): Promise<DomainHolder[]> {
  if (domains.length === 0) return []
  const rows = await db
    .selectFrom('runtime.gateway_domain as held')
    .innerJoin(
      'runtime.installation as installation',
      'installation.bundle_install_id',
      'held.bundle_install_id',
    )
    .select([
      'held.domain',
      'held.locator',
      'held.property',
      'held.bundle_install_id',
      'installation.environment_key',
      'installation.application_runtime_id',
      'installation.workspace_id',
    ])
    .where('held.environment_key', '=', environmentKey)
    .where('held.domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .execute()
  return rows.map((row) => ({
    domain: row.domain,
    locator: row.locator,
    property: row.property,
    bundleInstallId: row.bundle_install_id,
    scope: scopeOf(row),
  }))
}

/**
 * Replaces the domains of an installation. Waits for transactions that hold one of them. Returns those that another
 * gateway holds; the transaction must then be rolled back, unless the installation had them before as well.
 */
export async function replaceDomains(
  tx: Tx,
  { environmentKey, bundleInstallId }: { environmentKey: string; bundleInstallId: string },
  uses: readonly DomainUse[],
): Promise<DomainUse[]> {
  await releaseDomains(tx, [bundleInstallId])
  if (uses.length === 0) return []
  const held = await tx
    .insertInto('runtime.gateway_domain')
    .values(
      // in one order, so that two transactions with the same domains do not deadlock
      uses
        .toSorted((one, other) => (one.domain < other.domain ? -1 : 1))
        .map(({ domain, locator, property }) => ({
          environment_key: environmentKey,
          domain,
          bundle_install_id: bundleInstallId,
          locator,
          property,
        })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['locator', 'property'])
    .execute()
  return uses.filter(
    ({ locator, property }) => !held.some((one) => one.locator === locator && one.property === property),
  )
}

/** Releases all domains of installations, so that other gateways may use them. */
export async function releaseDomains(tx: Tx, bundleInstallIds: readonly string[]): Promise<void> {
  if (bundleInstallIds.length === 0) return
  await tx
    .deleteFrom('runtime.gateway_domain')
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .execute()
}
