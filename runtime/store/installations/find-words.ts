import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../model/db.ts'
import { findIds } from '../find-ids.ts'
import { containing, wordsOf } from '../like.ts'
import { MERGED_STREAMS_MAX } from '../visible-scopes.ts'
import { findTitledBundles } from './find-bundles.ts'

/** What one word of a search may mean: keys of the lists that contain every installation that it matches. */
export interface FoundWord {
  word: string
  bundles: readonly string[]
  versions: readonly string[]
  /** At most one more than can be merged. */
  scopes: readonly number[]
  ids: readonly string[]
  /** About how many installations it matches; infinite if it has too many scopes. */
  installations: number
}

type Keys = Omit<FoundWord, 'installations'>

/** Looks up each word of a search among bundles, versions, scopes and ids, which are few. */
export function findWords(db: Db, text: string): Promise<FoundWord[]> {
  return Promise.all(
    wordsOf(text).map(async (word) => {
      const keys = {
        word,
        bundles: await findTitledBundles(db, word),
        versions: await findVersions(db, word),
        scopes: await findScopes(db, word),
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
export function isWordFound({ word, bundles, versions, scopes, ids }: FoundWord): RawBuilder<unknown> {
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

async function findScopes(db: Db, word: string): Promise<number[]> {
  const { rows } = await sql<{ scope_id: number }>`
    select scope_id from runtime.scope
    where path like lower(${containing(word)})
    limit ${MERGED_STREAMS_MAX + 1}`.execute(db)
  return rows.map(({ scope_id }) => scope_id)
}

/** The installed versions that contain the word. */
async function findVersions(db: Db, word: string): Promise<string[]> {
  const { rows } = await sql<{ version: string }>`
    select version from runtime.version_count where version ilike ${containing(word)}
    group by version having sum(count) > 0`.execute(db)
  return rows.map(({ version }) => version)
}
