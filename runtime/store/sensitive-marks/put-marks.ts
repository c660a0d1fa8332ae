import { sql } from 'kysely'
import type { ScopedProperty } from '../configuration/seal-newly-sensitive.ts'
import type { Tx } from '../../model/db.ts'

/** Marks properties as sensitive from now on; replaces an earlier mark. */
export async function putMarks(tx: Tx, properties: readonly ScopedProperty[]): Promise<void> {
  await sql`
    insert into runtime.sensitive_mark (scope_id, locator, property)
    select * from unnest(${properties.map(({ scopeId }) => scopeId)}::bigint[],
      ${properties.map(({ locator }) => locator)}::text[], ${properties.map(({ property }) => property)}::text[])
    on conflict (scope_id, locator, property) do update set marked_at = excluded.marked_at`.execute(tx)
}
