import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { ClaimState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'
import { MERGED_STREAMS_MAX } from '../visible-scopes.ts'
import { containing, findIds, wordsOf } from '../text-search.ts'

/** Returns the ids of bundles that are or were installed and whose id contains the text, ignoring case. */
export async function findBundles(db: Db, text: string): Promise<string[]> {
  // a loose index scan: steps from bundle to bundle, however often each one is installed
  const { rows } = await sql<{ bundle_id: string }>`
    with recursive bundle (bundle_id) as (
      (select bundle_id from runtime.installation order by bundle_id limit 1)
      union all
      select (select installation.bundle_id from runtime.installation
        where installation.bundle_id > bundle.bundle_id order by installation.bundle_id limit 1)
      from bundle where bundle.bundle_id is not null
    )
    select bundle_id from bundle where bundle_id ilike ${containing(text)}`.execute(db)
  return rows.map(({ bundle_id }) => bundle_id)
}

/** Like `findBundles`, plus the bundles that have a version whose title contains the text. */
export async function findTitledBundles(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{ bundle_id: string }>`
    select distinct bundle_id from runtime.bundle_version where title ilike ${containing(text)}`.execute(db)
  return [...new Set([...(await findBundles(db, text)), ...rows.map(({ bundle_id }) => bundle_id)])]
}

type WantedClaim = ClaimState | 'any' | 'none'

/** Up to this number of claims, looking up each installation is faster than filtering a scan of all installations. */
const LOOKUP_LIMIT = 2000

/** The condition that a row of `runtime.installation` has one of the wanted claims. */
export async function claimedAs(
  db: Db,
  wanted: readonly WantedClaim[],
  lookupLimit = LOOKUP_LIMIT,
): Promise<RawBuilder<unknown>> {
  const isUnclaimed = sql`not exists (select from runtime.operation as claimed
    where claimed.bundle_install_id = installation.bundle_install_id and claimed.holds_claim)`
  const states = wanted.filter((claim) => claim !== 'any' && claim !== 'none')
  const claimed = sql<{ bundle_install_id: string }>`
    select claimed.bundle_install_id from runtime.operation as claimed
    where claimed.holds_claim and ${wanted.includes('any') ? sql`true` : sql`claimed.state = any(${states}::text[])`}`
  // `is true` makes the planner hash the claims once instead of joining them
  const isHeld = sql`(installation.bundle_install_id in (${claimed})) is true`
  if (wanted.includes('none')) return wanted.length === 1 ? isUnclaimed : sql`(${isUnclaimed} or ${isHeld})`

  const { rows } = await sql<{ bundle_install_id: string }>`
    ${claimed} limit ${lookupLimit + 1}`.execute(db)
  if (rows.length > lookupLimit) return isHeld
  const ids = rows.map(({ bundle_install_id }) => bundle_install_id)
  // the ids narrow the search; the second condition drops claims that were released in the meantime
  return sql`(installation.bundle_install_id = any(${ids}::uuid[]) and ${isHeld})`
}

/** What one word of a search may mean: keys of the lists that contain every installation that it matches. */
export interface InstallationWord {
  word: string
  bundles: readonly string[]
  versions: readonly string[]
  /** At most one more than can be merged. */
  scopes: readonly number[]
  ids: readonly string[]
  /** About how many installations it matches; infinite if it has too many scopes. */
  installations: number
}

type Keys = Omit<InstallationWord, 'installations'>

/** Looks up each word of a search among bundles, versions, scopes and ids, which are few. */
export async function findInstallationWords(db: Db, text: string): Promise<InstallationWord[]> {
  const applications = await listApplications(db)
  return Promise.all(
    wordsOf(text).map(async (word) => {
      const keys = {
        word,
        bundles: await findTitledBundles(db, word),
        versions: await findVersions(db, word),
        scopes: await findScopes(db, word, applications),
        ids: await findIds(db, 'installation', word),
      }
      return { ...keys, installations: await countInstallations(db, keys) }
    }),
  )
}

/** Of bundles and versions from their counts, of scopes by index. */
async function countInstallations(db: Db, { bundles, versions, scopes, ids }: Keys): Promise<number> {
  if (scopes.length > MERGED_STREAMS_MAX) return Infinity
  const { rows } = await sql<{ count: number }>`
    select ((
      select coalesce(sum(count), 0) from runtime.version_count
      where bundle_id = any(${bundles}::text[]) or version = any(${versions}::text[])
    ) + (select count(*) from runtime.installation where scope_id = any(${scopes}::bigint[])
    ))::float8 as count`.execute(db)
  return (rows[0]?.count ?? 0) + ids.length
}

/** The condition that bundle, title, scope or version contain a word, or that the id starts or ends with it. */
export function isWordFound({ word, bundles, versions, scopes, ids }: InstallationWord): RawBuilder<unknown> {
  const pattern = containing(word)
  // comparing keys costs much less than looking into texts, and excludes most rows
  const isAmongKeys =
    scopes.length > MERGED_STREAMS_MAX
      ? sql`true`
      : sql`(installation.bundle_id = any(${bundles}::text[]) or installation.version = any(${versions}::text[])
          or installation.scope_id = any(${scopes}::bigint[]) or installation.bundle_install_id = any(${ids}::uuid[]))`
  return sql`${isAmongKeys} and (installation.bundle_id ilike ${pattern} or installation.title ilike ${pattern}
    or installation.version ilike ${pattern} or ${SCOPE} ilike ${pattern}
    or installation.bundle_install_id = any(${ids}::uuid[]))`
}

const SCOPE = sql`(installation.environment_key || '/' || installation.application_runtime_id || '/' || installation.workspace_id)`

/** The applications that have scopes, each with its environment: the two first columns of a scope, as lists. */
interface Applications {
  environments: string[]
  ids: string[]
}

/** Up to this number of applications, finding them costs less than comparing all scopes. */
const APPLICATIONS_MAX = 500

/** All applications; null if there are too many. Steps from one to the next, however many scopes each has. */
async function listApplications(db: Db): Promise<Applications | null> {
  const { rows } = await sql<{ environment: string; id: string }>`
    with recursive application (environment, id) as (
      (select environment_key, application_runtime_id from runtime.scope order by 1, 2 limit 1)
      union all
      select next.* from application cross join lateral (
        select environment_key, application_runtime_id from runtime.scope
        where (environment_key, application_runtime_id) > (application.environment, application.id)
        order by 1, 2 limit 1) as next
    )
    select environment, id from application limit ${APPLICATIONS_MAX + 1}`.execute(db)
  if (rows.length > APPLICATIONS_MAX) return null
  return { environments: rows.map(({ environment }) => environment), ids: rows.map(({ id }) => id) }
}

async function findScopes(db: Db, word: string, applications: Applications | null): Promise<number[]> {
  // a workspace has only digits, and only a slash leads from one part to the next
  const isOfApplication = /\D/.test(word) && !word.includes('/')
  const isFound =
    isOfApplication && applications !== null
      ? sql`(environment_key, application_runtime_id) in (
          select environment, id
          from unnest(${applications.environments}::text[], ${applications.ids}::text[]) as application (environment, id)
          where lower(environment || '/' || id) like lower(${containing(word)}))`
      : sql`path like lower(${containing(word)})`
  const { rows } = await sql<{ scope_id: number }>`
    select scope_id from runtime.scope where ${isFound} limit ${MERGED_STREAMS_MAX + 1}`.execute(db)
  return rows.map(({ scope_id }) => scope_id)
}

/** The installed versions that contain the word. */
async function findVersions(db: Db, word: string): Promise<string[]> {
  const { rows } = await sql<{ version: string }>`
    select version from runtime.version_count where version ilike ${containing(word)}
    group by version having sum(count) > 0`.execute(db)
  return rows.map(({ version }) => version)
}
