import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Db, Tx } from '../../model/db.ts'
import type { LedgerRow, StoredLedgerRow, ResourceToPut, OwnedResource } from '../../model/ledger.ts'
import type { StoredValue } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { opening, openingWith, sealingWith } from '../../sealing/sealed-value.ts'
import { mapLedger } from '../../sealing/places.ts'
import { claimColumns } from './installations.ts'

/** Returns all resources that the given installations own, as the RESOURCES phase last applied and verified them. */
export async function readLedger(
  db: Db,
  vault: Vault,
  bundleInstallIds: readonly string[],
): Promise<LedgerRow[]> {
  const rows = await readStoredLedger(db, bundleInstallIds)
  const open = openingWith(vault)
  return opening(vault, db, () =>
    rows.map((row) => {
      const key = { bundleInstallId: row.bundle_install_id, locator: row.locator }
      return { ...row, properties: mapLedger(key, row.properties, open) }
    }),
  )
}

/** Like `readLedger`, but with values as stored, sealed ones included: sufficient for showing them to people. */
export function readStoredLedger(db: Db, bundleInstallIds: readonly string[]): Promise<StoredLedgerRow[]> {
  return db
    .selectFrom('runtime.installed_resource')
    .selectAll()
    .where('bundle_install_id', '=', sql<string>`any(${[...bundleInstallIds]}::uuid[])`)
    .orderBy('locator')
    .execute()
}

/**
 * The resources that ACTIVE installations of a scope own: all, or the given ones. One statement reads both ledger and
 * claim. Under the lock of the scope, an unclaimed installation stays unclaimed.
 */
export function readOwnedResources(
  db: Db,
  scopeId: number,
  locators?: readonly string[],
): Promise<OwnedResource[]> {
  let query = db
    .selectFrom('runtime.installed_resource as resource')
    .innerJoin('runtime.installation as installation', (join) =>
      join
        .onRef('installation.bundle_install_id', '=', 'resource.bundle_install_id')
        .on('installation.state', '=', 'ACTIVE'),
    )
    .leftJoin('runtime.operation as claim', (join) =>
      join
        .onRef('claim.bundle_install_id', '=', 'resource.bundle_install_id')
        .on('claim.holds_claim', '=', true),
    )
    .select([
      'resource.locator',
      'resource.bundle_install_id',
      'resource.kind',
      'resource.title',
      'resource.definitions',
      'resource.written_by',
      ...claimColumns,
    ])
    .where('resource.scope_id', '=', scopeId)
    .orderBy('resource.locator')
  if (locators !== undefined)
    query = query.where('resource.locator', '=', sql<string>`any(${[...locators]}::text[])`)
  return query.execute()
}

/**
 * Replaces the definitions of a resource in the ledger and seals its values accordingly. `verified_at` does not
 * change.
 */
export async function putDefinitions(
  tx: Tx,
  vault: Vault,
  row: Pick<LedgerRow, 'bundle_install_id' | 'locator' | 'definitions' | 'properties'>,
): Promise<void> {
  const key = { bundleInstallId: row.bundle_install_id, locator: row.locator }
  const properties = mapLedger(key, row.properties, sealingWith(vault), row.definitions)
  await tx
    .updateTable('runtime.installed_resource')
    .set({ definitions: JSON.stringify(row.definitions), properties: JSON.stringify(properties) })
    .where('bundle_install_id', '=', row.bundle_install_id)
    .where('locator', '=', row.locator)
    .execute()
}

/**
 * For `persistTransitions`: writes resources into the ledgers of their installations and marks them as verified now.
 * instanceRefProperty is written once: an existing value stays.
 */
export function putResources(vault: Vault, resources: readonly ResourceToPut[]): RawBuilder<unknown> {
  const column = <Value>(valueOf: (resource: ResourceToPut) => Value): Value[] => resources.map(valueOf)
  return sql`
    put as (
      insert into runtime.installed_resource
        (bundle_install_id, locator, scope_id, kind, title, module_id, version, definitions, written_by, properties)
      select bundle_install_id, locator, scope_id, kind, title, module_id, version,
        definitions::json, written_by::json, properties::jsonb
      from unnest(
        ${column(({ operationId }) => operationId)}::uuid[],
        ${column(({ bundleInstallId }) => bundleInstallId)}::uuid[],
        ${column(({ locator }) => locator)}::text[],
        ${column(({ scopeId }) => scopeId)}::bigint[],
        ${column(({ kind }) => kind)}::text[],
        ${column(({ title }) => title)}::text[],
        ${column(({ moduleId }) => moduleId)}::text[],
        ${column(({ targetVersion }) => targetVersion)}::text[],
        ${column(({ definitions }) => JSON.stringify(definitions))}::text[],
        ${column(({ writtenBy }) => JSON.stringify(writtenBy))}::text[],
        ${column((resource) => JSON.stringify(sealed(vault, resource)))}::text[])
        as putting (operation_id, bundle_install_id, locator, scope_id, kind, title, module_id, version, definitions,
          written_by, properties)
      join confirmed using (operation_id)
      on conflict (bundle_install_id, locator) do update
      set title = excluded.title, module_id = excluded.module_id, version = excluded.version,
        definitions = excluded.definitions, written_by = excluded.written_by,
        properties = excluded.properties || case when installed_resource.properties ? ${INSTANCE_REF_PROPERTY}
          then jsonb_build_object(${INSTANCE_REF_PROPERTY}::text,
            installed_resource.properties -> ${INSTANCE_REF_PROPERTY})
          else '{}' end,
        verified_at = clock_timestamp()
    )`
}

function sealed(vault: Vault, resource: ResourceToPut): Record<string, StoredValue> {
  return mapLedger(resource, resource.properties, sealingWith(vault), resource.definitions)
}

interface ResourceWrites {
  bundleInstallId: string
  locator: string
  properties: Record<string, TypedValue>
}

/** Adds the writes of plugins after the RESOURCES phase to the properties in the ledger. */
export async function putResourceWrites(
  tx: Tx,
  vault: Vault,
  writes: readonly ResourceWrites[],
): Promise<void> {
  if (writes.length === 0) return
  await sql`
    update runtime.installed_resource
    set properties = installed_resource.properties || written.properties::jsonb
    from unnest(
      ${writes.map(({ bundleInstallId }) => bundleInstallId)}::uuid[],
      ${writes.map(({ locator }) => locator)}::text[],
      ${writes.map((one) => JSON.stringify(mapLedger(one, one.properties, sealingWith(vault))))}::text[])
      as written (bundle_install_id, locator, properties)
    where installed_resource.bundle_install_id = written.bundle_install_id
      and installed_resource.locator = written.locator`.execute(tx)
}

/** Deletes the given resources from the ledgers of their installations. */
export async function deleteResources(
  tx: Tx,
  resources: readonly { bundleInstallId: string; locator: string }[],
): Promise<void> {
  if (resources.length === 0) return
  await sql`
    delete from runtime.installed_resource
    using unnest(
      ${resources.map(({ bundleInstallId }) => bundleInstallId)}::uuid[],
      ${resources.map(({ locator }) => locator)}::text[]) as gone (bundle_install_id, locator)
    where installed_resource.bundle_install_id = gone.bundle_install_id
      and installed_resource.locator = gone.locator`.execute(tx)
}

/** Deletes all resources from the ledgers of installations. */
export async function emptyLedgers(tx: Tx, bundleInstallIds: readonly string[]): Promise<void> {
  if (bundleInstallIds.length === 0) return
  await sql`
    delete from runtime.installed_resource
    where bundle_install_id = any(${[...bundleInstallIds]}::uuid[])`.execute(tx)
}
