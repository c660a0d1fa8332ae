import { sql } from 'kysely'
import { SIGN_IN_SECONDS } from './sign-ins.ts'
import type { SessionLimits } from './sessions.ts'
import type { BffDb } from './tables.ts'

const BATCH = 1_000

/**
 * Deletes expired sessions, sign-ins, old tokens of service accounts, used logout tokens, records of the embedded identity provider,
 * and what people looked at half a year ago; at most a thousand of each, so that statements stay short. Reads never depend on it.
 *
 * @returns whether more records may be left to delete.
 */
export async function purgeExpired(
  db: BffDb,
  { limits, now }: { limits: SessionLimits; now: Date },
): Promise<boolean> {
  const at = sql`${now.toISOString()}::timestamptz`
  const results = [
    await sql`
      delete from bff.session where id_hash in (
        select id_hash from bff.session
        where created_at < ${at} - make_interval(secs => ${limits.absoluteSeconds})
          or last_seen_at < ${at} - make_interval(secs => ${limits.idleSeconds})
        limit ${BATCH}
      )`.execute(db),
    await sql`
      delete from bff.sign_in where state_hash in (
        select state_hash from bff.sign_in
        where created_at < clock_timestamp() - make_interval(secs => ${SIGN_IN_SECONDS}) limit ${BATCH}
      )`.execute(db),
    await sql`
      delete from bff.idp_record where id_hash in (
        select id_hash from bff.idp_record where expires_at < clock_timestamp() limit ${BATCH}
      )`.execute(db),
    await sql`
      delete from bff.logout_token where token_hash in (
        select token_hash from bff.logout_token where expires_at < ${at} limit ${BATCH}
      )`.execute(db),
    await sql`
      delete from bff.service_account_token where token_id in (
        select token_id from bff.service_account_token
        where least(expires_at, revoked_at) < ${at} - interval '90 days' limit ${BATCH}
      )`.execute(db),
    await sql`
      delete from bff.looked_at where (iss, sub) in (
        select iss, sub from bff.looked_at where causes_at < ${at} - interval '180 days' limit ${BATCH}
      )`.execute(db),
  ]
  return results.some(({ numAffectedRows = 0n }) => numAffectedRows >= BATCH)
}
