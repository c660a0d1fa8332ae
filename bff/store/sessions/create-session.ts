import { sql } from 'kysely'
import type { RoleGrant } from '../../session/roles.ts'
import type { BffDb } from '../tables.ts'
import type { SessionLimits } from './find-sessions.ts'

export interface NewSession {
  idHash: Buffer
  iss: string
  sub: string
  name: string
  roles: RoleGrant[]
  /** When the identity provider authenticated the person, in seconds since 1970; null if it did not say. */
  authTime: number | null
}

/**
 * Stores a new session; of the person's other sessions, all but the `maxSessions - 1` newest end. Returns the number of
 * those that had not expired.
 */
export async function createSession(
  db: BffDb,
  session: NewSession,
  { maxSessions, limits, now }: { maxSessions: number; limits: SessionLimits; now: Date },
): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`
  const { idHash, iss, sub, name, roles, authTime } = session
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      delete from bff.session where id_hash in (
        select id_hash from bff.session where iss = ${iss} and sub = ${sub}
        order by created_at desc offset ${maxSessions - 1}
      )
      returning last_seen_at > ${at} - make_interval(secs => ${limits.idleSeconds})
        and created_at > ${at} - make_interval(secs => ${limits.absoluteSeconds}) as was_valid
    )
    insert into bff.session (id_hash, iss, sub, name, roles, created_at, last_seen_at, authenticated_at)
    values (${idHash}, ${iss}, ${sub}, ${name}, ${JSON.stringify(roles)}, ${at}, ${at},
      -- not in the future, whatever the clock of the provider says
      case when ${authTime}::float8 is not null then least(to_timestamp(${authTime}::float8), ${at}) end)
    returning (select count(*) from ended where was_valid) as ended`.execute(db)
  return rows[0]?.ended ?? 0
}
