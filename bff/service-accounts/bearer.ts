import type { Context } from 'hono'
import { SERVICE_ACCOUNT_ISSUER } from '#contract/endpoint/permission.ts'
import { rejectsWrites, throwUnless } from '#database/unreachable.ts'
import type { Clock } from '#http-kit/clock.ts'
import { grantsOf } from '../roles.ts'
import type { Sessions } from '../session/sessions.ts'
import { hashOf } from '#http-kit/random.ts'
import { findAccountOfToken, touchToken } from '../store/service-accounts.ts'
import type { BffDb } from '../store/tables.ts'
import { TOKEN_PREFIX } from './service-accounts.ts'

const BEARER = new RegExp(`^Bearer (${TOKEN_PREFIX}[A-Za-z0-9_-]{43})$`)
/** How precisely the last use is known. */
const TOUCH_AFTER_SECONDS = 60

/** The token of a request; null if it has none, or a malformed one. */
const tokenOf = (c: Context): string | null => BEARER.exec(c.req.header('authorization') ?? '')?.[1] ?? null

/** Whether a request presents a token instead of a session; it then has no cookie (`provenance`). */
const hasToken = (c: Context): boolean => c.req.header('authorization') !== undefined

/**
 * Sessions that also know the service accounts: a request with `Authorization: Bearer` is that of the account, as if it
 * had a session. Every request looks the token up, so that revoking it is final.
 */
export function withServiceAccounts(
  sessions: Sessions,
  { db, clock }: { db: BffDb; clock: Pick<Clock, 'now'> },
): Sessions {
  return {
    ...sessions,
    idOf(c) {
      if (!hasToken(c)) return sessions.idOf(c)
      const token = tokenOf(c)
      return token === null ? null : hashOf(token).toString('hex')
    },
    async find(c, options) {
      if (!hasToken(c)) return sessions.find(c, options)
      const token = tokenOf(c)
      if (token === null) return null
      const tokenHash = hashOf(token)
      const found = await findAccountOfToken(db, tokenHash, clock.now())
      if (found === null) return null
      if (found.unusedSeconds === null || found.unusedSeconds > TOUCH_AFTER_SECONDS)
        await touchToken(db, tokenHash, clock.now()).catch(throwUnless(rejectsWrites))
      return {
        id: found.accountId,
        issuer: SERVICE_ACCOUNT_ISSUER,
        name: found.name,
        roles: [...new Set(found.roles.map(({ role }) => role))],
        grants: grantsOf(found.roles),
        sessionId: tokenHash.toString('hex'),
        // a program never signs in, so it can do nothing that needs a recent sign-in
        authenticatedSeconds: null,
      }
    },
  }
}
