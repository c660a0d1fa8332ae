import type { MiddlewareHandler } from 'hono'
import { ConsoleFailure } from '../failure.ts'

/** Paths for machines, which use an address instead of the public name. */
const MACHINE_PATHS = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * Serves the console only under its public name: cookies and sign-in belong to it, and a foreign `Host` may
 * come from DNS rebinding. A page that is requested under another name (`127.0.0.1` for `localhost`) redirects
 * to the public one.
 */
export function publicHost({ publicOrigin }: { publicOrigin: string }): MiddlewareHandler {
  const { host } = new URL(publicOrigin)
  return async (c, next) => {
    const isPublic = c.req.header('host')?.toLowerCase() === host || MACHINE_PATHS.has(c.req.path)
    if (isPublic) return next()
    const isPage = c.req.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')
    if (isPage && !c.req.path.startsWith('/api/')) {
      const { pathname, search } = new URL(c.req.url)
      return c.redirect(publicOrigin + pathname + search, 307)
    }
    throw new ConsoleFailure('REQUEST_INVALID', { message: `The console is served only at ${publicOrigin}.` })
  }
}
