import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import type { Context, MiddlewareHandler } from 'hono'
import type { Session } from '#contract/console-api/rows.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { RequestFront } from '#http-kit/serve.ts'
import { createRecorder } from '../audit/recorder.ts'
import type { Origin, Recorder } from '../audit/recorder.ts'
import { clientAddress, rateLimitAddress } from '../middleware/provenance.ts'
import { limitLookups } from '../middleware/rate-limit.ts'
import { withServiceAccounts } from '../service-accounts/bearer.ts'
import { createAskProvider } from '../session/ask-provider.ts'
import { requireSession, cookieKit, createSessions } from '../session/sessions.ts'
import type { Person, SessionVariables } from '../session/sessions.ts'
import { permissionsIn } from '../roles.ts'
import { ASK_SECONDS } from '../settings.ts'
import type { AuthSettings } from '../settings.ts'
import { opaqueValue } from '#http-kit/random.ts'
import type { BffDb } from '../store/tables.ts'
import { createAdapter } from './provider-store.ts'
import { backChannelLogout } from './back-channel-logout.ts'
import type { AuthTimeProblem } from './claims.ts'
import { createIdpClient } from './client.ts'
import { embeddedProviderListener } from './idp-front.ts'
import { createSignInLimiter } from './limiter.ts'
import { issueFirstPasswords } from './passwords.ts'
import type { FirstNames, FirstPasswords } from './passwords.ts'
import { providerReason } from './provider-reason.ts'
import { createProvider, EMBEDDED_CLIENT_ID, IDP_PATH, idpSigningKey } from './provider.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { applyConfiguredUsers } from './users.ts'

interface AuthOptions {
  db: BffDb
  settings: AuthSettings
  /** For the embedded provider's signing key. */
  dataDir: string
  /** The address at which this process reaches its own server, such as `http://127.0.0.1:8080`; called only at sign-in. */
  loopback: () => string
  /** Of sessions and sign-ins; default: the machine's. */
  clock?: Pick<Clock, 'now'>
  log: Log
  /** How long refusals and failed sign-ins are merged before they are sent to the audit; default 60. */
  mergeSeconds?: number | undefined
}

export interface Auth {
  /** `/auth/*` and `GET /api/session`, which must be mounted after `requireSession`. */
  routes: Hono<{ Variables: SessionVariables }>
  /** What the identity provider calls itself; mounted before the checks of where a request comes from. */
  machineRoutes: Hono
  /** The embedded identity provider, which handles requests before the app does; null if another one is configured. */
  front: RequestFront | null
  /** For every route of `/api`: sets `c.var.person` or refuses with AUTHENTICATION_REQUIRED. */
  requireSession: MiddlewareHandler<{ Variables: SessionVariables }>
  /** Whether a request has a session cookie, valid or not. */
  hasSessionCookie: (c: Context) => boolean
  /** The person of a request as of now, without extending the session; null if it has ended. For open event streams. */
  findPerson: (c: Context) => Promise<Person | null>
  /** Issues the first passwords; call it when the console is ready. Null if the settings or another provider define them. */
  issueFirstPasswords: ((names?: FirstNames) => Promise<FirstPasswords>) | null
  /** Stores sign-ins, sign-outs and refusals until they are sent to the audit of the runtime. */
  recorder: Recorder
}

/**
 * Authentication: sign-in, sessions, and the embedded identity provider unless another one is configured. The
 * schema `bff` must be migrated.
 */
