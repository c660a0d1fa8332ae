import { sql } from 'kysely'
import type { BffDb } from './tables.ts'

/** A person, by identity provider and id. */
interface Owner {
  issuer: string
  id: string
}

/** When the person last looked at the causes of failures; null if never. */
export async function readLookedAt(db: BffDb, { issuer, id }: Owner): Promise<string | null> {
  const { rows } = await sql<{ causes_at: string }>`
    select causes_at from bff.looked_at where iss = ${issuer} and sub = ${id}`.execute(db)
  return rows[0]?.causes_at ?? null
}

/** Stores that the person has looked at them until now. Returns the time. */
export async function storeLookedAt(db: BffDb, { issuer, id }: Owner): Promise<string> {
  const { rows } = await sql<{ causes_at: string }>`
    insert into bff.looked_at (iss, sub) values (${issuer}, ${id})
    on conflict (iss, sub) do update set causes_at = excluded.causes_at
    returning causes_at`.execute(db)
  const [row] = rows
  if (row === undefined) throw new TypeError('an insert that updates on a conflict returns a row')
  return row.causes_at
}
