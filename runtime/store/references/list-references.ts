import { sql } from 'kysely'
import type { Reference } from '#contract/protocol/typed-value.ts'
import type { Db } from '../../model/db.ts'

/** A reference property of an installation: its value as saved and as last applied. */
export interface ReferenceRow {
  locator: string
  /** Null if the resource is not installed yet. */
  resource_title: string | null
  property: string
  saved: Reference | null
  applied: Reference | null
  is_changed: boolean
}

/** The reference properties of an installation, ordered by locator and property. */
export async function listReferences(db: Db, bundleInstallId: string): Promise<ReferenceRow[]> {
  const { rows } = await sql<ReferenceRow>`
    select locator, resource_title, property, saved.value as saved, applied.value as applied,
      saved.value is distinct from applied.value as is_changed
    from (
      select locator, property, value from runtime.configuration_property
      where bundle_install_id = ${bundleInstallId} and value ->> '@type' like 'ServiceReference%'
    ) as saved
    full join (
      select locator, key as property, value from runtime.installed_resource, jsonb_each(properties)
      where bundle_install_id = ${bundleInstallId} and value ->> '@type' like 'ServiceReference%'
    ) as applied using (locator, property)
    left join (
      select locator, title as resource_title from runtime.installed_resource
      where bundle_install_id = ${bundleInstallId}
    ) as resource using (locator)
    order by locator, property`.execute(db)
  return rows
}
