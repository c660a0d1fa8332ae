import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationIdentityColumns } from '../../model/installation.ts'
import { beginning, containing, wordsOf } from '../text-search.ts'
import { isVisible, visibleScopes } from '../visible-scopes.ts'
import type { VisibleScopes } from '../visible-scopes.ts'
import { newestVersionOf } from './versions.ts'

export interface FoundPropertyRow extends InstallationIdentityColumns {
  locator: string
  resource: string
  property: string
  title: string
  /** How many installations have it and match; at most 100. */
  installations: number
}

const IDENTITY = ['environment_key', 'application_runtime_id', 'workspace_id', 'bundle_install_id']
const PROPERTY = ['bundle_environment_key', 'bundle_id', 'locator', 'resource', 'property', 'title']

/** The properties that match best; for others, no installations are looked up. */
const FOUND_MAX = 500

/** What tells a property of a version apart. */
const DEFINED = ['bundle_environment_key', 'bundle_id', 'locator', 'property']

/** The scopes that match most of the words; a search that matches more of them asks for no particular scope. */
const SCOPES_MAX = 1_000

const COUNTED_MAX = 100

/**
 * Properties of active installations that the actor may see. Each word must occur in the title or name of the property,
 * the title of its resource, its bundle or its scope; one of them in the title or name. Titles are those of the newest
 * version of the bundle. At most `perProperty` installations of each property, and `limit` in all. What begins with a word
 * comes first, then what has most of them in its title. Whether an installation has a property is known by the versions of its
 * resources: to look into the definitions of each would read up to a megabyte for each property. Words of a scope select among the 1,000 scopes that match most of them.
 */
