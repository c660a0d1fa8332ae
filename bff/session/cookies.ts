import type { Context } from 'hono'

/** Names and attributes of our cookies, which depend on whether the console is served over https. */
export interface CookieKit {
  session: string
  /** Begins the name of the cookie that binds one sign-in to its browser; the rest comes from its state. */
  signIn: string
  secure: boolean
}

/**
 * `__Host-Http-` keeps scripts and sibling hosts from planting a cookie, but asks for https. Over http (a machine of
 * one's own) the port is in the name, because there cookies are shared by all ports of a host.
 */
export function cookieKit(publicUrl: URL): CookieKit {
  const secure = publicUrl.protocol === 'https:'
  const prefix = secure ? '__Host-Http-console' : `console_${publicUrl.port === '' ? '80' : publicUrl.port}`
  return { session: `${prefix}_session`, signIn: `${prefix}_sign_in_`, secure }
}

/** `Set-Cookie` for a whole-origin cookie that no script sees; a cookie of the session has no `maxAgeSeconds`. */
export function cookieText(options: {
  name: string
  value: string
  sameSite: 'Strict' | 'Lax'
  secure: boolean
  maxAgeSeconds?: number
}): string {
  const { name, value, sameSite, secure, maxAgeSeconds } = options
  const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}${age}`
}

/** `Set-Cookie` that removes a cookie. */
export function removalCookie(options: {
  name: string
  sameSite: 'Strict' | 'Lax'
  secure: boolean
}): string {
  return cookieText({ ...options, value: '', maxAgeSeconds: 0 })
}

const OPAQUE = /^[A-Za-z0-9_-]{43}$/

/** All cookies of a request as they were sent; a name may stand there twice. */
export function cookiesOf(c: Context): [name: string, value: string][] {
  return (c.req.header('cookie') ?? '').split(';').flatMap((pair): [string, string][] => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]]
  })
}

/** The opaque value of a cookie; null where it is absent, garbage, or there twice, since then nobody knows whose it is. */
export function opaqueCookie(c: Context, name: string): string | null {
  const values = cookiesOf(c).filter((cookie) => cookie[0] === name)
  const value = values[0]?.[1]
  return values.length === 1 && value !== undefined && OPAQUE.test(value) ? value : null
}
