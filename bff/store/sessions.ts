import { sql } from 'kysely'
import type { RoleGrant } from '../roles.ts'
import type { BffDb } from './tables.ts'

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
  /** Seconds since the provider was last asked about the person; null if it cannot be asked. */
  askedSeconds: number | null
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
        then greatest(0, extract(epoch from ${at} - authenticated_at)::float8) end as "authenticatedSeconds",
      extract(epoch from ${at} - asked_at)::float8 as "askedSeconds"
    from bff.session
    where id_hash = any(${[...idHashes]}::bytea[])
      and last_seen_at > ${at} - make_interval(secs => ${limits.idleSeconds})
      and created_at > ${at} - make_interval(secs => ${limits.absoluteSeconds})`.execute(db)
  return new Map(rows.map(({ id, ...session }) => [id, session]))
}

interface NewSession {
  idHash: Buffer
  iss: string
  sub: string
  name: string
  roles: RoleGrant[]
  /** When the identity provider authenticated the person, in seconds since 1970; null if it did not say. */
  authTime: number | null
  /** The session of the provider that it belongs to; null if unknown. */
  providerSession: string | null
  sealedTokens: Buffer | null
  /** Whether `sealedTokens` contains a refresh token, so that the provider can be asked about the person. */
  canAsk: boolean
  /** Empty if unknown. */
  clientAddress: string
  userAgent: string
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
  const { idHash, iss, sub, name, roles, authTime, providerSession, sealedTokens, canAsk } = session
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      delete from bff.session where id_hash in (
        select id_hash from bff.session where iss = ${iss} and sub = ${sub}
        order by created_at desc offset ${maxSessions - 1}
      )
      returning last_seen_at > ${at} - make_interval(secs => ${limits.idleSeconds})
        and created_at > ${at} - make_interval(secs => ${limits.absoluteSeconds}) as was_valid
    )
    insert into bff.session (id_hash, iss, sub, name, roles, created_at, last_seen_at, authenticated_at,
      provider_session, sealed_tokens, asked_at, client_address, user_agent)
    values (${idHash}, ${iss}, ${sub}, ${name}, ${JSON.stringify(roles)}, ${at}, ${at},
      -- not in the future, whatever the clock of the provider says
      case when ${authTime}::float8 is not null then least(to_timestamp(${authTime}::float8), ${at}) end,
      ${providerSession}, ${sealedTokens}, case when ${canAsk} then ${at} end,
      nullif(${session.clientAddress}, ''), nullif(${session.userAgent}, ''))
    returning (select count(*) from ended where was_valid) as ended`.execute(db)
  return rows[0]?.ended ?? 0
}

/** Gives all sessions of a person what the provider says now. */
export async function updatePerson(
  db: BffDb,
  { iss, sub, name, roles }: { iss: string; sub: string; name: string; roles: RoleGrant[] },
): Promise<void> {
  await sql`
    update bff.session set name = ${name}, roles = ${JSON.stringify(roles)}
    where iss = ${iss} and sub = ${sub} and (name <> ${name} or roles::text <> ${JSON.stringify(roles)})`.execute(
    db,
  )
}

