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
  const byPattern = Map.groupBy(
    Object.entries(runtimeApi) as [keyof typeof runtimeApi & EndpointName, EndpointRow][],
    ([name]) => splitName(name).path.replace(/\{(\w+)\}/g, ':$1'),
  )
  for (const [pattern, rows] of [...byPattern].toSorted(([one], [other]) => literalFirst(one, other))) {
    for (const [name, row] of rows) {
      const access = personAccess(name, row)
      const handler: AnyHandler | undefined = options.handlers[name]
      if (handler === undefined) throw new Error(`The endpoint "${name}" has no handler`)
      app.on(splitName(name).method, pattern, (c) => serveRow({ c, name, row, access, handler, options }))
    }
    const methods = rows.map(([name]) => splitName(name).method)
    app.all(pattern, (c) => refuseMethod(c, methods))
  }
  return app
}

/** `/batches/plan` comes before `/batches/:batchId`, which matches it too. */
function literalFirst(one: string, other: string): number {
  const shape = (pattern: string) =>
    pattern.replace(/[^/]+/g, (segment) => (segment.startsWith(':') ? '1' : '0'))
  return shape(one) < shape(other) ? -1 : 1
}

function personAccess(name: string, row: EndpointRow): PersonAccess {
  // the type guarantees it, but a row may come from plain JavaScript or a careless cast
  const access: EndpointRow['access'] | undefined = row.access
  if (access !== undefined && 'where' in access) return access
  throw new Error(`The endpoint "${name}" does not say which permission it needs`)
}

/** Responds to OPTIONS with the methods, without permission for other origins; refuses any other method with 405. */
export function refuseMethod(c: HttpContext, methods: readonly Method[]): Response {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow })
  throw new TransportError('METHOD_NOT_ALLOWED', undefined, { allow })
}
