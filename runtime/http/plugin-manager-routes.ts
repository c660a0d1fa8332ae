import { Hono } from 'hono'
import type { BodyOf } from '#contract/endpoint/endpoint.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import { pluginManagerApi } from '#contract/runtime-api/plugin-manager.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import type { PluginRead } from '#contract/runtime-api/vocabulary.ts'
import { ReadRefusal } from '../use-cases/references/read-refusal.ts'
import { readCounter } from '../use-cases/references/record-reads.ts'
import { refusalRecorder } from '../use-cases/references/record-refusals.ts'
import type { RefusedRead } from '../store/plugins/refusals.ts'
import { authenticatePlugin, readAuthorization, resolveReference } from '../use-cases/references/resolve.ts'
import { readEventDeclarations } from '../use-cases/references/read-references.ts'
import type { PluginReads } from '../store/references.ts'
import { DomainError } from '../engine/refusals.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { bearerOf, unauthenticated } from './callers.ts'
import type { CallerLimits } from './callers.ts'
import { refusalEnvelope } from './failures.ts'
import { envelope, refuseMethod } from './serve-row.ts'
import { readRequest } from './read-request.ts'
import type { HttpApp, HttpContext, HttpVariables } from './http-app.ts'

export interface PluginManagerOptions {
  deps: RuntimeDeps
  reads: PluginReads
  limitRate(caller: string, cost?: number): void
  inTurn: CallerLimits['inTurn']
}

/** The endpoints that plugins call. Only the credential identifies the plugin, never the request. */
export function pluginManagerRoutes(options: PluginManagerOptions): HttpApp {
  const app = new Hono<{ Variables: HttpVariables }>()
  const { deps, reads } = options
  const use = { ...deps, reads }
  const record = refusalRecorder(deps)
  const count = readCounter(deps)
  serve('/bundle-plugin/service-reference/resolve', 'resolve', 'RESOLVE', (pluginId, body) =>
    resolveReference(use, pluginId, body),
  )
  // these have no connections of their own, and take what people wait for
  serve('/bundle-plugin/authorization/read', 'authorization', 'AUTHORIZATION', (pluginId, body, request) =>
    options.inTurn('read', `plugin ${pluginId}`, request, () => readAuthorization(use, pluginId, body)),
  )
  serve('/bundle-plugin/event-declarations/read', 'event declarations', 'EVENTS', (pluginId, body, request) =>
    options.inTurn('read', `plugin ${pluginId}`, request, () => readEventDeclarations(use, pluginId, body)),
  )
  return app

  function serve<Path extends PathOf<keyof typeof pluginManagerApi>>(
    path: Path,
    endpoint: string,
    name: PluginRead,
    read: (
      pluginId: string,
      body: BodyOf<(typeof pluginManagerApi)[`POST ${Path}`]>,
      request: Request,
    ) => Promise<JsonValue>,
  ): void {
    const row = pluginManagerApi[`POST ${path}`]
    app.post(path, async (c) => {
      c.set('endpoint', endpoint)
      const caller: { pluginId: string | null; body: PluginRequest | null } = { pluginId: null, body: null }
      try {
        caller.pluginId = await authenticate(c, options)
        const { body } = await readRequest(c.req.raw, row, {})
        // checked against the schema of the row
        const checked = body as BodyOf<(typeof pluginManagerApi)[`POST ${Path}`]>
        caller.body = checked
        const answer = successEnvelope(await read(caller.pluginId, checked, c.req.raw))
        count({ pluginId: caller.pluginId, endpoint: name, place: placeIn(checked) })
        return envelope(c, answer)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        const refused = error instanceof ReadRefusal ? refusedRead(name, error, caller) : null
        if (refused !== null) await record(refused)
        return envelope(c, refusalEnvelope(error, 'module-plugin-manager'))
      }
    })
    app.all(path, (c) => refuseMethod(c, ['POST']))
  }
}

type PathOf<Name> = Name extends `POST ${infer Path}` ? Path : never

/** The body of any of the endpoints. */
type PluginRequest = BodyOf<(typeof pluginManagerApi)[keyof typeof pluginManagerApi]>

function refusedRead(
  endpoint: PluginRead,
  { rule, code, serviceId, pluginId }: ReadRefusal,
  caller: { pluginId: string | null; body: PluginRequest | null },
): RefusedRead | null {
  const refusedPlugin = caller.pluginId ?? pluginId
  if (refusedPlugin === null) return null
  return { pluginId: refusedPlugin, endpoint, rule, code, serviceId, place: placeIn(caller.body) }
}

function placeIn(body: PluginRequest | null): RefusedRead['place'] {
  const bundleInstallId = body?.installation.bundleInstallId
  // valid ids are UUIDs, and the database would reject anything else
  if (body === null || !Uuid.safeParse(bundleInstallId).success) return null
  return {
    bundleInstallId: body.installation.bundleInstallId,
    resource: 'resource' in body ? body.resource : null,
    property: 'propertyKey' in body ? body.propertyKey : null,
  }
}

async function authenticate(
  c: HttpContext,
  { deps: { db }, reads, limitRate }: PluginManagerOptions,
): Promise<string> {
  const secret = bearerOf(c.req.raw)
  const pluginId = secret === undefined ? null : await authenticatePlugin({ db, reads }, secret)
  if (pluginId === null) throw unauthenticated('The plugin credential is missing or unknown')
  c.set('actorId', pluginId)
  limitRate(`plugin ${pluginId}`)
  return pluginId
}
