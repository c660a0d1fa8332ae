import { sql } from 'kysely'
import type { RoleGrant } from '../../session/roles.ts'
import type { BffDb } from '../tables.ts'

/** Maximum idle time and lifetime of a session. */
export interface SessionLimits {
  idleSeconds: number
  absoluteSeconds: number
}

export interface StoredSession {
  iss: string
  sub: string
  name: string
  roles: RoleGrant[]
  /** Seconds since the last activity. */
  quietSeconds: number
  /** Seconds since the identity provider authenticated the person; null if it did not say when. */
  authenticatedSeconds: number | null
}

/**
 * The valid sessions with these ids, by id in hex. Of an authentication in the future, which a clock that was set back leaves, nobody
 * knows how recent it is.
 */
export async function findSessions(
  db: BffDb,
  idHashes: readonly Buffer[],
  { limits, now }: { limits: SessionLimits; now: Date },
): Promise<Map<string, StoredSession>> {
  const at = sql`${now.toISOString()}::timestamptz`
  const { rows } = await sql<StoredSession & { id: string }>`
    select encode(id_hash, 'hex') as id, iss, sub, name, roles,
      extract(epoch from ${at} - last_seen_at)::float8 as "quietSeconds",
      case when authenticated_at < ${at} + interval '1 minute'
        then greatest(0, extract(epoch from ${at} - authenticated_at)::float8) end as "authenticatedSeconds"
    from bff.session
    where id_hash = any(${[...idHashes]}::bytea[])
      and last_seen_at > ${at} - make_interval(secs => ${limits.idleSeconds})
      and created_at > ${at} - make_interval(secs => ${limits.absoluteSeconds})`.execute(db)
  return new Map(rows.map(({ id, ...session }) => [id, session]))
}
