import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import { INSTANCE_REF_PROPERTY } from '#contract/protocol/limits.ts'
import { mapLedger } from '../../sealing/places.ts'
import { sealingWith } from '../../sealing/stored-value.ts'
import type { ResourceToPut } from '../../model/ledger.ts'
import type { StoredValue } from '../../model/stored-value.ts'
import type { Vault } from '../../model/vault.ts'

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
