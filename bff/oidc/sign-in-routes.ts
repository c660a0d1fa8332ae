import { Hono } from 'hono'
import type { Context } from 'hono'
import { isRecentSignIn } from '#contract/endpoint/permission.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Origin, Recorder } from '../audit/recorder.ts'
import { ConsoleFailure } from '../failure.ts'
import { securityHeadersFor } from '../middleware/security-headers.ts'
import { cookiesOf, cookieText, removalCookie, opaqueCookie, personOfSignIn } from '../session/sessions.ts'
import type { CookieKit, Sessions } from '../session/sessions.ts'
import { hashOf, opaqueValue } from '#http-kit/random.ts'
import { createSignIn, SIGN_IN_SECONDS, takeSignIn } from '../store/sign-ins.ts'
import type { Confirmed } from '../store/sign-ins.ts'
import type { BffDb } from '../store/tables.ts'
import { plainText } from '../plain-text.ts'
import type { RoleMap } from '../roles.ts'
import { issuedAtIn, readClaims } from './claims.ts'
import type { AuthTimeProblem } from './claims.ts'
import { SIGNED_OUT_PATH } from './client.ts'
import type { IdpClient, Redeemed, SignInPrompt } from './client.ts'
import type { SignInLimiter } from './limiter.ts'
import { languageOf } from './page-texts.ts'
import { pageFiles, noticePage } from './pages.ts'
import type { Notice } from './pages.ts'
import { providerReason } from './provider-reason.ts'

interface SignInOptions {
  db: BffDb
  idp: IdpClient
  sessions: Sessions
  cookies: CookieKit
  /** How long a sign-in counts as recent. */
  recentSignInSeconds: number
  clock: Pick<Clock, 'now'>
  /** How far the clock of the identity provider is behind `clock`, in seconds, if known. */
  lateSeconds: () => number
  limiter: SignInLimiter
  publicOrigin: string
  rolesClaim: string
  roleMap: RoleMap | null
  /** Whether `iat` proves a recent sign-in if the provider sends no `auth_time`. */
  acceptsIssuedAt: boolean
  /** Called at each sign-in without a usable `auth_time`. */
  onNoAuthTime: (problem: AuthTimeProblem) => void
  addressOf: (c: Context) => string
  originOf: (c: Context) => Origin
  recorder: Pick<Recorder, 'signInFailed'>
  log: Log
}

const STATUS: Record<Notice, 400 | 403 | 429 | 502 | 503> = {
  expired: 400,
  failed: 502,
  unreachable: 503,
  noRole: 403,
  limited: 429,
  otherPerson: 403,
  notRecent: 502,
  noAuthTime: 502,
  futureAuthTime: 502,
}
/** Maximum number of sign-ins in progress per browser. Each adds a cookie to all of its requests. */
const MAX_PENDING = 5

/** `/auth/*`: sign-in at the identity provider, its callback, and sign-out. */
export function signInRoutes(options: SignInOptions): Hono {
  return new Hono()
    .get('/auth/login', (c) => begin(c, options))
    .get('/auth/callback', (c) => finish(c, options))
    .post('/auth/logout', (c) => signOut(c, options))
    .all('/auth/logout', () => {
      throw new ConsoleFailure('METHOD_NOT_ALLOWED')
    })
    .route('/', pageFiles())
    .all('/auth/*', () => {
      throw new ConsoleFailure('NOT_FOUND')
    })
}

async function begin(c: Context, options: SignInOptions): Promise<Response> {
  const { cookies, limiter } = options
  const destination = c.req.header('sec-fetch-dest')
  if (destination !== undefined && destination !== 'document') return notice(c, options, 'failed')
  if (!(await limiter.step(options.addressOf(c)))) return notice(c, options, 'limited')
  const secrets = { state: opaqueValue(), browser: opaqueValue() }
  const confirms = c.req.query('confirm') === 'true' ? await sessionToConfirm(c, options) : null
  const prompt: SignInPrompt =
    confirms !== null
      ? { kind: 'confirm', maxAgeSeconds: options.recentSignInSeconds }
      : { kind: c.req.query('prompt') === 'login' ? 'login' : 'none' }
  let url: URL
  try {
    url = await options.idp.authorizationUrl(secrets, { prompt })
  } catch (error) {
    const { requestId } = options.originOf(c)
    options.log.error(
      'the identity provider cannot be reached',
      { requestId, ...providerReason(error) },
      error,
    )
    return notice(c, options, 'unreachable')
  }
  await createSignIn(options.db, {
    stateHash: hashOf(secrets.state),
    browserHash: hashOf(secrets.browser),
    returnTo: safeReturnTo(c.req.query('returnTo')),
    confirms,
  })
  const pending = cookiesOf(c).filter(([name]) => name.startsWith(cookies.signIn))
  const name = signInCookie(cookies, secrets.state)
  const { secure } = cookies
  const set = [
    ...(pending.length < MAX_PENDING
      ? []
      : pending.map(([old]) => removalCookie({ name: old, sameSite: 'Lax', secure }))),
    // Lax, because the browser returns from another site
    cookieText({ name, value: secrets.browser, sameSite: 'Lax', secure, maxAgeSeconds: SIGN_IN_SECONDS }),
  ]
  for (const text of set) c.header('set-cookie', text, { append: true })
  return c.redirect(url.href, 303)
}

