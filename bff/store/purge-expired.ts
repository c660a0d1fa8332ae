import { sql } from 'kysely'
import { SIGN_IN_SECONDS } from './sign-ins/create-sign-in.ts'
import type { SessionLimits } from './sessions/find-sessions.ts'
import type { BffDb } from './tables.ts'

/** Removes what no longer counts; reading never depends on it. At most a thousand rows of each, so that it stays short. */
export async function purgeExpired(db: BffDb, limits: SessionLimits): Promise<void> {
  await sql`
    delete from bff.session where id_hash in (
      select id_hash from bff.session
      where created_at < clock_timestamp() - make_interval(secs => ${limits.absoluteSeconds})
        or last_seen_at < clock_timestamp() - make_interval(secs => ${limits.idleSeconds})
      limit 1000
    )`.execute(db)
  await sql`
    delete from bff.sign_in where state_hash in (
      select state_hash from bff.sign_in
      where created_at < clock_timestamp() - make_interval(secs => ${SIGN_IN_SECONDS}) limit 1000
    )`.execute(db)
  await sql`
    delete from bff.idp_record where id_hash in (
      select id_hash from bff.idp_record where expires_at < clock_timestamp() limit 1000
    )`.execute(db)
}
