import { sql } from 'kysely'
import type { Db } from '#runtime/model/db.ts'

const MAX_LISTED = 20

/** The operations that were in progress in the restored state, one line each. */
export async function listInDoubt(db: Db): Promise<string> {
  const { rows } = await sql<{ line: string }>`
    select format('  %s %s of %s in %s/%s/%s', operation_id, operation_type, bundle_id, environment_key,
      application_runtime_id, workspace_id) as line
    from runtime.operation where in_doubt_since is not null and holds_claim order by created_at`.execute(db)
  if (rows.length === 0) return 'No operation was in progress.'
  const listed = rows.slice(0, MAX_LISTED).map(({ line }) => line)
  const more = rows.length > MAX_LISTED ? [`  and ${rows.length - MAX_LISTED} more`] : []
  const title =
    rows.length === 1
      ? '1 operation was in progress and is in doubt:'
      : `${rows.length} operations were in progress and are in doubt:`
  return [title, ...listed, ...more].join('\n')
}