/** Records activity of the person. A session that began in the future, by a clock that was set back, begins now. */
export async function touchSession(db: BffDb, idHash: Buffer, now: Date): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`
  await sql`
    update bff.session set last_seen_at = ${at}, created_at = least(created_at, ${at})
    where id_hash = ${idHash}`.execute(db)
}

/** Whose session ended. */
export interface EndedSession {
  iss: string
  sub: string
  name: string
  sealedTokens: Buffer | null
}

/** Ends a session on every replica and returns its person; null if there was none. */
export async function endSession(db: BffDb, idHash: Buffer): Promise<EndedSession | null> {
  const { rows } = await sql<EndedSession>`
    delete from bff.session where id_hash = ${idHash}
    returning iss, sub, name, sealed_tokens as "sealedTokens"`.execute(db)
  return rows[0] ?? null
}

/**
 * Ends the sessions of a person; with `providerSession` only those that belong to this session of the provider, or to an
 * unknown one. Either of `sub` and `providerSession` is given.
 */
export async function deleteSessions(
  db: BffDb,
  {
    iss,
    sub,
    providerSession,
  }: { iss: string; sub?: string | undefined; providerSession?: string | undefined },
): Promise<EndedSession[]> {
  const belongs =
    providerSession === undefined
      ? sql`sub = ${sub}`
      : sub === undefined
        ? sql`provider_session = ${providerSession}`
        : sql`(sub = ${sub} and (provider_session = ${providerSession} or provider_session is null))`
  const { rows } = await sql<EndedSession>`
    delete from bff.session where iss = ${iss} and ${belongs}
    returning iss, sub, name, sealed_tokens as "sealedTokens"`.execute(db)
  return rows
}

/**
 * Claims to ask the provider about a session, and returns its sealed tokens; null if it is not due, because another
 * request asks or asked.
 */
export async function claimAsking(
  db: BffDb,
  idHash: Buffer,
  { now, intervalSeconds }: { now: Date; intervalSeconds: number },
): Promise<Buffer | null> {
  const at = sql`${now.toISOString()}::timestamptz`
  const { rows } = await sql<{ sealedTokens: Buffer | null }>`
    update bff.session set asked_at = ${at}
    where id_hash = ${idHash} and abs(extract(epoch from ${at} - asked_at)) >= ${intervalSeconds}
    returning sealed_tokens as "sealedTokens"`.execute(db)
  return rows[0]?.sealedTokens ?? null
}

export async function storeTokens(db: BffDb, idHash: Buffer, sealedTokens: Buffer | null): Promise<void> {
  await sql`update bff.session set sealed_tokens = ${sealedTokens} where id_hash = ${idHash}`.execute(db)
}

/** Records that a logout token is used; false if it was used before. */
export async function useLogoutToken(
  db: BffDb,
  tokenHash: Buffer,
  { now, seconds }: { now: Date; seconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    insert into bff.logout_token (token_hash, expires_at)
    values (${tokenHash}, ${now.toISOString()}::timestamptz + make_interval(secs => ${seconds}))
    on conflict do nothing returning 1`.execute(db)
  return rows.length === 1
}

/** Ends all sessions of people whose accounts were removed or changed. */
export async function endSessionsOf(db: BffDb, iss: string, subs: readonly string[]): Promise<void> {
  if (subs.length === 0) return
  await sql`delete from bff.session where iss = ${iss} and sub = any(${subs})`.execute(db)
}

/** A session in a list. */
export interface ListedSession {
  sessionId: string
  iss: string
  sub: string
  name: string
  roles: RoleGrant[]
  createdAt: string
  lastSeenAt: string
  clientAddress: string | null
  userAgent: string | null
}

/** Where a page of sessions begins: after this one. */
export interface SessionCursor {
  createdAt: string
  sessionId: string
}

/** The valid sessions, the newest first: of a person, or of all whose name or ID contains a text. */
export async function listSessions(
  db: BffDb,
  options: {
    of: { iss: string; sub: string } | { text: string }
    after?: SessionCursor | null
    limit: number
    limits: SessionLimits
    now: Date
  },
): Promise<ListedSession[]> {
  const { of, after = null, limit, limits } = options
  const at = sql`${options.now.toISOString()}::timestamptz`
  const whose =
    'text' in of
      ? sql`position(lower(${of.text}) in lower(name || ' ' || sub)) > 0`
      : sql`iss = ${of.iss} and sub = ${of.sub}`
  const { rows } = await sql<ListedSession>`
    select encode(id_hash, 'hex') as "sessionId", iss, sub, name, roles, created_at as "createdAt",
      last_seen_at as "lastSeenAt", client_address as "clientAddress", user_agent as "userAgent"
    from bff.session
    where ${whose}
      and last_seen_at > ${at} - make_interval(secs => ${limits.idleSeconds})
      and created_at > ${at} - make_interval(secs => ${limits.absoluteSeconds})
      ${
        after === null
          ? sql``
          : sql`and (date_trunc('milliseconds', created_at), id_hash) <
              (${after.createdAt}::timestamptz, decode(${after.sessionId}, 'hex'))`
      }
    order by date_trunc('milliseconds', created_at) desc, id_hash desc
    limit ${limit}`.execute(db)
  return rows
}
