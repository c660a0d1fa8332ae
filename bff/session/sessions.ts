import { setImmediate } from 'node:timers/promises'
import type { Context, MiddlewareHandler } from 'hono'
import type { Grant } from '#contract/endpoint/permission.ts'
import { inTransaction } from '#database/transaction.ts'
import { rejectsWrites, throwUnless } from '#database/unreachable.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { KnownPerson, Origin, Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import { grantsOf } from '../roles.ts'
import type { RoleGrant } from '../roles.ts'
import { plainText } from '../plain-text.ts'
import { hashOf, opaqueValue } from '#http-kit/random.ts'
import { createSession, endSession, findSessions, touchSession, updatePerson } from '../store/sessions.ts'
import type { SessionLimits, StoredSession } from '../store/sessions.ts'
import type { BffDb } from '../store/tables.ts'
import { endSessionsOfPerson } from './end-sessions.ts'
import { openTokens, sealTokens } from './sealed-tokens.ts'
import type { ProviderTokens } from './sealed-tokens.ts'

/** The person that the identity provider has authenticated. */
export interface SignedIn {
  iss: string
  sub: string
  name: string
  roles: RoleGrant[]
  /** When the identity provider authenticated the person, in seconds since 1970; null if it did not say. */
  authTime: number | null
  /** The `sid` of the provider; null if it has none. */
  providerSession: string | null
}

/** The person of a request, with their grants. */
export interface Person {
  /** `sub` of the configured identity provider. */
  id: string
  /** The identity provider. */
  issuer: string
  name: string
  roles: string[]
  grants: Grant[]
  /** Identifies this session among the person's; the hash of its id in hex. */
  sessionId: string
  /** Seconds since the identity provider authenticated the person; null if it did not say when. */
  authenticatedSeconds: number | null
}

export interface Sessions {
  /** The id of the session that a request claims, without looking it up; null if its cookie is absent or malformed. */
  idOf(c: Context): string | null
  /**
   * Starts a session with a new id and ends the browser's previous one, and the one it `replaces`, which the cookie need
   * not name; returns the `Set-Cookie`. The other sessions of the person get their roles and name from this sign-in.
   */
  begin(c: Context, signIn: NewSignIn): Promise<string>
  /** The person of the cookie's session, or null. `isActivity` resets the idle time, unless the page shows another person. */
  find(c: Context, options: { isActivity: boolean }): Promise<Person | null>
  /**
   * Ends the session of the cookie, if any, on every replica; returns the `Set-Cookie` that removes it, and the tokens
   * of the provider.
   */
  end(c: Context, origin: Origin): Promise<{ cookie: string; tokens: ProviderTokens | null }>
  /** Ends all sessions of a person who has no role any more. */
  endAll(person: Pick<SignedIn, 'iss' | 'sub'>, origin: Origin): Promise<void>
}

/** Asks the provider about the person of a session, if that is due; null if the session has ended by that. */
export type AskProvider = (
  session: StoredSession,
  ids: { id: string; idHash: Buffer },
) => Promise<StoredSession | null>

/** A completed sign-in. */
export interface NewSignIn {
  person: SignedIn
  tokens: ProviderTokens
  origin: Origin
  /** The hash of the session that it confirms. */
  replaces: Buffer | null
}

const MAX_SESSIONS = 10
const MAX_USER_AGENT = 300

