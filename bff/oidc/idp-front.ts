import type { IncomingMessage } from 'node:http'
import { isUnavailable } from '#database/unreachable.ts'
import { isCanonicalTarget } from '#http-kit/requests.ts'
import type { Log } from '#http-kit/log.ts'
import type { RequestFront } from '#http-kit/serve.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { securityHeadersFor } from '../middleware/security-headers.ts'
import { handleInteraction } from './interaction.ts'
import type { InteractionOptions } from './interaction.ts'
import { languageOf } from './page-texts.ts'
import { noticePage, sendPage } from './pages.ts'
import { IDP_PATH } from './provider.ts'

/**
 * Limits on requests from one address to this replica, checked before any database access. A record of `begin`
 * lives for ten minutes, so one address can hold 900 of them.
 */
const RATES: Record<IdpRouteKind, Rate> = {
  begin: { perSecond: 1, burst: 300 },
  step: { perSecond: 50, burst: 500 },
}

/**
 * Mounts the embedded identity provider under /idp, before the app, because it is a separate Node request
 * listener. Its addresses always use the public origin, whatever the Host of a request (the BFF itself calls it
 * over loopback).
 */
export function embeddedProviderListener(options: InteractionOptions & { log: Log }): RequestFront {
  const { provider, publicOrigin, log } = options
  const { host, protocol } = new URL(publicOrigin)
  const headers = Object.entries(securityHeadersFor('page', protocol === 'https:'))
  const listener = provider.callback()
  const buckets = { begin: createTokenBuckets(RATES.begin), step: createTokenBuckets(RATES.step) }

  return (incoming, outgoing) => {
    const { url = '' } = incoming
    if (!/^\/idp(?:[/?]|$)/i.test(url)) return false
    for (const [name, value] of headers) outgoing.setHeader(name, value)
    outgoing.setHeader('cache-control', 'no-store')
    if (!isCanonicalTarget(url, ['idp'])) {
      outgoing.writeHead(404).end()
      return true
    }
    const route = matchIdpRoute(incoming.method ?? '', url)
    if (typeof route === 'number') {
      outgoing.writeHead(route).end()
      return true
    }
    if (!buckets[route].take(options.addressOf(incoming))) {
      const language = languageOf(incoming.headers['accept-language'])
      outgoing.setHeader('retry-after', '60')
      sendPage(outgoing, 429, noticePage({ language, notice: 'limited' }))
      return true
    }
    const handleError = (error: unknown): void => {
      log.error('the identity provider failed', { path: url.split('?', 1)[0] }, error)
      if (outgoing.headersSent) return void outgoing.end()
      const isDatabaseDown = isUnavailable(error)
      const language = languageOf(incoming.headers['accept-language'])
      sendPage(
        outgoing,
        isDatabaseDown ? 503 : 500,
        noticePage({ language, notice: isDatabaseDown ? 'unreachable' : 'failed' }),
      )
    }
    if (url.startsWith(`${IDP_PATH}/interaction/`)) {
      handleInteraction(options, incoming, outgoing).catch(handleError)
      return true
    }
    rewriteForProvider(incoming, { host, protocol: protocol.slice(0, -1) })
    listener(incoming, outgoing).catch(handleError)
    return true
  }
}

/** Prepares a request as Express does for a mounted app, which the provider expects. Only we set the proxy headers. */
function rewriteForProvider(
  incoming: IncomingMessage & { originalUrl?: string },
  origin: { host: string; protocol: string },
): void {
  incoming.originalUrl = incoming.url ?? ''
  incoming.url = incoming.originalUrl.slice(IDP_PATH.length) || '/'
  incoming.headers['x-forwarded-host'] = origin.host
  incoming.headers['x-forwarded-proto'] = origin.protocol
  delete incoming.headers['x-forwarded-for']
  // drop the provider's session cookies, so that every sign-in is independent
  const cookies = (incoming.headers.cookie ?? '')
    .split(';')
    .filter((pair) => !/^\s*(?:__Secure-idp|idp_\d+)_session=/.test(pair))
  incoming.headers.cookie = cookies.join(';')
}

/** `begin` starts a sign-in and writes a record; `step` is any other request. */
type IdpRouteKind = 'begin' | 'step'

interface IdpRoute {
  path: RegExp
  methods: readonly string[]
  kind: IdpRouteKind
}

const route = (path: string, methods: readonly string[], kind: IdpRouteKind = 'step'): IdpRoute => ({
  path: new RegExp(`^${IDP_PATH}${path}$`),
  methods,
  kind,
})

/** Only what a sign-in needs; the provider library serves more. */
const ROUTES: readonly IdpRoute[] = [
  // HEAD would also write a record
  route('/auth', ['GET'], 'begin'),
  route('/auth/[\\w-]+', ['GET']),
  route('/interaction/[^/]+', ['GET', 'POST']),
  route('/token', ['POST']),
  route('/me', ['GET']),
  route('/jwks', ['GET', 'HEAD']),
  route('/\\.well-known/openid-configuration', ['GET', 'HEAD']),
]

/** Longer than any of our addresses; the provider stores the parameters of a sign-in. */
const MAX_TARGET_LENGTH = 2_048

/** The kind of route of a request, or the status to refuse it with. */
function matchIdpRoute(method: string, target: string): IdpRouteKind | 404 | 405 | 414 {
  if (target.length > MAX_TARGET_LENGTH) return 414
  const path = target.split('?', 1)[0] ?? ''
  const found = ROUTES.find((one) => one.path.test(path))
  if (found === undefined) return 404
  return found.methods.includes(method) ? found.kind : 405
}
