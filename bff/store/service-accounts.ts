import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { RoleGrant } from '../roles.ts'
import type { BffDb, BffTables } from './tables.ts'

export type ServiceAccountRow = Selectable<BffTables['bff.service_account']>
export type TokenRow = Selectable<BffTables['bff.service_account_token']>
type Creator = { id: string; name: string }

/** Holds back other writes to service accounts until the transaction ends, so that names and limits hold. */
export async function lockServiceAccounts(tx: BffDb): Promise<void> {
  await sql`lock table bff.service_account in share row exclusive mode`.execute(tx)
}

/** All accounts by name, or one. */
export async function listServiceAccounts(db: BffDb, accountId?: string): Promise<ServiceAccountRow[]> {
  const { rows } = await sql<ServiceAccountRow>`
    select * from bff.service_account
    ${accountId === undefined ? sql`` : sql`where account_id = ${accountId}::uuid`}
    order by lower(name)`.execute(db)
  return rows
}

/** The tokens of these accounts, the newest first. */
export async function listTokens(db: BffDb, accountIds: readonly string[]): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select * from bff.service_account_token where account_id = any(${[...accountIds]}::uuid[])
    order by created_at desc, token_id`.execute(db)
  return rows
}

export async function isAccountNameTaken(tx: BffDb, name: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from bff.service_account where lower(name) = lower(${name})`.execute(tx)
  return rows.length > 0
}

export async function insertServiceAccount(
  tx: BffDb,
  account: { accountId: string; name: string; roles: readonly RoleGrant[]; by: Creator },
): Promise<void> {
  const { accountId, name, roles, by } = account
  await sql`
    insert into bff.service_account (account_id, name, roles, created_by_id, created_by_name)
    values (${accountId}::uuid, ${name}, ${JSON.stringify(roles)}, ${by.id}, ${by.name})`.execute(tx)
}

export async function updateRoles(tx: BffDb, accountId: string, roles: readonly RoleGrant[]): Promise<void> {
  await sql`
    update bff.service_account set roles = ${JSON.stringify(roles)}, updated_at = clock_timestamp()
    where account_id = ${accountId}::uuid`.execute(tx)
}

/** Deletes an account with its tokens. */
export async function deleteServiceAccount(tx: BffDb, accountId: string): Promise<void> {
  await sql`delete from bff.service_account where account_id = ${accountId}::uuid`.execute(tx)
}

/** Stores a token and returns when it expires. */
export async function insertToken(
  tx: BffDb,
  token: { tokenId: string; accountId: string; tokenHash: Buffer; days: number; now: Date; by: Creator },
): Promise<string> {
  const { tokenId, accountId, tokenHash, days, by } = token
  const at = sql`${token.now.toISOString()}::timestamptz`
  const { rows } = await sql<{ expiresAt: string }>`
    insert into bff.service_account_token (token_id, account_id, token_hash, created_by_id, created_by_name,
      created_at, expires_at)
    values (${tokenId}::uuid, ${accountId}::uuid, ${tokenHash}, ${by.id}, ${by.name}, ${at},
      ${at} + make_interval(days => ${days}))
    returning expires_at as "expiresAt"`.execute(tx)
  const [row] = rows
  if (row === undefined) throw new TypeError('an insert returns a row')
  return row.expiresAt
}

/** Revokes a token; one that was revoked stays as it was. */
export async function revokeToken(tx: BffDb, tokenId: string, now: Date): Promise<void> {
  await sql`
    update bff.service_account_token set revoked_at = ${now.toISOString()}::timestamptz
    where token_id = ${tokenId}::uuid and revoked_at is null`.execute(tx)
}

/** The account of a valid token. */
export interface FoundAccount {
  accountId: string
  name: string
  roles: RoleGrant[]
  /** Seconds since its last use was recorded; null if it never was. */
  unusedSeconds: number | null
}

/** The account of this token; null if it is unknown, expired or revoked. */
export async function findAccountOfToken(
  db: BffDb,
  tokenHash: Buffer,
  now: Date,
): Promise<FoundAccount | null> {
  const at = sql`${now.toISOString()}::timestamptz`
  const { rows } = await sql<FoundAccount>`
    select account_id as "accountId", name, roles,
      abs(extract(epoch from ${at} - last_used_at))::float8 as "unusedSeconds"
    from bff.service_account_token join bff.service_account using (account_id)
    where token_hash = ${tokenHash} and revoked_at is null and expires_at > ${at}`.execute(db)
  return rows[0] ?? null
}

/** How many tokens of all accounts are valid. */
export async function countValidTokens(db: BffDb, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int4 as count from bff.service_account_token
    where revoked_at is null and expires_at > ${now.toISOString()}::timestamptz`.execute(db)
  return rows[0]?.count ?? 0
}

export async function touchToken(db: BffDb, tokenHash: Buffer, now: Date): Promise<void> {
  await sql`
    update bff.service_account_token set last_used_at = ${now.toISOString()}::timestamptz
    where token_hash = ${tokenHash}`.execute(db)
}