export async function createAuth(options: AuthOptions): Promise<Auth> {
  const { db, settings, dataDir, loopback, clock = systemClock, log, mergeSeconds } = options
  const { publicOrigin, externalIdp, rolesClaim, limits, recentSignInSeconds, trustedProxyHops } = settings
  const { roleMap = null } = settings
  /** How far the clock of this machine, which is that of the embedded provider, is behind. */
  const lateSeconds = (): number => (clock.now().getTime() - systemClock.now().getTime()) / 1000
  const cookies = cookieKit(new URL(publicOrigin))
  const recorder = createRecorder({ db, log, mergeSeconds })
  const limiter = createSignInLimiter(db)
  const embedded = {
    issuer: publicOrigin + IDP_PATH,
    clientId: EMBEDDED_CLIENT_ID,
    clientSecret: opaqueValue(),
  }
  const registration = externalIdp ?? embedded
  if (registration.clientSecret !== null) log.addSecret(registration.clientSecret)
  const idp = createIdpClient({
    ...registration,
    publicOrigin,
    rolesClaim,
    loopback: externalIdp === null ? loopback : null,
    skewSeconds: () => (externalIdp === null ? 0 : lateSeconds()),
  })
  // told at the start; otherwise the first person who signs in finds it out
  if (externalIdp !== null)
    void idp
      .verification()
      .catch((error: unknown) =>
        log.error(
          'nobody can sign in, because the identity provider cannot be used: check OIDC_ISSUER, and run the doctor',
          providerReason(error),
          error,
        ),
      )
  const addressOf = (incoming: IncomingMessage | undefined): string =>
    rateLimitAddress(incoming, trustedProxyHops)
  const clientAddressOf = (incoming: IncomingMessage | undefined): string =>
    clientAddress(incoming, trustedProxyHops)
  const incomingOf = (c: Context) => (c.env as { incoming?: IncomingMessage } | undefined)?.incoming
  const addressOfRequest = (c: Context): string => addressOf(incomingOf(c))
  const originOf = (c: Context): Origin => ({
    clientAddress: clientAddressOf(incomingOf(c)),
    requestId: (c.var as SessionVariables).requestId,
  })
  const { askSeconds: intervalSeconds = ASK_SECONDS } = externalIdp ?? {}
  const ask =
    externalIdp === null || intervalSeconds === 0
      ? undefined
      : createAskProvider({ db, idp, rolesClaim, roleMap, intervalSeconds, clock, recorder, log })
  const people = createSessions({ db, cookies, limits, clock, recorder, ask })
  const sessions = limitLookups(withServiceAccounts(people, { db, clock }), { addressOf: addressOfRequest })

  const routes = new Hono<{ Variables: SessionVariables }>()
  routes.get('/api/session', (c) => c.json(sessionOf(c, settings)))
  const signIn = signInRoutes({
    db,
    idp,
    sessions,
    cookies,
    recentSignInSeconds,
    clock,
    lateSeconds: () => (externalIdp === null ? lateSeconds() : 0),
    limiter,
    publicOrigin,
    rolesClaim,
    // the embedded provider returns roles, whatever groups another one has
    roleMap: externalIdp === null ? null : roleMap,
    acceptsIssuedAt: externalIdp?.recentSignInBy === 'iat',
    onNoAuthTime: once((problem: AuthTimeProblem) =>
      log.warn(
        'the identity provider sends no usable auth_time, so nobody can do what needs a recent sign-in',
        {
          problem: `auth_time is ${problem}`,
        },
      ),
    ),
    log,
    recorder,
    addressOf: addressOfRequest,
    originOf,
  })
  routes.route('/', signIn)

  const findPerson = (c: Context): Promise<Person | null> => sessions.find(c, { isActivity: false })
  const hasSessionCookie = (c: Context): boolean => sessions.idOf(c) !== null
  const shared = {
    routes,
    requireSession: requireSession(sessions),
    hasSessionCookie,
    findPerson,
    recorder,
  }
  if (externalIdp !== null) {
    const { clientId } = externalIdp
    const machineRoutes = backChannelLogout({
      db,
      idp,
      clientId,
      clock,
      recorder,
      addressOf: addressOfRequest,
      originOf,
      log,
    })
    return { ...shared, machineRoutes, front: null, issueFirstPasswords: null }
  }

  const { users: configured } = settings
  if (configured !== null) await applyConfiguredUsers(db, { configured, issuer: embedded.issuer })
  const provider = createProvider({
    db,
    publicOrigin,
    log,
    adapter: createAdapter(db, lateSeconds),
    signingKey: await idpSigningKey(dataDir),
    clientSecret: embedded.clientSecret,
  })
  return {
    ...shared,
    machineRoutes: new Hono(),
    front: embeddedProviderListener({
      provider,
      db,
      limiter,
      publicOrigin,
      addressOf,
      clientAddressOf,
      recorder,
      log,
    }),
    issueFirstPasswords: configured === null ? (names) => issueFirstPasswords(db, names) : null,
  }
}

/** Calls `run` the first time only. */
function once<Argument>(run: (argument: Argument) => void): (argument: Argument) => void {
  let isFirst = true
  return (argument) => {
    if (isFirst) run(argument)
    isFirst = false
  }
}

function sessionOf(
  c: Context<{ Variables: SessionVariables }>,
  { environmentMarks = [] }: AuthSettings,
): Session {
  const { id, name, roles, grants } = c.var.person
  const permissions = permissionsIn(grants)
  return { user: { id, name }, roles, permissions, grants, environmentMarks: [...environmentMarks] }
}
