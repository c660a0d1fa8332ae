import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import type { Context, MiddlewareHandler } from 'hono'
import { SERVICE_ACCOUNT_ISSUER } from '#contract/endpoint/permission.ts'
import type { OpenServer } from '#database/open.ts'
import type { Database } from '#database/pool.ts'
import { SharedClock } from '#http-kit/shared-clock.ts'
import { isUnavailable, whyUnavailable } from '#database/unreachable.ts'
import { canonicalPath, requestId } from '#http-kit/requests.ts'
import { egressTo } from '#http-kit/egress.ts'
import { throttledLog } from '#http-kit/log.ts'
import type { Log } from '#http-kit/log.ts'
import { systemClock } from '#http-kit/clock.ts'
import { NO_LOAD } from '#http-kit/load-guard.ts'
import type { LoadGuard } from '#http-kit/load-guard.ts'
import { createMetrics, PROCESS_HELP } from '#http-kit/metrics.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import type { Outbound } from '#http-kit/outbound-result.ts'
import { problemResponse } from '#http-kit/problem-response.ts'
import type { RequestFront } from '#http-kit/serve.ts'
import { createActorAssertions, createRecordingAssertions } from './runtime/actor-assertion.ts'
import type { AssertionKey } from './runtime/actor-assertion.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { startEventForwarder, createEventSender } from './audit/forward-events.ts'
import { createAuth } from './oidc/auth-app.ts'
import type { AuthSettings } from './settings.ts'
import { startRuntimeCheck } from './runtime/check-runtime.ts'
import { ConsoleFailure, failureOf, problemOf } from './failure.ts'
import type { SignIn } from './greeting.ts'
import { clientAddress, provenance, publicHost } from './middleware/provenance.ts'
import { healthRoutes } from './health.ts'
import { CONSOLE_METRIC_HELP, observeRequests } from './metrics.ts'
import { PROGRAM_RATES, rateLimit } from './middleware/rate-limit.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import type { SessionVariables } from './session/sessions.ts'
import { documentRoute, lostDocument } from './document/document-route.ts'
import { createApiReader } from './document/page-data.ts'
import { readShell } from './document/shell.ts'
import { consoleFiles } from './routes/console-files.ts'
import { endpointRoutes, methodsOf } from './routes/endpoints.ts'
import { eventRoute } from './routes/events.ts'
import { policyReports } from './routes/policy-reports.ts'
import { lookedAtRoutes } from './routes/looked-at.ts'
import { savedViewRoutes } from './routes/saved-views.ts'
import { serviceAccountRoutes } from './routes/service-accounts.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { createServiceAccounts } from './service-accounts/service-accounts.ts'
import { createSavedViews } from './saved-views/saved-views.ts'
import { startPurging } from './database.ts'
import { readDatabaseTime } from './store/database-time.ts'
import { createRuntimeClient } from './runtime/runtime-client.ts'
import { createRuntimeEvents } from './runtime/runtime-events.ts'
import type { BffTables } from './store/tables.ts'

export interface ConsoleOptions {
  /** Migrated; the caller closes it after {@link Console.stop}. */
  database: Pick<Database<BffTables>, 'db'> & Partial<Pick<Database<BffTables>, 'pool'>>
  /** Repeats steps of the start if the database goes away during them; default: runs each once. */
  retryWhileAway?: OpenServer['retryWhileAway']
  /** For the embedded identity provider's key. */
  dataDir: string
  settings: AuthSettings
  runtime: {
    /** `{platform_api_base}/bundle-runtime/api` */
    baseUrl: string
    credential: string
  }
  /** Whether the runtime is deployed separately, so that the console checks whether its key is accepted; default false. */
  isRuntimeRemote?: boolean
  assertionKey: AssertionKey
  /** The built console. */
  folder: string
  /** How long a document waits for its data; default 300. */
  documentWaitMs?: number | undefined
  /** The address at which this process reaches its own server; called only at sign-in. */
  loopback: () => string
  /** Rate limits per person; default: those of the rate-limit middleware. */
  rates?: { reads: Rate; writes: Rate } | undefined
  /** Rate limits per service account; default: those of the rate-limit middleware. */
  programRates?: { reads: Rate; writes: Rate } | undefined
  /** How long refusals are merged, and how often events are sent to the audit; default: 60 s and 1,000 ms. */
  audit?: { mergeSeconds: number; pollMs: number } | undefined
  /** Of this process; default: it never has too much to do. */
  load?: LoadGuard
  log: Log
}

export interface Console {
  app: Hono<{ Variables: SessionVariables }>
  /** Handles requests before the app does: the embedded identity provider; null if another one is configured. */
  front: RequestFront | null
  /** How people sign in, for {@link greet}. */
  signIn: SignIn
  stop(): Promise<void>
}

const CLOCK_EVERY_MS = 2_000