export async function findInstalledProperties(
  db: Db,
  actor: Actor,
  options: { q: string; perProperty: number; limit: number },
): Promise<FoundPropertyRow[]> {
  const { perProperty, limit } = options
  const words = wordsOf(options.q)
  if (words.length === 0) return []
  const visible = await visibleScopes(db, actor, 'read', {})
  const patterns = words.map(containing)
  const each = (text: string, join: 'and' | 'or') =>
    sql`(${sql.join(
      patterns.map((pattern) => sql`${sql.ref(text)} ilike ${pattern}`),
      join === 'and' ? sql` and ` : sql` or `,
    )})`
  const countIn = (text: string) =>
    sql.join(
      patterns.map((pattern) => sql`(${sql.ref(text)} ilike ${pattern})::int`),
      sql` + `,
    )
  const identity = (table: string) => sql.join(IDENTITY.map((column) => sql.ref(`${table}.${column}`)))
  const answered = sql.join([...IDENTITY, ...PROPERTY].map((column) => sql.ref(column)))
  const isCandidate = sql`installation.state = 'ACTIVE' and ${isVisible(visible, 'installation')}`
  const columnsOf = (table: string) => sql.join(DEFINED.map((column) => sql.ref(`${table}.${column}`)))
  const hasIt = (installation: string, property: string) => sql`exists (
    select from runtime.installed_resource as resource
    where resource.bundle_install_id = ${sql.ref(`${installation}.bundle_install_id`)}
      and resource.locator = ${sql.ref(`${property}.locator`)}
      and ((resource.version, ${columnsOf(property)}) in (select version, ${columnsOf('defined')} from defined)) is true)`
  // "is true" keeps the set, which is made once, from being joined for each row
  const candidates = (condition: RawBuilder<unknown>) => sql`
    select * from found where ${condition} and ((${columnsOf('found')}) in (select ${columnsOf('defined')} from defined)) is true
    order by ${ranked('found')} limit ${FOUND_MAX}`
  const isPlaced = (property: string) => sql`(
    placed.bundle_environment_key = ${sql.ref(`${property}.bundle_environment_key`)}
    and placed.bundle_id = ${sql.ref(`${property}.bundle_id`)}
    and ${sql.join(
      patterns.map(
        (pattern) => sql`(${sql.ref(`${property}.text`)} ilike ${pattern} or placed.text ilike ${pattern})`,
      ),
      sql` and `,
    )})`
  const result = await sql<FoundPropertyRow>`
    with installed as materialized (${installedVersions(visible)}), found as materialized (
      select *, ${each('text', 'and')} as is_whole, title ilike any(${words.map(beginning)}::text[]) as begins,
        ${countIn('title')} as in_title from (
        select bundle.bundle_environment_key, bundle.bundle_id, one.*,
          concat_ws(' ', one.title, one.property) as name,
          concat_ws(' ', one.title, one.property, one.resource, newest.title, bundle.bundle_id) as text
        from (select distinct bundle_environment_key, bundle_id from installed) as bundle
        join lateral ${newestVersionOf('bundle')} as newest on true
        join runtime.bundle_version as published using (bundle_environment_key, bundle_id)
        cross join lateral jsonb_to_recordset(published.properties)
          as one (locator text, resource text, property text, title text)
        where published.version = newest.version
      ) as property
      where ${each('name', 'or')}
    ), defined as materialized (
      select version, ${sql.join(DEFINED.map((column) => sql.ref(column)))}
      from (
        select * from installed
        where (bundle_environment_key, bundle_id) in (select bundle_environment_key, bundle_id from found)
      ) as wanted
      join runtime.bundle_version as published using (bundle_environment_key, bundle_id, version)
      cross join lateral jsonb_to_recordset(published.properties) as one (locator text, property text)
    ), place as materialized (
      select scope_id, text from (
        select scope_id, environment_key || '/' || application_runtime_id || '/' || workspace_id as text
        from runtime.scope as scope where ${isVisible(visible, 'scope')}) as scope
      where ${each('text', 'or')}
      order by ${countIn('text')} desc, scope_id
      limit ${SCOPES_MAX}
    ), placed as materialized (
      select ${identity('installation')}, installation.bundle_environment_key, installation.bundle_id, place.text
      from place join runtime.installation as installation using (scope_id) where ${isCandidate}
    ), in_any_scope as (
      select found.*, ${identity('chosen')}
      from (${candidates(sql`is_whole`)}) as found
      cross join lateral (
        select ${identity('installation')} from runtime.installation as installation
        where installation.bundle_environment_key = found.bundle_environment_key
          and installation.bundle_id = found.bundle_id and ${isCandidate} and ${hasIt('installation', 'found')}
        limit ${perProperty}
      ) as chosen
      -- ordered as the outer rows are, so that the search ends at the limit
      order by ${ranked('found')} limit ${limit}
    ), in_place as (
      select found.*, ${identity('chosen')}
      from (${candidates(sql`not is_whole
        and ((bundle_environment_key, bundle_id) in (select bundle_environment_key, bundle_id from placed)) is true`)}) as found
      cross join lateral (
        select ${identity('placed')} from placed
        where ${isPlaced('found')} and ${hasIt('placed', 'found')}
        limit ${perProperty}
      ) as chosen
      order by ${ranked('found')} limit ${limit}
    )
    select ${answered}, installations from (
      select * from in_any_scope
      union all
      select * from in_place
    ) as answer
    cross join lateral (select count(*) as installations from (
      select from runtime.installation as installation
      where answer.is_whole and installation.bundle_environment_key = answer.bundle_environment_key
        and installation.bundle_id = answer.bundle_id and ${isCandidate} and ${hasIt('installation', 'answer')}
      union all
      select from placed where not answer.is_whole and ${isPlaced('answer')} and ${hasIt('placed', 'answer')}
      limit ${COUNTED_MAX}) as bounded) as counted
    order by is_whole desc, ${ranked('answer')}, environment_key, application_runtime_id, workspace_id
    limit ${limit}`.execute(db)
  return result.rows
}

/** First the titles that begin with a word, then those with most of the words. */
const ranked = (table: string): RawBuilder<unknown> =>
  sql.join([
    sql`${sql.ref(`${table}.begins`)} desc`,
    sql`${sql.ref(`${table}.in_title`)} desc`,
    ...['title', 'locator', 'property'].map((column) => sql.ref(`${table}.${column}`)),
  ])

/**
 * The versions that resources of active installations in the visible scopes may have: at least all that they have. During an UPGRADE, and
 * after its failure, these are those of its target before the installation has that version.
 */
function installedVersions(visible: VisibleScopes): RawBuilder<unknown> {
  const installed =
    visible.kind === 'scopes'
      ? sql`
      select bundle_environment_key, bundle_id, version from runtime.installation as installation
      where state = 'ACTIVE' and ${isVisible(visible, 'installation')}`
      : sql`
      select bundle_environment_key, bundle_id, version from runtime.version_count as counted
      where state = 'ACTIVE' and ${isVisible(visible, 'counted')}
      group by bundle_environment_key, bundle_id, version having sum(count) > 0`
  return sql`${installed}
    union
    select bundle_environment_key, bundle_id, target_version from runtime.operation as claim
    where claim.holds_claim and claim.operation_type = 'UPGRADE' and ${isVisible(visible, 'claim')}`
}
