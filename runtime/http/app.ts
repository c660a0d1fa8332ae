import { Hono } from 'hono'
import { canonicalPath, requestId } from '#http-kit/requests.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { TransportError, transportProblem } from '#http-kit/problem-response.ts'
import { auditRecordApi, ConsoleEvent } from '#contract/runtime-api/audit.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import { toTransportError, refusalEnvelope } from './failures.ts'
import { healthRoutes, type HealthOptions } from './health.ts'
import { envelope, mountRuntimeApi, type MountOptions, refuseMethod } from './serve-row.ts'
import { observeRequests } from './metrics.ts'
import { pluginManagerRoutes, type PluginManagerOptions } from './plugin-manager-routes.ts'
import type { HttpApp, HttpVariables } from './http-app.ts'
import type { Actor } from '../model/actor.ts'
import { recordConsoleEvent } from '../use-cases/audit/record-console-event.ts'
import { answerOnce } from '../use-cases/idempotency/answer-once.ts'
import { DomainError } from '../engine/refusals.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { idempotencyKeyOf, requestText, readRequest } from './read-request.ts'

export const RUNTIME_API_PATH = '/bundle-runtime/api'
export const PLUGIN_MANAGER_PATH = '/module-plugin-manager/api'

export interface HttpOptions extends MountOptions, HealthOptions, RecordRouteOptions, PluginManagerOptions {
  log: Log
  /** For errors that every request causes while the database is unavailable. */
  throttledLog: Log
  clock: Pick<Clock, 'monotonic'>
  /** Without it, only health and metrics are served. */
  hasApi: boolean
}

/** The whole HTTP surface of the runtime and the plugin manager. */
export function createHttpApp(options: HttpOptions): HttpApp {
  const app = new Hono<{ Variables: HttpVariables }>()
  app.onError((error, c) => {
    const refused = toTransportError(error, options.space)
    if (refused !== error) {
      const fields = { requestId: c.var.requestId, endpoint: c.var.endpoint, status: refused.status }
      if (refused.status === 503)
        options.throttledLog.warn('the database could not serve a request', fields, error)
      else options.log.error('request failed', fields, error)
    }
    return transportProblem(refused, c.var.requestId)
  })
  app.notFound((c) => transportProblem(new TransportError('NOT_FOUND'), c.var.requestId))
  app.use(requestId({ trustInbound: true }))
  app.use(observeRequests(options))
  app.use(async (c, next) => {
    await next()
    c.res.headers.set('X-Content-Type-Options', 'nosniff')
  })
  app.use(canonicalPath({ prefixes: ['bundle-runtime', 'module-plugin-manager'] }))
  app.route(RUNTIME_API_PATH, healthRoutes(options))
  if (!options.hasApi) return app
  app.route(RUNTIME_API_PATH, mountRuntimeApi(options))
  app.route(RUNTIME_API_PATH, recordRoute(options))
  app.route(PLUGIN_MANAGER_PATH, pluginManagerRoutes(options))
  return app
}

interface RecordRouteOptions {
  deps: RuntimeDeps
  checkService(request: Request): void
  /** Accepts only assertions for recording. */
  checkRecorder(request: Request, requestId: string): Promise<Actor>
  limitRate(caller: string, cost?: number): void
}

const PATH = '/audit/entries'
const ROW = auditRecordApi[`POST ${PATH}`]

/**
 * The endpoint at which a console records what it did itself. Each event is recorded once, however often it is sent.
 */
function recordRoute(options: RecordRouteOptions): HttpApp {
  const { deps } = options
  const app = new Hono<{ Variables: HttpVariables }>()
  app.post(PATH, async (c) => {
    c.set('endpoint', 'record')
    options.checkService(c.req.raw)
    const actor = await options.checkRecorder(c.req.raw, c.var.requestId)
    c.set('actorId', actor.id)
    options.limitRate(actor.id)
    try {
      const { body, json } = await readRequest(c.req.raw, ROW, {})
      const { answer } = await answerOnce(deps, {
        key: { actorId: actor.id, endpoint: `POST ${PATH}`, key: idempotencyKeyOf(c.req.raw) },
        request: requestText(json),
        async run(tx) {
          await recordConsoleEvent(tx, actor, ConsoleEvent.parse(body))
          return { answer: successEnvelope({ recorded: true }) }
        },
        refuse: async (_, refusal) => ({
          answer: refusalEnvelope(refusal, 'bundle-runtime'),
          code: refusal.code,
        }),
        mayRepeat: async () => {},
      })
      return envelope(c, answer)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return envelope(c, refusalEnvelope(error, 'bundle-runtime'))
    }
  })
  app.all(PATH, (c) => refuseMethod(c, ['POST']))
  return app
}
