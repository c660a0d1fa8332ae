import { Hono } from 'hono'
import { canonicalPath, requestId } from '#http-kit/requests.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { TransportError, transportProblem } from '#http-kit/problem-response.ts'
import { toTransportError } from './failures.ts'
import { healthRoutes } from './health.ts'
import type { HealthOptions } from './health.ts'
import { mountRuntimeApi } from './serve-row.ts'
import type { MountOptions } from './serve-row.ts'
import { observeRequests } from './metrics.ts'
import { recordRoute } from './record-route.ts'
import type { RecordRouteOptions } from './record-route.ts'
import { pluginManagerRoutes } from './plugin-manager-routes.ts'
import type { PluginManagerOptions } from './plugin-manager-routes.ts'
import type { HttpApp, HttpVariables } from './http-app.ts'

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
