import { sql } from 'kysely'
import type { DomainHolder, DomainUse } from '../../model/plan.ts'
import type { Db, Tx } from '../../model/db.ts'
import { scopeOf } from './scopes.ts'

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
 * Replaces the domains of an installation; a domain that stays is not written. Waits for transactions that take one of
 * the new ones. Returns those that another gateway holds; the transaction must then be rolled back, unless the
 * installation had them before as well.
 */
export async function replaceDomains(
  tx: Tx,
  { environmentKey, bundleInstallId }: { environmentKey: string; bundleInstallId: string },
  uses: readonly DomainUse[],
): Promise<DomainUse[]> {
  const inUse = await tx
    .selectFrom('runtime.gateway_domain')
    .select(['domain', 'locator', 'property'])
    .where('bundle_install_id', '=', bundleInstallId)
    .execute()
  const lacks = (list: readonly DomainUse[]) => {
    const known = new Set(list.map(textOf))
    return (use: DomainUse) => !known.has(textOf(use))
  }
  const released = inUse.filter(lacks(uses)).map(({ domain }) => domain)
  if (released.length > 0)
    await tx
      .deleteFrom('runtime.gateway_domain')
      .where('bundle_install_id', '=', bundleInstallId)
      .where('domain', '=', sql<string>`any(${released}::text[])`)
      .execute()
  const wanted = uses.filter(lacks(inUse))
  if (wanted.length === 0) return []
  const taken = await tx
    .insertInto('runtime.gateway_domain')
    .values(
      // in one order, so that two transactions with the same domains do not deadlock
      wanted
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
    .returning(['domain', 'locator', 'property'])
    .execute()
  return wanted.filter(lacks(taken))
}

const textOf = ({ domain, locator, property }: DomainUse): string =>
  JSON.stringify([domain, locator, property])

/** Releases all domains of installations, so that other gateways may use them. */
export async function releaseDomains(tx: Tx, bundleInstallIds: readonly string[]): Promise<void> {
  if (bundleInstallIds.length === 0) return
  await tx
    .deleteFrom('runtime.gateway_domain')
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .execute()
}
