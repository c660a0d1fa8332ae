import type { IncomingMessage } from 'node:http'
import { isUnavailable } from '#database/unreachable.ts'
import type { Log } from '#http-kit/log.ts'
import { isCanonicalTarget } from '#http-kit/canonical-path.ts'
import type { RequestFront } from '#http-kit/serve.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { securityHeadersFor } from '../middleware/security-headers.ts'
import { matchIdpRoute } from './idp-routes.ts'
import type { IdpRouteKind } from './idp-routes.ts'
import { handleInteraction } from './interaction.ts'
import type { InteractionOptions } from './interaction.ts'
import { languageOf } from './language.ts'
import { noticePage } from './pages.ts'
import { IDP_PATH } from './provider.ts'

/**
 * Requests from one address to this replica, refused before the database is asked. A record of `begin` lives for ten
 * minutes, so one address can keep 900 of them.
 */
const RATES: Record<IdpRouteKind, Rate> = {
  begin: { perSecond: 1, burst: 300 },
  step: { perSecond: 50, burst: 500 },
}

/**
 * Mounts the embedded identity provider under /idp, before the app: it is a Node request listener of its own. Whatever
 * name it is called by (the BFF itself comes over loopback), it speaks of its addresses by the public origin.
 */
export function idpFront(options: InteractionOptions & { log: Log }): RequestFront {
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
    // the provider's own router ignores the letter case of its endpoints
    if (!isCanonicalTarget(url, ['idp']) || /^\/idp\/[^/?]*[A-Z]/.test(url)) {
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
      const page = noticePage({ language, notice: 'limited' })
      outgoing.writeHead(429, { 'retry-after': '60', 'content-type': 'text/html; charset=utf-8' }).end(page)
      return true
    }
    const failed = (error: unknown): void => {
      log.error('The identity provider failed', { path: url.split('?', 1)[0] }, error)
      if (!outgoing.headersSent) outgoing.statusCode = isUnavailable(error) ? 503 : 500
      outgoing.end()
    }
    if (url.startsWith(`${IDP_PATH}/interaction/`)) {
      handleInteraction(options, incoming, outgoing).catch(failed)
      return true
    }
    prepare(incoming, { host, protocol: protocol.slice(0, -1) })
    listener(incoming, outgoing).catch(failed)
    return true
  }
}

/** As Express mounts it, which is what the provider looks for; and what a proxy would say is said by us alone. */
function prepare(
  incoming: IncomingMessage & { originalUrl?: string },
  origin: { host: string; protocol: string },
): void {
  incoming.originalUrl = incoming.url ?? ''
  incoming.url = incoming.originalUrl.slice(IDP_PATH.length) || '/'
  incoming.headers['x-forwarded-host'] = origin.host
  incoming.headers['x-forwarded-proto'] = origin.protocol
  delete incoming.headers['x-forwarded-for']
  // No session of the provider is ever taken up again: each sign-in stands for itself.
  const cookies = (incoming.headers.cookie ?? '')
    .split(';')
    .filter((pair) => !/^\s*(?:__Secure-idp|idp_\d+)_session=/.test(pair))
  incoming.headers.cookie = cookies.join(';')
}
