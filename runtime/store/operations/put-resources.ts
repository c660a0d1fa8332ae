import { sql } from 'kysely'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { PlannedResource } from '../../operations/plan.ts'
import type { Tx } from '../../world.ts'
import { inBatches } from '../batches.ts'

/** A planned resource with the properties that it gets. */
export type ResourceToPut = Omit<PlannedResource, 'properties'> & { properties: Record<string, TypedValue> }

/**
 * Writes resources into the ledger of an installation, verified now. instanceRefProperty is written once: where the
 * ledger has it, it stays. Throws when not every resource stands there afterwards.
 */
export async function putResources(
  tx: Tx,
  owner: { bundleInstallId: string; scopeId: number },
  resources: readonly ResourceToPut[],
): Promise<void> {
  for (const batch of inBatches(resources)) {
    const rows = batch.map(
      (resource) => sql`(${owner.bundleInstallId}::uuid, ${resource.locator}, ${owner.scopeId}::bigint,
        ${resource.kind}, ${resource.title}, ${resource.moduleId}, ${resource.targetVersion},
        ${JSON.stringify(resource.definitions)}::json, ${JSON.stringify(resource.writtenBy)}::json,
        ${JSON.stringify(resource.properties)}::jsonb)`,
    )
    const put = await sql`
      insert into runtime.installed_resource
        (bundle_install_id, locator, scope_id, kind, title, module_id, version, definitions, written_by, properties)
      values ${sql.join(rows)}
      on conflict (bundle_install_id, locator) do update
      set title = excluded.title, module_id = excluded.module_id, version = excluded.version,
        definitions = excluded.definitions, written_by = excluded.written_by,
        properties = excluded.properties || case when installed_resource.properties ? ${INSTANCE_REF_PROPERTY}
          then jsonb_build_object(${INSTANCE_REF_PROPERTY}::text,
            installed_resource.properties -> ${INSTANCE_REF_PROPERTY})
          else '{}' end,
        verified_at = clock_timestamp()`.execute(tx)
    if (put.numAffectedRows !== BigInt(batch.length)) throw new Error('a resource could not be verified')
  }
}
