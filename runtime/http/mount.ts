import { Hono } from 'hono'
import { splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow, Method } from '#contract/endpoint/endpoint.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { TransportError } from '#http-kit/problem.ts'
import type { PersonAccess } from './require-permission.ts'
import type { HttpApp, HttpContext } from './http-app.ts'
import { serveRow } from './serve-row.ts'
import type { AnyHandler, MountOptions } from './serve-row.ts'

/** Mounts every row of the runtime API. Throws if a row has no permission for a person or no handler. */
export function mountRuntimeApi(options: MountOptions): HttpApp {
  const app: HttpApp = new Hono()
  const allowed = new Map<string, Method[]>()
  for (const [name, row] of Object.entries(runtimeApi) as [
    keyof typeof runtimeApi & EndpointName,
    EndpointRow,
  ][]) {
    const access = personAccess(name, row)
    const handler: AnyHandler | undefined = options.handlers[name]
    if (handler === undefined) throw new Error(`The endpoint "${name}" has no handler`)
    const { method, path } = splitName(name)
    const pattern = path.replace(/\{(\w+)\}/g, ':$1')
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), method])
    app.on(method, pattern, (c) => serveRow({ c, name, row, access, handler, options }))
  }
  for (const [pattern, methods] of allowed) app.all(pattern, (c) => refuseMethod(c, methods))
  return app
}

function personAccess(name: string, row: EndpointRow): PersonAccess {
  // the type guarantees it, but a row may come from plain JavaScript or a careless cast
  const access: EndpointRow['access'] | undefined = row.access
  if (access !== undefined && 'where' in access) return access
  throw new Error(`The endpoint "${name}" does not say which permission it needs`)
}

/** Answers OPTIONS with the methods, without permission for other origins; anything else with 405. */
export function refuseMethod(c: HttpContext, methods: readonly Method[]): Response {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow })
  throw new TransportError('METHOD_NOT_ALLOWED', undefined, { allow })
}
