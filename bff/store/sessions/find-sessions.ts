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

/** The valid sessions with these ids, by id in hex. */
export async function findSessions(
  db: BffDb,
  idHashes: readonly Buffer[],
  limits: SessionLimits,
): Promise<Map<string, StoredSession>> {
  const { rows } = await sql<StoredSession & { id: string }>`
    select encode(id_hash, 'hex') as id, iss, sub, name, roles,
      extract(epoch from clock_timestamp() - last_seen_at)::float8 as "quietSeconds",
      extract(epoch from clock_timestamp() - authenticated_at)::float8 as "authenticatedSeconds"
    from bff.session
    where id_hash = any(${[...idHashes]}::bytea[])
      and last_seen_at > clock_timestamp() - make_interval(secs => ${limits.idleSeconds})
      and created_at > clock_timestamp() - make_interval(secs => ${limits.absoluteSeconds})`.execute(db)
  return new Map(rows.map(({ id, ...session }) => [id, session]))
}