/** Serves the public key of our actor assertions; a separate runtime refers to it in `ACTOR_ASSERTION_JWKS`. */
const ACTOR_KEYS_PATH = '/.well-known/jwks.json'

/**
 * Composes the BFF: sign-in, sessions, `/api/*` and the built console on one origin. The order of the middleware is the
 * order of the checks.
 */
export async function createConsole(options: ConsoleOptions): Promise<Console> {
  const { settings, log, runtime, retryWhileAway = (step) => step(), load = NO_LOAD } = options
  const { db } = options.database
  const { publicOrigin } = settings
  const throttled = throttledLog(log, systemClock, (error) => whyUnavailable(error)?.reason ?? null)
  const clock = new SharedClock(systemClock, { log, look: () => readDatabaseTime(db) })
  const { dataDir, loopback } = options
  const mergeSeconds = options.audit?.mergeSeconds
  // before anybody signs in: a session has the time of the database
  await clock.refresh()
  const auth = await retryWhileAway(() =>
    createAuth({ db, settings, dataDir, loopback, clock, log: throttled, mergeSeconds }),
  )
  log.addSecret(runtime.credential)
  const outbound = createOutbound({ egressAllow: egressTo(runtime.baseUrl) })
  const assertionOf = createActorAssertions(options.assertionKey, clock)
  const tasks = startTasks(options, { clock, outbound, assertionOf, log: throttled })
  const metrics = createMetrics({ ...CONSOLE_METRIC_HELP, ...PROCESS_HELP })
  const stopping = new AbortController()
  const shell = readShell(options.folder)
  let eventPosition: string | null = null

  const app = new Hono<{ Variables: SessionVariables }>()
  app.onError(answerError(log, throttled))
  app.notFound((c) => problemResponse(problemOf(new ConsoleFailure('NOT_FOUND'), c.var.requestId)))

  app.use(requestId({ trustInbound: false }))
  app.use(observeRequests({ log, metrics, clock: systemClock }))
  app.use(async (c, next) => {
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
    c.set('clientAddress', clientAddress(incoming, settings.trustedProxyHops))
    await next()
  })
  app.use(securityHeaders({ publicOrigin, inlineScripts: shell?.inlineScripts ?? [] }))
  app.use(
    canonicalPath({
      prefixes: ['api', 'auth', 'idp', 'assets', 'reports'],
      ...(shell !== null && { orElse: (c) => lostDocument(c, shell) }),
    }),
  )
  app.route(
    '/',
    healthRoutes({
      db,
      metrics,
      servesMetrics: settings.servesMetrics ?? false,
      publicOrigin,
      isStopping: () => stopping.signal.aborted,
      clockProblem: () => clock.problem(),
      state: () => ({
        pool: options.database.pool ?? null,
        verdict: tasks.runtimeCheck?.verdict() ?? null,
        isRuntimeReachable: tasks.runtimeCheck?.isReachable() ?? null,
        clockAheadMs: clock.aheadMs(),
      }),
    }),
  )
  app.route('/', policyReports({ metrics, log: throttled }))
  app.get(ACTOR_KEYS_PATH, (c) =>
    c.json({ keys: [options.assertionKey.publicJwk] }, 200, { 'cache-control': 'public, max-age=60' }),
  )
  app.route('/', auth.machineRoutes)
  app.use(publicHost({ publicOrigin }))
  app.use(provenance({ publicOrigin }))
  app.use('/api/*', auth.requireSession)
  app.use('/api/*', limitRequests(options, load))
  app.route('/', auth.routes)
  app.route(
    '/api',
    apiRoutes(options, {
      auth,
      clock,
      outbound,
      assertionOf,
      onPosition: (id) => (eventPosition = id),
      stopping: stopping.signal,
    }),
  )
  app.use(consoleFiles(options.folder))
  if (shell !== null) {
    const readApiFor = createApiReader({
      fetch: (request, env) => app.fetch(request, env),
      publicOrigin,
    })
    const { hasSessionCookie } = auth
    app.use(
      documentRoute({
        shell,
        readApiFor,
        hasSessionCookie,
        isBehind: () => load.isBehind(),
        eventPosition: () => eventPosition,
        log,
        ...(options.documentWaitMs !== undefined && { waitMs: options.documentWaitMs }),
      }),
    )
  }

  return {
    app,
    front: auth.front,
    signIn: { settings, issueFirstPasswords: withRetries(auth.issueFirstPasswords, retryWhileAway) },
    async stop() {
      stopping.abort()
      await tasks.stop()
      await outbound.close()
    },
  }
}

