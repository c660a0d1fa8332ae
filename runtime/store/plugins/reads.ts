import { sql } from 'kysely'
import type { PluginRead } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'
import { pruneOlder } from '../prune.ts'
import { CALLS_KEPT } from './refusals.ts'

/** Reads of a plugin that this platform answered, all alike. */
export interface AnsweredReads {
  pluginId: string
  endpoint: PluginRead
  /** Null if one row stands for all installations. */
  place: { bundleInstallId: string; resource: string | null; property: string | null } | null
  calls: number
  /** When the last one was made. */
  lastAt: string
}

/** Adds reads to the row of the same kind and minute; in the order of the key, so that two replicas do not deadlock. */
export async function addReads(db: Db, reads: readonly AnsweredReads[]): Promise<void> {
  if (reads.length === 0) return
  await sql`
    insert into runtime.plugin_read as kept
      (plugin_id, endpoint, bundle_install_id, locator, property, minute, last_at, calls)
    select plugin_id, endpoint, bundle_install_id, locator, property, date_trunc('minute', last_at, 'UTC'), last_at, calls
    from unnest(
      ${reads.map(({ pluginId }) => pluginId)}::text[],
      ${reads.map(({ endpoint }) => endpoint)}::text[],
      ${reads.map(({ place }) => place?.bundleInstallId ?? null)}::uuid[],
      ${reads.map(({ place }) => place?.resource ?? null)}::text[],
      ${reads.map(({ place }) => place?.property ?? null)}::text[],
      ${reads.map(({ lastAt }) => lastAt)}::timestamptz[],
      ${reads.map(({ calls }) => calls)}::bigint[])
      as read (plugin_id, endpoint, bundle_install_id, locator, property, last_at, calls)
    order by 1, 2, 3, 4, 5, 6
    on conflict (plugin_id, endpoint, bundle_install_id, locator, property, minute)
    do update set last_at = greatest(kept.last_at, excluded.last_at), calls = kept.calls + excluded.calls`.execute(
    db,
  )
}

/** Deletes old reads, which are kept as long as refusals. Returns the number of deleted ones, at most `limit`. */
export const pruneReads = (db: Db, limit: number): Promise<number> =>
  pruneOlder(db, { table: 'runtime.plugin_read', column: 'last_at', age: CALLS_KEPT }, limit)
