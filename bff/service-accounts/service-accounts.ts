import { textOfRole } from '#contract/console-api/role-text.ts'
import { VALID_TOKENS_MAX } from '#contract/console-api/service-accounts.ts'
import type { GrantedRole, ServiceAccount } from '#contract/console-api/service-accounts.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { inTransaction } from '#database/transaction.ts'
import type { Clock } from '#http-kit/clock.ts'
import { knownPerson } from '../audit/recorder.ts'
import type { Origin, Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import { idOfRequest } from '../idempotent-id.ts'
import { placeKey } from '../roles.ts'
import type { RoleGrant } from '../roles.ts'
import type { Person } from '../session/sessions.ts'
import { hashOf, opaqueValue } from '#http-kit/random.ts'
import {
  deleteServiceAccount,
  insertServiceAccount,
  insertToken,
  isAccountNameTaken,
  listServiceAccounts,
  listTokens,
  lockServiceAccounts,
  revokeToken,
  updateRoles,
} from '../store/service-accounts.ts'
import type { ServiceAccountRow, TokenRow } from '../store/service-accounts.ts'
import type { BffDb } from '../store/tables.ts'

export const SERVICE_ACCOUNTS_MAX = 200

const DAY_MS = 86_400_000

/** Marks a token of a service account for people and for scanners of leaked secrets. */
export const TOKEN_PREFIX = 'bcsa_'

/** Who changes an account, from where. */
interface By {
  person: Person
  origin: Origin
}

export interface ServiceAccounts {
  list(): Promise<ServiceAccount[]>
  /** The same key creates an account once and returns it again. Refuses with REQUEST_INVALID at the field. */
  create(
    by: By,
    account: { name: string; roles: GrantedRole[] },
    idempotencyKey: string,
  ): Promise<ServiceAccount>
  /** Refuses with NOT_FOUND, as do the others below. */
  saveRoles(by: By, accountId: string, roles: GrantedRole[]): Promise<ServiceAccount>
  remove(by: By, accountId: string): Promise<void>
  /**
   * The token is null if the key was used before for this account. Refuses with IDEMPOTENCY_KEY_REUSED for other days, and with
   * REQUEST_INVALID beyond two valid tokens.
   */
  createToken(
    by: By,
    accountId: string,
    token: { days: number; idempotencyKey: string },
  ): Promise<{ tokenId: string; expiresAt: string; token: string | null }>
  revokeToken(by: By, accountId: string, tokenId: string): Promise<ServiceAccount>
}

/** The service accounts of a console (docs/operating/service-accounts.md). */
export function createServiceAccounts({
  db,
  clock,
  recorder,
}: {
  db: BffDb
  clock: Pick<Clock, 'now'>
  recorder: Pick<Recorder, 'serviceAccountChanged'>
}): ServiceAccounts {
  const change = <Result>(run: (tx: BffDb) => Promise<Result>): Promise<Result> =>
    inTransaction(db, async (tx) => {
      await lockServiceAccounts(tx)
      return run(tx)
    })
  const record = (
    tx: BffDb,
    { person, origin }: By,
    action: 'create' | 'save' | 'delete' | 'token.create' | 'token.revoke',
    subject: string,
  ) =>
    recorder.serviceAccountChanged(
      tx,
      knownPerson(person),
      { action: `service-account.${action}`, subject },
      origin,
    )

  return {
    async list() {
      const accounts = await listServiceAccounts(db)
      const tokens = await listTokens(
        db,
        accounts.map((account) => account.account_id),
      )
      return accounts.map((account) => accountOf(account, tokens))
    },
    create(by, { name, roles }, idempotencyKey) {
      const accountId = idOfRequest(by.person, idempotencyKey)
      return change(async (tx) => {
        const [existing] = await listServiceAccounts(tx, accountId)
        if (existing !== undefined) {
          const isSame = existing.name === name && textOf(existing.roles) === textOf(roles)
          if (!isSame) throw new ConsoleFailure('IDEMPOTENCY_KEY_REUSED', platformMessage('keyReused'))
          return read(tx, accountId)
        }
        if (await isAccountNameTaken(tx, name)) throw invalidAt('name', platformMessage('accountNameTaken'))
        if ((await listServiceAccounts(tx)).length >= SERVICE_ACCOUNTS_MAX)
          throw invalidAt('name', platformMessage('accountsFull', { max: SERVICE_ACCOUNTS_MAX }))
        await insertServiceAccount(tx, { accountId, name, roles, by: by.person })
        await record(tx, by, 'create', `${name} (${textOf(roles)})`)
        return read(tx, accountId)
      })
    },
    saveRoles(by, accountId, roles) {
      return change(async (tx) => {
        const { name, roles: before } = await requireAccount(tx, accountId)
        await updateRoles(tx, accountId, roles)
        await record(tx, by, 'save', `${name} (${textOf(before)} → ${textOf(roles)})`)
        return read(tx, accountId)
      })
    },
    remove(by, accountId) {
      return change(async (tx) => {
        const { name } = await requireAccount(tx, accountId)
        await deleteServiceAccount(tx, accountId)
        await record(tx, by, 'delete', name)
      })
    },
    createToken(by, accountId, { days, idempotencyKey }) {
      // a key counts for one address, as everywhere
      const tokenId = idOfRequest(by.person, `${accountId} ${idempotencyKey}`)
      return change(async (tx) => {
        const { name } = await requireAccount(tx, accountId)
        const tokens = await listTokens(tx, [accountId])
        const existing = tokens.find((token) => token.token_id === tokenId)
        if (existing !== undefined) {
          const lasts = Date.parse(existing.expires_at) - Date.parse(existing.created_at)
          if (Math.round(lasts / DAY_MS) !== days)
            throw new ConsoleFailure('IDEMPOTENCY_KEY_REUSED', platformMessage('keyReused'))
          return { tokenId, expiresAt: existing.expires_at, token: null }
        }
        const now = clock.now()
        const valid = tokens.filter((token) => isValid(token, now))
        if (valid.length >= VALID_TOKENS_MAX)
          throw new ConsoleFailure(
            'REQUEST_INVALID',
            platformMessage('tokensFull', { max: VALID_TOKENS_MAX }),
          )
        const token = TOKEN_PREFIX + opaqueValue()
        const tokenHash = hashOf(token)
        const expiresAt = await insertToken(tx, { tokenId, accountId, tokenHash, days, now, by: by.person })
        await record(tx, by, 'token.create', `${name} (${tokenId}, until ${expiresAt})`)
        return { tokenId, expiresAt, token }
      })
    },
    revokeToken(by, accountId, tokenId) {
      return change(async (tx) => {
        const { name } = await requireAccount(tx, accountId)
        const token = (await listTokens(tx, [accountId])).find(({ token_id: id }) => id === tokenId)
        if (token === undefined) throw notFound('token')
        if (token.revoked_at === null) {
          await revokeToken(tx, tokenId, clock.now())
          await record(tx, by, 'token.revoke', `${name} (${tokenId})`)
        }
        return read(tx, accountId)
      })
    },
  }
}

async function requireAccount(tx: BffDb, accountId: string): Promise<ServiceAccountRow> {
  const [account] = await listServiceAccounts(tx, accountId)
  if (account === undefined) throw notFound('service account')
  return account
}

async function read(tx: BffDb, accountId: string): Promise<ServiceAccount> {
  return accountOf(await requireAccount(tx, accountId), await listTokens(tx, [accountId]))
}

const notFound = (kind: string) => new ConsoleFailure('NOT_FOUND', platformMessage('notFound', { kind }))

function invalidAt(field: string, problem: ReturnType<typeof platformMessage>): ConsoleFailure {
  return new ConsoleFailure('REQUEST_INVALID', {
    ...problem,
    details: [{ path: `body.${field}`, errorCode: 'REQUEST_INVALID', ...problem }],
  })
}

const isValid = (token: TokenRow, now: Date): boolean =>
  token.revoked_at === null && Date.parse(token.expires_at) > now.getTime()

/** Roles in words, as a claim may have them. */
const textOf = (roles: readonly RoleGrant[]): string => roles.map(textOfRole).join(', ')

function accountOf(row: ServiceAccountRow, tokens: readonly TokenRow[]): ServiceAccount {
  return {
    accountId: row.account_id,
    name: row.name,
    roles: row.roles.toSorted((a, b) => (placeKey(a.scope) < placeKey(b.scope) ? -1 : 1)),
    createdAt: row.created_at,
    createdBy: { id: row.created_by_id, name: row.created_by_name },
    updatedAt: row.updated_at,
    tokens: tokens
      .filter((token) => token.account_id === row.account_id)
      .map((token) => ({
        tokenId: token.token_id,
        createdAt: token.created_at,
        createdBy: { id: token.created_by_id, name: token.created_by_name },
        expiresAt: token.expires_at,
        lastUsedAt: token.last_used_at,
        revokedAt: token.revoked_at,
      })),
  }
}