/** Sessions are stored in the database, so any replica serves any request and signing out is final. */
export function createSessions(options: {
  db: BffDb
  cookies: CookieKit
  limits: SessionLimits
  /** Default: the machine's. */
  clock?: Pick<Clock, 'now'>
  recorder: Pick<Recorder, 'signedIn' | 'signedOut' | 'sessionEnded'>
  /** Asks the provider whether a session may continue; by default it never asks. */
  ask?: AskProvider | undefined
}): Sessions {
  const { db, limits, clock = systemClock, recorder, ask = (session) => Promise.resolve(session) } = options
  const { session: name, secure } = options.cookies
  // a write for each request would cost a commit each time; this is precise enough
  const touchAfterSeconds = Math.min(15, limits.idleSeconds / 10)

  const idHashOf = (c: Context): Buffer | null => {
    const id = opaqueCookie(c, name)
    return id === null ? null : hashOf(id)
  }

  const lookup = createLookup({ db, limits, clock })

  return {
    idOf: (c) => idHashOf(c)?.toString('hex') ?? null,
    async begin(c, { person, tokens, origin, replaces }) {
      const old = [idHashOf(c), replaces].filter((idHash) => idHash !== null)
      const id = opaqueValue()
      const session = {
        ...person,
        idHash: hashOf(id),
        sealedTokens: sealTokens(id, tokens),
        canAsk: tokens.refreshToken !== null,
        clientAddress: origin.clientAddress,
        userAgent: plainText(c.req.header('user-agent') ?? '', MAX_USER_AGENT),
      }
      await inTransaction(db, async (tx) => {
        for (const idHash of old) await endSession(tx, idHash)
        await updatePerson(tx, person)
        const ended = await createSession(tx, session, {
          maxSessions: MAX_SESSIONS,
          limits,
          now: clock.now(),
        })
        await recorder.signedIn(tx, personOfSignIn(person), origin)
        for (let count = 0; count < ended; count++)
          await recorder.sessionEnded(tx, personOfSignIn(person), origin)
      })
      return cookieText({ name, value: id, sameSite: 'Strict', secure })
    },
    async find(c, { isActivity }) {
      const id = opaqueCookie(c, name)
      if (id === null) return null
      const idHash = hashOf(id)
      const found = await lookup(idHash)
      const stored = found === null ? null : await ask(found, { id, idHash })
      if (stored === null) return null
      const isOwnActivity = isActivity && !isOfAnother(c, stored.sub)
      // the last activity is in the future if the clock was set back since
      if (isOwnActivity && Math.abs(stored.quietSeconds) > touchAfterSeconds)
        // people can still read while the database rejects writes
        await touchSession(db, idHash, clock.now()).catch(throwUnless(rejectsWrites))
      return {
        id: stored.sub,
        issuer: stored.iss,
        name: stored.name,
        roles: [...new Set(stored.roles.map(({ role }) => role))],
        grants: grantsOf(stored.roles),
        sessionId: idHash.toString('hex'),
        authenticatedSeconds: stored.authenticatedSeconds,
      }
    },
    async end(c, origin) {
      const cookie = removalCookie({ name, sameSite: 'Strict', secure })
      const id = opaqueCookie(c, name)
      if (id === null) return { cookie, tokens: null }
      const ended = await inTransaction(db, async (tx) => {
        const person = await endSession(tx, hashOf(id))
        if (person !== null) await recorder.signedOut(tx, personOfSignIn(person), origin)
        return person
      })
      return { cookie, tokens: openTokens(id, ended?.sealedTokens ?? null) }
    },
    async endAll(person, origin) {
      await endSessionsOfPerson(db, { person, recorder, origin, reason: 'no role' })
    },
  }
}

/** A person as the audit names them. */
export function personOfSignIn({ iss, sub, name }: Pick<SignedIn, 'iss' | 'sub' | 'name'>): KnownPerson {
  return { id: sub, name, issuer: iss }
}

/**
 * Finds sessions; those that are requested at the same moment share one statement. It starts after all of the
 * requests, so that a session that has ended is never found.
 */
