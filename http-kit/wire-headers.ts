import type { IncomingHttpHeaders } from 'node:http'
import { visibleText } from './text/scrub.ts'

/** Headers that are kept as they are. Others may contain anything: cookies, tokens, addresses. */
const KEPT = ['retry-after', 'date', 'server', 'via', 'age', 'x-cache'] as const

const ORIGIN_MAX = 200

/** What may be shown of the headers of a response once it is masked: text of a stranger in visible ASCII, of any length. */
type WireHeaders = Partial<Record<(typeof KEPT)[number] | 'location' | 'www-authenticate', string>>

/**
 * The headers that say who answered in place of a service, and why: the kept ones, the origin of `location`, and the scheme
 * and the error of `www-authenticate`.
 *
 * @param url The address of the request, to which a location may be relative.
 */
export function wireHeaders(headers: Readonly<IncomingHttpHeaders>, url: string): WireHeaders {
  const kept: WireHeaders = {}
  for (const name of KEPT) {
    const value = visibleHeader(headers[name])
    if (value !== '') kept[name] = value
  }
  const location = originOf(visibleHeader(headers.location), url)
  if (location !== null) kept.location = location
  const challenge = challengeIn(visibleHeader(headers['www-authenticate']))
  if (challenge !== null) kept['www-authenticate'] = challenge
  return kept
}

function visibleHeader(header: string | string[] | undefined): string {
  // a header that is sent twice is a list, whatever its type says
  return visibleText([header ?? []].flat().join(', ')).trim()
}

/** Without user, path and query: they may contain a token. */
function originOf(location: string, base: string): string | null {
  const url = location === '' ? null : URL.parse(location, base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin.length > ORIGIN_MAX) return null
  return url.origin
}

/** The first challenge as `Bearer error="invalid_token"`. Its other parameters may name a realm or an address. */
function challengeIn(header: string): string | null {
  const [scheme] = /^[A-Za-z][\w-]{0,31}(?=$|[\s,])/.exec(header) ?? []
  if (scheme === undefined) return null
  const [, error] = /[\s,]error="?([\w-]{1,64})(?![\w-])/i.exec(header) ?? []
  return error === undefined ? scheme : `${scheme} error="${error}"`
}
