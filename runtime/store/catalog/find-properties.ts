import { sql } from 'kysely'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationIdentityColumns } from '../../model/installation.ts'
import { containing, wordsOf } from '../like.ts'
import { visibleTo } from '../visible.ts'
import { newestVersionOf } from './newest-version.ts'

export interface FoundPropertyRow extends InstallationIdentityColumns {
  locator: string
  resource: string
  property: string
  title: string
}

const PROPERTIES_MAX = 20

/**
 * Properties of active installations that the actor may see. Each word must occur in the title or name of the property,
 * the title of its resource, its bundle or its scope; one of them in the title or name. Titles are those of the newest
 * version of the bundle. At most `perProperty` installations of each property, and `limit` in all.
 */
export async function findInstalledProperties(
  db: Db,
  actor: Actor,
  options: { q: string; perProperty: number; limit: number },
): Promise<FoundPropertyRow[]> {
  const { perProperty, limit } = options
  const words = wordsOf(options.q)
  if (words.length === 0) return []
  const patterns = words.map(containing)
  const each = (text: string, join: 'and' | 'or') =>
    sql`(${sql.join(
      patterns.map((pattern) => sql`${sql.ref(text)} ilike ${pattern}`),
      join === 'and' ? sql` and ` : sql` or `,
    )})`
  const columns = sql`installation.environment_key, installation.application_runtime_id, installation.workspace_id,
    installation.bundle_install_id`
  const isCandidate = sql`installation.bundle_environment_key = found.bundle_environment_key
    and installation.bundle_id = found.bundle_id and installation.state = 'ACTIVE'
    and ${visibleTo(actor, 'read', 'installation')}
    and exists (
      select from runtime.installed_resource as resource
      where resource.bundle_install_id = installation.bundle_install_id and resource.locator = found.locator
        and resource.definitions -> found.property is not null)`
  const result = await sql<FoundPropertyRow>`
    with found as materialized (
      select *, ${each('text', 'and')} as is_whole from (
        select bundle.bundle_environment_key, bundle.bundle_id, one.*,
          concat_ws(' ', one.title, one.property) as name,
          concat_ws(' ', one.title, one.property, one.resource, newest.title, bundle.bundle_id) as text
        from (select distinct bundle_environment_key, bundle_id from runtime.bundle_version) as bundle
        join lateral ${newestVersionOf('bundle')} as newest on true
        join runtime.bundle_version as published using (bundle_environment_key, bundle_id)
        cross join lateral jsonb_to_recordset(published.properties)
          as one (locator text, resource text, property text, title text)
        where published.version = newest.version
      ) as property
      where ${each('name', 'or')}
      order by is_whole desc, title, locator, property
      limit ${PROPERTIES_MAX}
    ), place as materialized (
      select scope_id, text from (
        select scope_id, environment_key || '/' || application_runtime_id || '/' || workspace_id as text
        from runtime.scope) as scope
      where ${each('text', 'or')}
    )
    select chosen.*, found.bundle_environment_key, found.bundle_id, found.locator, found.resource, found.property,
      found.title
    from found
    cross join lateral (
      (select ${columns} from runtime.installation as installation
        where found.is_whole and ${isCandidate} limit ${perProperty})
      union all
      (select ${columns} from place join runtime.installation as installation using (scope_id)
        where not found.is_whole and ${isCandidate}
          and ${sql.join(
            patterns.map((pattern) => sql`(found.text ilike ${pattern} or place.text ilike ${pattern})`),
            sql` and `,
          )}
        limit ${perProperty})
    ) as chosen
    order by found.is_whole desc, found.title, chosen.environment_key, chosen.application_runtime_id,
      chosen.workspace_id, found.locator, found.property
    limit ${limit}`.execute(db)
  return result.rows
}
