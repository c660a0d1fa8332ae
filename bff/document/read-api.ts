import type { Context } from 'hono'

/** Reads a path below `/api` on behalf of one person; the answer is that of the console API. */
export type ReadApi = (
  path: string,
  options: { isActivity: boolean; signal: AbortSignal },
) => Promise<Response>

/**
 * Reads the console API for the person of a request. Each read passes through the whole app, so sessions, rate limits,
 * permissions and the protected property are enforced in one place.
 */
export function createApiReader({
  fetch,
  publicOrigin,
}: {
  fetch: (request: Request, env: unknown) => Response | Promise<Response>
  publicOrigin: string
}): (c: Context) => ReadApi {
  const { host } = new URL(publicOrigin)
  return (c) => {
    const cookie = c.req.header('cookie')
    const authorization = c.req.header('authorization')
    return async (path, { isActivity, signal }) => {
      const headers = {
        host,
        accept: 'application/json',
        'x-requested-by': 'console',
        'sec-fetch-site': 'same-origin',
        'sec-fetch-dest': 'empty',
        ...(cookie !== undefined && { cookie }),
        // the API refuses requests that carry one
        ...(authorization !== undefined && { authorization }),
        ...(!isActivity && { 'x-background': 'true' }),
      }
      return fetch(new Request(`${publicOrigin}/api${path}`, { headers, signal }), c.env)
    }
  }
}
