import type { Context } from 'hono'

/** Names and attributes of the cookies; they depend on whether the console is served over https. */
export interface CookieKit {
  session: string
  /** The name prefix of the cookie that binds one sign-in to its browser; the rest is derived from its state. */
  signIn: string
  secure: boolean
}

/**
 * `__Host-Http-` prevents scripts and sibling hosts from setting a cookie, but requires https. Over http (on a
 * local machine) the name contains the port, because all ports of a host share cookies.
 */
export function cookieKit(publicUrl: URL): CookieKit {
  const secure = publicUrl.protocol === 'https:'
  const prefix = secure ? '__Host-Http-console' : `console_${publicUrl.port === '' ? '80' : publicUrl.port}`
  return { session: `${prefix}_session`, signIn: `${prefix}_sign_in_`, secure }
}

/** `Set-Cookie` for an HttpOnly cookie of the whole origin; a session cookie has no `maxAgeSeconds`. */
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

/** All cookies of a request as sent; a name may occur twice. */
export function cookiesOf(c: Context): [name: string, value: string][] {
  return (c.req.header('cookie') ?? '').split(';').flatMap((pair): [string, string][] => {
    const equals = pair.indexOf('=')
    return equals < 0 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]]
  })
}

/** The opaque value of a cookie; null if it is absent, malformed, or ambiguous because it occurs twice. */
export function opaqueCookie(c: Context, name: string): string | null {
  const values = cookiesOf(c).filter((cookie) => cookie[0] === name)
  const value = values[0]?.[1]
  return values.length === 1 && value !== undefined && OPAQUE.test(value) ? value : null
}