/** The session of the browser; null if there is none, and then the sign-in is an ordinary one. */
async function sessionToConfirm(c: Context, { sessions }: SignInOptions): Promise<Confirmed | null> {
  const person = await sessions.find(c, { isActivity: true })
  if (person === null) return null
  return { sessionHash: Buffer.from(person.sessionId, 'hex'), iss: person.issuer, sub: person.id }
}

async function finish(c: Context, options: SignInOptions): Promise<Response> {
  const { cookies, db, limiter, log } = options
  if (!(await limiter.step(options.addressOf(c)))) return notice(c, options, 'limited')
  const state = c.req.query('state') ?? ''
  const name = signInCookie(cookies, state)
  const browser = opaqueCookie(c, name)
  const taken =
    browser === null ? null : await takeSignIn(db, { stateHash: hashOf(state), browserHash: hashOf(browser) })
  if (browser === null || taken === null) return notice(c, options, 'expired')
  c.header('set-cookie', removalCookie({ name, sameSite: 'Lax', secure: cookies.secure }), { append: true })

  const callback = new URL(`/auth/callback${new URL(c.req.url).search}`, options.publicOrigin)
  const { confirms, returnTo } = taken
  const page = confirms === null ? {} : { confirms: returnTo }
  const { requestId } = options.originOf(c)
  let redeemed: Redeemed
  try {
    redeemed = await options.idp.redeem(callback, { state, browser })
  } catch (error) {
    // texts of the provider are not trusted: they are logged, cleaned and cut off, but never shown
    log.warn(
      'the identity provider did not confirm a sign-in',
      { requestId, ...providerReason(error) },
      error,
    )
    return failed(c, options, page)
  }
  const { claims } = redeemed
  const { rolesClaim, roleMap } = options
  const time = { now: options.clock.now(), lateSeconds: options.lateSeconds() }
  const read = readClaims(claims, { rolesClaim, roleMap, ...time })
  const issuedAt = issuedAtIn(claims, time)
  if (read === null || issuedAt === null) {
    const problem = read === null ? 'no usable iss and sub' : 'iat is in the future'
    log.warn('the identity provider did not confirm a sign-in', { requestId, problem })
    return failed(c, options, page)
  }
  const { person, claimed, authTimeProblem } = read
  const byIssue = options.acceptsIssuedAt && authTimeProblem === 'missing'
  if (authTimeProblem !== null && !byIssue) options.onNoAuthTime(authTimeProblem)
  if (confirms !== null) {
    if (person.iss !== confirms.iss || person.sub !== confirms.sub) {
      log.warn('another person tried to confirm a session', { requestId, iss: person.iss, sub: person.sub })
      await options.recorder.signInFailed(
        { person: personOfSignIn(person) },
        'SIGN_IN_FAILED',
        options.originOf(c),
      )
      return notice(c, options, 'otherPerson', { ...page, name: person.name })
    }
    // the provider was told to ask (prompt=login), so the token that it issued now is the next best proof
    if (byIssue) person.authTime = issuedAt
    const secondsAgo = person.authTime === null ? null : time.now.getTime() / 1000 - person.authTime
    if (!isRecentSignIn(secondsAgo, options.recentSignInSeconds)) {
      const problem = authTimeProblem ?? 'too old'
      log.error('the identity provider did not confirm a recent sign-in', {
        requestId,
        problem: `auth_time is ${problem}`,
        authTime: plainText(JSON.stringify(claims['auth_time'] ?? null), 40),
      })
      return notice(c, options, NOT_RECENT[problem], page)
    }
  }
  const rolesInClaim = {
    claim: rolesClaim,
    isPresent: claimed.isPresent,
    entries: claimed.entries,
    unrecognized: claimed.unrecognized.join(' | '),
  }
  if (person.roles.length === 0) {
    log.warn('a person without a role signed in', {
      requestId,
      iss: person.iss,
      sub: person.sub,
      ...rolesInClaim,
    })
    const who = { person: personOfSignIn(person) }
    await options.recorder.signInFailed(who, 'PERMISSION_DENIED', options.originOf(c))
    await options.sessions.endAll(person, options.originOf(c))
    return notice(c, options, 'noRole', { name: person.name })
  }
  const { idToken, refreshToken } = redeemed
  const cookie = await options.sessions.begin(c, {
    person,
    tokens: { idToken, refreshToken },
    origin: options.originOf(c),
    replaces: confirms?.sessionHash ?? null,
  })
  c.header('set-cookie', cookie, { append: true })
  log.info('signed in', { iss: person.iss, sub: person.sub, ...rolesInClaim })
  // The page is public and needs no cookie. Its own requests carry the Strict cookie, which this redirect does
  // not if the provider is on another site.
  return c.redirect(returnTo, 303)
}

