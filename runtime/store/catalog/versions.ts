import { sql } from 'kysely'
import type { Selectable, RawBuilder } from 'kysely'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { BundleRef } from '#contract/protocol/scope.ts'
import type { STANDINGS } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx, Db } from '../../model/db.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { instantAt, microsecondsOf } from '../instants.ts'
import { containsText } from '../text-search.ts'

/** Publishes a version. Returns false if it is already published; the published version does not change. */
export async function insertVersion(
  tx: Tx,
  manifest: AuthorManifest,
  actor: Pick<Actor, 'id' | 'name'>,
): Promise<boolean> {
  const result = await tx
    .insertInto('runtime.bundle_version')
    .values({
      bundle_environment_key: manifest.bundle.environmentKey,
      bundle_id: manifest.bundle.bundleId,
      version: manifest.version,
      title: manifest.title,
      description: manifest.description ?? null,
      manifest: JSON.stringify(manifest),
      published_by_id: actor.id,
      published_by_name: actor.name,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) === 1
}

/** Returns one published version with its manifest. */
export function findVersion(
  db: Db,
  bundle: BundleRef,
  version: string,
): Promise<Selectable<RuntimeTables['runtime.bundle_version']> | undefined> {
  return db
    .selectFrom('runtime.bundle_version')
    .selectAll()
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .executeTakeFirst()
}

/** Among the versions of a row's bundle that meet a condition, the newest that is recalled, or the newest that is not. */
const newestAmong = (table: string, isRecalled: boolean, condition: RawBuilder<boolean>) => sql`(
  select published.version, published.title, published.description, published.precedence, published.is_release,
    published.published_at, ${sql.lit(isRecalled)} as is_recalled
  from runtime.bundle_version as published
  where published.bundle_environment_key = ${sql.ref(`${table}.bundle_environment_key`)}
    and published.bundle_id = ${sql.ref(`${table}.bundle_id`)}
    and published.standing ${isRecalled ? sql`=` : sql`is distinct from`} 'RECALLED'
    and ${condition}
  order by published.is_release desc, published.precedence desc, published.published_at desc, published.version desc
  limit 1)`

/**
 * The newest published version of the bundle of a row, as a subquery of one row: the highest release, or the highest
 * version if there is no release. A recalled one only if all are. Expects the columns bundle_environment_key and bundle_id of the
 * alias.
 */
// as two statements, each of which is the first entry of its index
export const newestVersionOf = (table: string): RawBuilder<unknown> => sql`(
  select * from (${newestAmong(table, false, sql`true`)} union all ${newestAmong(table, true, sql`true`)}) as either
  order by is_recalled limit 1)`

/** The same of the versions that can be offered: those that a column with a pin names, without the recalled ones; maybe no row. */
export const newestOffered = (table: string, pin: string): RawBuilder<unknown> =>
  newestAmong(table, false, isPinned('published', pin))

/** The condition that a version is one of those that a column names, as `isPinnedTo` decides it; also if the column is null. */
const isPinned = (version: string, pin: string): RawBuilder<boolean> => sql<boolean>`(case
    when ${sql.ref(pin)} is null then true
    when right(${sql.ref(pin)}, 2) = '.x' then starts_with(${sql.ref(`${version}.version`)}, left(${sql.ref(pin)}, -1))
    else ${sql.ref(`${version}.version`)} = ${sql.ref(pin)} end)`

/** The condition that the first version is newer: by its precedence, or published later if that is the same. */
export const isNewer = (newest: string, installed: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${newest}.precedence`)}, ${sql.ref(`${newest}.published_at`)})
    > (${sql.ref(`${installed}.precedence`)}, ${sql.ref(`${installed}.published_at`)})`

/** Locks a published version until the transaction ends, and returns it. */
export function lockVersion(tx: Tx, bundle: BundleRef, version: string) {
  return tx
    .selectFrom('runtime.bundle_version')
    .select(['version', 'standing', 'standing_message'])
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Deprecates or recalls a version, or reinstates it with null. */
export async function setStanding(
  tx: Tx,
  bundle: BundleRef,
  version: string,
  standing: {
    kind: (typeof STANDINGS)[number]
    message: string
    by: Pick<Actor, 'id' | 'name'>
  } | null,
): Promise<void> {
  await tx
    .updateTable('runtime.bundle_version')
    .set({
      standing: standing?.kind ?? null,
      standing_message: standing?.message ?? null,
      standing_at: standing && sql<string>`clock_timestamp()`,
      standing_by_id: standing?.by.id ?? null,
      standing_by_name: standing?.by.name ?? null,
    })
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .execute()
}

/** Who recalled a version, when, and what they said; undefined unless it is recalled. */
export function findRecall(db: Db, bundle: BundleRef, version: string) {
  return db
    .selectFrom('runtime.bundle_version')
    .select(['standing_message', 'standing_at', 'standing_by_id', 'standing_by_name'])
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .where('version', '=', version)
    .where('standing', '=', 'RECALLED')
    .executeTakeFirst()
}

/** Which of these versions are deprecated, who says so and why. */
export async function readDeprecated(
  db: Db,
  versions: readonly { bundle: BundleRef; version: string }[],
): Promise<{ bundle_id: string; version: string; message: string; by_name: string }[]> {
  if (versions.length === 0) return []
  const { rows } = await sql<{ bundle_id: string; version: string; message: string; by_name: string }>`
    select bundle_id, version, coalesce(standing_message, '') as message, coalesce(standing_by_name, '') as by_name
    from runtime.bundle_version
    where standing = 'DEPRECATED' and (bundle_environment_key, bundle_id, version) in (
      select * from unnest(${versions.map(({ bundle }) => bundle.environmentKey)}::text[],
        ${versions.map(({ bundle }) => bundle.bundleId)}::text[], ${versions.map(({ version }) => version)}::text[]))
    order by bundle_id, version`.execute(db)
  return rows
}

export type VersionRow = Pick<
  Selectable<RuntimeTables['runtime.bundle_version']>,
  | 'bundle_environment_key'
  | 'bundle_id'
  | 'version'
  | 'title'
  | 'published_at'
  | 'published_by_id'
  | 'published_by_name'
  | 'precedence'
  | 'standing'
  | 'standing_message'
  | 'standing_at'
  | 'standing_by_id'
  | 'standing_by_name'
> & {
  /** For the cursor. */
  published_microseconds: number
}

/** The published versions of a bundle, the highest first, starting after `after`. */
export function listVersionRows(
  db: Db,
  bundle: BundleRef,
  page: { after: { precedence: string; publishedAt: number; version: string } | null; limit: number },
): Promise<VersionRow[]> {
  const { after, limit } = page
  let query = db
    .selectFrom('runtime.bundle_version')
    .select([
      'bundle_environment_key',
      'bundle_id',
      'version',
      'title',
      'published_at',
      'published_by_id',
      'published_by_name',
      'precedence',
      'standing',
      'standing_message',
      'standing_at',
      'standing_by_id',
      'standing_by_name',
      microsecondsOf('published_at').as('published_microseconds'),
    ])
    .where('bundle_environment_key', '=', bundle.environmentKey)
    .where('bundle_id', '=', bundle.bundleId)
    .orderBy('precedence', 'desc')
    .orderBy('published_at', 'desc')
    .orderBy('version', 'desc')
    .limit(limit)
  if (after !== null) {
    query = query.where(
      sql<boolean>`(precedence, published_at, version)
        < (${after.precedence}, ${instantAt(after.publishedAt)}, ${after.version})`,
    )
  }
  return query.execute()
}

interface BundleRow {
  bundle_environment_key: string
  bundle_id: string
  versions: number
  title: string
  description: string | null
  version: string
  published_at: string
}

/** The bundles with their newest version, ordered by environment and id, starting after `after`. */
export async function listBundleRows(
  db: Db,
  options: {
    environmentKey: string | undefined
    q: string | undefined
    after: readonly (string | number)[] | null
    limit: number
  },
): Promise<BundleRow[]> {
  const { environmentKey, q, after, limit } = options
  const [afterEnvironment, afterId] = after ?? []
  const result = await sql<BundleRow>`
    select bundle.bundle_environment_key, bundle.bundle_id, bundle.versions,
      latest.title, latest.description, latest.version, latest.published_at
    from (
      select bundle_environment_key, bundle_id, count(*) as versions
      from runtime.bundle_version
      where ${environmentKey === undefined ? sql`true` : sql`bundle_environment_key = ${environmentKey}`}
        and ${after === null ? sql`true` : sql`(bundle_environment_key, bundle_id) > (${afterEnvironment}, ${afterId})`}
      group by bundle_environment_key, bundle_id
    ) as bundle
    join lateral ${newestVersionOf('bundle')} as latest on true
    where ${containsText(q, [sql`bundle.bundle_id`, sql`latest.title`])}
    order by bundle.bundle_environment_key, bundle.bundle_id
    limit ${limit}`.execute(db)
  return result.rows
}
