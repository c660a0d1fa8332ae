import { Hono } from 'hono'
import { AccessResolutionRequest } from '#contract/protocol/access-resolution.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import { pluginManagerApi } from '#contract/runtime-api/plugin-manager.ts'
import { authenticatePlugin } from '../use-cases/references/plugin-credential.ts'
import { resolveReference } from '../use-cases/references/resolve.ts'
import { DomainError } from '../engine/domain-error.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { bearerOf, unauthenticated } from './credentials.ts'
import { refusalEnvelope } from './failures.ts'
import { refuseMethod } from './mount.ts'
import { readRequest } from './read-request.ts'
import { envelope } from './http-app.ts'
import type { HttpApp, HttpVariables } from './http-app.ts'

export interface ResolveRouteOptions {
  deps: RuntimeDeps
  limitRate(caller: string): void
}

const PATH = '/bundle-plugin/service-reference/resolve'
const ROW = pluginManagerApi[`POST ${PATH}`]

/** The one endpoint that plugins call. Only the credential identifies the plugin, never the request. */
export function resolveRoute(options: ResolveRouteOptions): HttpApp {
  const { deps } = options
  const app = new Hono<{ Variables: HttpVariables }>()
  app.post(PATH, async (c) => {
    c.set('endpoint', 'resolve')
    try {
      const secret = bearerOf(c.req.raw)
      const pluginId = secret === undefined ? null : await authenticatePlugin(deps.db, secret)
      if (pluginId === null) throw unauthenticated('The plugin credential is missing or unknown')
      c.set('actorId', pluginId)
      options.limitRate(`plugin ${pluginId}`)
      const { body } = await readRequest(c.req.raw, ROW, {})
      const data = await resolveReference(deps, pluginId, AccessResolutionRequest.parse(body))
      return envelope(c, successEnvelope(data))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return envelope(c, refusalEnvelope(error, 'module-plugin-manager'))
    }
  })
  app.all(PATH, (c) => refuseMethod(c, ['POST']))
  return app
}