/** The page that says what is wrong with the provider's proof of a recent sign-in. */
const NOT_RECENT = {
  missing: 'noAuthTime',
  invalid: 'noAuthTime',
  'in the future': 'futureAuthTime',
  'too old': 'notRecent',
} as const satisfies Record<AuthTimeProblem | 'too old', Notice>

async function failed(c: Context, options: SignInOptions, page: { confirms?: string }): Promise<Response> {
  await options.recorder.signInFailed({ username: null }, 'SIGN_IN_FAILED', options.originOf(c))
  return notice(c, options, 'failed', page)
}

/**
 * Ends the session and returns the address to go to: the one that ends the identity provider's own session, or, if it
 * has none or cannot be reached, the console's page.
 */
async function signOut(c: Context, options: SignInOptions): Promise<Response> {
  const { cookie, tokens } = await options.sessions.end(c, options.originOf(c))
  c.header('set-cookie', cookie, { append: true })
  // not "storage", which holds the person's drafts for their next sign-in; not "cookies", which would also sign
  // people out of everything else on the domain
  c.header('clear-site-data', '"cache"')
  const unreachable = (error: unknown) => {
    options.log.warn('the identity provider cannot be reached', providerReason(error), error)
    return null
  }
  const refreshToken = tokens?.refreshToken ?? null
  if (refreshToken !== null) await options.idp.revoke(refreshToken).catch(unreachable)
  const endSessionUrl = await options.idp.endSessionUrl(tokens?.idToken ?? null).catch(unreachable)
  return c.json({ redirectTo: endSessionUrl?.href ?? SIGNED_OUT_PATH })
}

/** One cookie for each sign-in in progress, so that tabs do not interfere with each other. */
function signInCookie(cookies: CookieKit, state: string): string {
  return cookies.signIn + hashOf(state).toString('hex').slice(0, 12)
}

function notice(
  c: Context,
  options: SignInOptions,
  kind: Notice,
  about: { name?: string; confirms?: string } = {},
): Response | Promise<Response> {
  const language = languageOf(c.req.header('accept-language'))
  const page = noticePage({ language, notice: kind, requestId: options.originOf(c).requestId, ...about })
  if (kind === 'limited') c.header('retry-after', '60')
  return c.html(page, STATUS[kind], securityHeadersFor('page', options.cookies.secure))
}

const SAFE_PATH =
  /^\/(?![/\\])[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]]*(?:#[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]]*)?$/
const MAX_LENGTH = 2000

/** The path on this origin to redirect to after sign-in; `/` for anything else and for addresses that are not pages. */
export function safeReturnTo(text: string | undefined): string {
  if (text === undefined || text.length > MAX_LENGTH || !SAFE_PATH.test(text)) return '/'
  const base = 'https://console.invalid'
  const url = URL.canParse(text, base) ? new URL(text, base) : null
  if (url === null || url.origin !== base) return '/'
  // resolved as in a browser, which may turn "/%2e%2e//host" into "//host"
  const path = url.pathname + url.search + url.hash
  return SAFE_PATH.test(path) && !/^\/(?:api|auth|idp)(?:[/?#]|$)/i.test(path) ? path : '/'
}
