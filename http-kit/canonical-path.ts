import type { IncomingMessage } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { TransportError } from './problem.ts'

const SEGMENTS = /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%[0-9A-Fa-f]{2})*)+$/
/** Slashes, backslashes, control characters, and the unreserved characters of RFC 3986, which never need escaping. */
const FORBIDDEN_ESCAPE = /%(?:2[def]|3[0-9]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9aef]|[01][0-9a-f])/i

/**
 * Whether a request target can be interpreted in only one way, so that router, permission check and upstream agree on
 * it. Rejected: absolute form, `//`, `.` and `..` segments, encoded letters, digits, `-`, `.`, `_`, `~`,
 * slashes, backslashes and control characters, raw `;`, `\` and non-ASCII, escapes that are not valid UTF-8, and a
 * known first segment in another letter case.
 */
export function isCanonicalTarget(target: string, prefixes: readonly string[]): boolean {
  const path = target.split('?', 1)[0] ?? ''
  if (!SEGMENTS.test(path) || FORBIDDEN_ESCAPE.test(path) || target.includes('#')) return false
  const segments = path.split('/').slice(1)
  const hasEmptySegment = segments.some((segment, index) => segment === '' && index < segments.length - 1)
  if (hasEmptySegment || segments.includes('.') || segments.includes('..')) return false
  const first = segments[0] ?? ''
  if (!prefixes.includes(first) && prefixes.includes(first.toLowerCase())) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * Responds with 404, before routing, to every target that is not canonical: nothing has such an address. `prefixes` are
 * the known first segments, in lower case. `orElse` may give another response, with the status 404.
 */
export function canonicalPath({
  prefixes,
  orElse,
}: {
  prefixes: readonly string[]
  orElse?: (c: Context) => Response | null
}): MiddlewareHandler {
  return async (c, next) => {
    // URL parsing resolves dot segments, so the raw target of the request line is checked
    const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
    if (!isCanonicalTarget(incoming?.url ?? targetOf(c.req.raw.url), prefixes)) {
      const other = orElse?.(c) ?? null
      if (other !== null) return other
      throw new TransportError('NOT_FOUND', 'There is nothing at this path. Check the spelling.')
    }
    return next()
  }
}

function targetOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