/** What the console does besides answering requests. */
function startTasks(
  { database: { db }, settings, runtime, isRuntimeRemote, assertionKey, audit, log }: ConsoleOptions,
  { clock, outbound, assertionOf, log: throttled }: Calls & { log: Log },
) {
  const watch = clock.watch(CLOCK_EVERY_MS)
  const eventForwarder = startEventForwarder({
    db,
    send: createEventSender({
      outbound,
      ...runtime,
      assertionOf: createRecordingAssertions(assertionKey, clock),
    }),
    log: throttled,
    pollMs: audit?.pollMs,
  })
  const runtimeCheck =
    isRuntimeRemote === true
      ? startRuntimeCheck({ outbound, ...runtime, assertionOf, key: assertionKey, log })
      : null
  const purging = startPurging({ db, limits: settings.limits, clock, log })
  return {
    runtimeCheck,
    async stop() {
      await watch.stop()
      await purging.stop()
      await eventForwarder.stop()
      await runtimeCheck?.stop()
    },
  }
}

/** What calls of the runtime need. */
interface Calls {
  clock: SharedClock
  outbound: Outbound
  assertionOf: ReturnType<typeof createActorAssertions>
}

/** The routes below `/api`: the events, what the console serves itself, and what it passes on to the runtime. */
function apiRoutes(
  { database: { db }, settings: { limits, recentSignInSeconds }, runtime, log }: ConsoleOptions,
  {
    auth,
    clock,
    outbound,
    assertionOf,
    onPosition,
    stopping,
  }: Calls & {
    auth: Awaited<ReturnType<typeof createAuth>>
    onPosition: (id: string) => void
    stopping: AbortSignal
  },
): Hono<{ Variables: SessionVariables }> {
  const api = new Hono<{ Variables: SessionVariables }>()
  const open = createRuntimeEvents({ outbound, ...runtime })
  const { findPerson } = auth
  api.get('/events', eventRoute({ open, assertionOf, findPerson, onPosition, stopping, log }))
  const own = { db, limits, recentSignInSeconds, clock, recorder: auth.recorder }
  api.route('/', sessionRoutes(own))
  api.route('/', serviceAccountRoutes(createServiceAccounts(own), own))
  api.route('/', lookedAtRoutes(own))
  api.route('/', savedViewRoutes(createSavedViews(own), own))
  api.route(
    '/',
    endpointRoutes({
      runtime: createRuntimeClient({ outbound, ...runtime }),
      assertionOf,
      onRefused: ({ var: { person, requestId: id, clientAddress } }, request) =>
        auth.recorder.refused({ id: person.id, name: person.name, issuer: person.issuer ?? null }, request, {
          requestId: id,
          clientAddress,
        }),
    }),
  )
  api.use(refuseUnknown)
  return api
}

type ConsoleContext = Context<{ Variables: SessionVariables }>

/** Who gets one of these may repeat the request after a moment; the answer says when. */
const TEMPORARY = new Set([429, 503])

/** Answers with what is wrong, and logs what is our fault or that of the database. */
const answerError =
  (log: Log, throttled: Log) =>
  (error: Error, c: ConsoleContext): Response => {
    const { failure, headers } = failureOf(error)
    c.set('errorCode', failure.code)
    const fields = { requestId: c.var.requestId, method: c.req.method }
    if (failure.code === 'INTERNAL_ERROR') log.error('request failed', fields, error)
    if (isUnavailable(error)) throttled.warn('the database could not serve a request', fields, error)
    const response = problemResponse(problemOf(failure, c.var.requestId), headers)
    // created through the context to keep headers set earlier: Retry-After, Allow
    const answer = c.newResponse(response.body, response)
    if (TEMPORARY.has(answer.status) && !answer.headers.has('retry-after'))
      answer.headers.set('retry-after', '1')
    return answer
  }

/** Limits the rate of each person and of each service account. */
function limitRequests(
  { rates, programRates = PROGRAM_RATES }: ConsoleOptions,
  load: LoadGuard,
): MiddlewareHandler<{ Variables: SessionVariables }> {
  const keyOf = (c: ConsoleContext) => c.var.person.id
  const limitPeople = rateLimit({ keyOf, ...rates, load })
  const limitPrograms = rateLimit({ keyOf, ...programRates, load })
  return (c, next) => (c.var.person.issuer === SERVICE_ACCOUNT_ISSUER ? limitPrograms : limitPeople)(c, next)
}

/** Refuses a path of the API that no route has served. */
function refuseUnknown(c: ConsoleContext): never {
  const allowed = methodsOf(c.req.path.slice('/api'.length))
  if (allowed.length === 0) throw new ConsoleFailure('NOT_FOUND')
  c.header('Allow', allowed.join(', '))
  throw new ConsoleFailure('METHOD_NOT_ALLOWED')
}

/** Repeats both steps of issuing the first passwords while the database is unavailable. */
function withRetries(
  issue: SignIn['issueFirstPasswords'],
  retryWhileAway: OpenServer['retryWhileAway'],
): SignIn['issueFirstPasswords'] {
  if (issue === null) return null
  return async (names) => {
    const { users, confirmShown } = await retryWhileAway(() => issue(names))
    return { users, confirmShown: () => retryWhileAway(confirmShown) }
  }
}