function createLookup({
  db,
  limits,
  clock,
}: {
  db: BffDb
  limits: SessionLimits
  clock: Pick<Clock, 'now'>
}): (idHash: Buffer) => Promise<StoredSession | null> {
  let next: { idHashes: Map<string, Buffer>; found: Promise<Map<string, StoredSession>> } | null = null
  return async (idHash) => {
    const id = idHash.toString('hex')
    if (next === null) {
      const idHashes = new Map<string, Buffer>()
      const found = setImmediate().then(() => {
        next = null
        return findSessions(db, [...idHashes.values()], { limits, now: clock.now() })
      })
      next = { idHashes, found }
    }
    next.idHashes.set(id, idHash)
    return (await next.found).get(id) ?? null
  }
}

/** Names and attributes of the cookies; they depend on whether the console is served over https. */
export interface CookieKit {
  session: string
  /** The name prefix of the cookie that binds one sign-in to its browser; the rest is derived from its state. */
  signIn: string
  secure: boolean
}

/**
 * `__Host-Http-` prevents scripts and sibling hosts from setting a cookie, but requires https. The name contains the port, unless it is
 * that of https, because all ports of a host share cookies.
 */
export function cookieKit(publicUrl: URL): CookieKit {
  const secure = publicUrl.protocol === 'https:'
  const port = publicUrl.port === '' && !secure ? '80' : publicUrl.port
  const prefix = (secure ? '__Host-Http-' : '') + ['console', port].filter((part) => part !== '').join('_')
  return { session: `${prefix}_session`, signIn: `${prefix}_sign_in_`, secure }
}

/** `Set-Cookie` for an HttpOnly cookie of the whole origin; a session cookie has no `maxAgeSeconds`. */
export function cookieText(options: {
  name: string
  value: string
  sameSite: 'Strict' | 'Lax'
  secure: boolean
  maxAgeSeconds?: number
}): string {
  const { name, value, sameSite, secure, maxAgeSeconds } = options
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}${age}`
}

/** `Set-Cookie` that removes a cookie. */
export function removalCookie(options: {
  name: string
  sameSite: 'Strict' | 'Lax'
  secure: boolean
}): string {
  return cookieText({ ...options, value: '', maxAgeSeconds: 0 })
}

const OPAQUE = /^[A-Za-z0-9_-]{43}$/

/** All cookies of a request as sent; a name may occur twice. */
export function cookiesOf(c: Context): [name: string, value: string][] {
  return (c.req.header('cookie') ?? '').split(';').flatMap((pair): [string, string][] => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]]
  })
}

/** The opaque value of a cookie; null if it is absent, malformed, or ambiguous because it occurs twice. */
export function opaqueCookie(c: Context, name: string): string | null {
  const values = cookiesOf(c).filter((cookie) => cookie[0] === name)
  const value = values[0]?.[1]
  return values.length === 1 && value !== undefined && OPAQUE.test(value) ? value : null
}

export interface SessionVariables {
  requestId: string
  /** Where the request comes from, for the audit. */
  clientAddress: string
  person: Person
  /** See `RateVariables`; of requests to the API. */
  spend: (cost: number) => void
  /** The row that serves the request, and the code of its failure, for the log; absent if there is none. */
  endpoint?: string
  errorCode?: string
}

/** A request that the console sends without user activity; it does not extend the session. */
function isBackground(c: Context): boolean {
  return c.req.header('x-background') !== undefined || c.req.path === '/api/events'
}

/** Whether a request is of a page that shows another person: the tabs of a browser share the session that its last sign-in began. */
function isOfAnother(c: Context, id: string): boolean {
  const pageOf = c.req.header('x-person')
  return pageOf !== undefined && pageOf !== encodeURIComponent(id)
}

/** Sets `c.var.person` from the session, or refuses with AUTHENTICATION_REQUIRED. */
export function requireSession(sessions: Sessions): MiddlewareHandler<{ Variables: SessionVariables }> {
  return async (c, next) => {
    const person = await sessions.find(c, { isActivity: !isBackground(c) })
    if (person === null || isOfAnother(c, person.id)) throw new ConsoleFailure('AUTHENTICATION_REQUIRED')
    c.set('person', person)
    await next()
  }
}
