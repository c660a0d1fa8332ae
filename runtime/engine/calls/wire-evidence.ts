import { MASK } from '#contract/protocol/data.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { WireEvidence } from '#contract/runtime-api/operations.ts'
import { maskStrings, secretsInHeaders, visibleText } from '#http-kit/text/scrub.ts'
import { CREDENTIAL_START, hidePlatformMaterial } from './platform-material.ts'

/** By name in lower case: those that may be shown. */
type Headers = Readonly<Partial<Record<string, string>>>

/** The head of a response. */
export interface WireHead {
  headers: Headers
  /** Null if the response was not read. */
  status: number | null
  isRedirect: boolean
  /** The address that was called. */
  endpoint: string
  /** When the request was on a connection, and when the head of its response had arrived, by the platform's clock. */
  connectedAt: Date
  answeredAt: Date
}

/** What the head of a response tells besides its status. */
export interface WireReading {
  headers: Headers
  /** How long the plugin asks to wait; null if it does not. */
  retryAfterSeconds: number | null
  /** How far the clock of the plugin's host is behind; negative if it is ahead, null if it is right or not known. */
  clockBehindSeconds: number | null
  /** Where a redirect leads, and whether that is another host than the endpoint's. */
  redirect: { origin: string; isOtherHost: boolean } | null
}

/** Statuses with which a service asks its callers to come back later. */
const COME_BACK_LATER = new Set([429, 503])

/** Reads the head of a response. */
export function readWire(head: WireHead): WireReading {
  const { headers, status, isRedirect, endpoint } = head
  const { location } = headers
  return {
    headers,
    retryAfterSeconds: status !== null && COME_BACK_LATER.has(status) ? retryAfterIn(head) : null,
    clockBehindSeconds: clockBehind(head),
    redirect:
      isRedirect && location !== undefined
        ? { origin: location, isOtherHost: URL.parse(location)?.hostname !== URL.parse(endpoint)?.hostname }
        : null,
  }
}

/** The header may have any number of seconds and any year. What follows from it is a time that people can read. */
export const RETRY_AFTER_MAX_SECONDS = 30 * 86_400

/** Seconds, or a time by the clock of who sent it. At most 30 days are taken. */
function retryAfterIn({ headers, answeredAt }: WireHead): number | null {
  const { 'retry-after': text = '', date = '' } = headers
  const until = httpDate(text)
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : until === null
      ? null
      : Math.ceil((until - (httpDate(date) ?? answeredAt.getTime())) / 1000)
  return seconds === null ? null : Math.min(Math.max(0, seconds), RETRY_AFTER_MAX_SECONDS)
}

/** Clocks that differ by less are not told: a token has a tolerance for them. */
const TOLD_MS = 5_000

/**
 * `Date` has whole seconds, and was written between the two times: the difference is told if even the smallest that is
 * possible is more than 5 s.
 */
function clockBehind({ headers: { date = '', age }, connectedAt, answeredAt }: WireHead): number | null {
  // of a stored response, `Date` is when it was made
  const written = age === undefined || age === '0' ? httpDate(date) : null
  if (written === null) return null
  const least = connectedAt.getTime() - (written + 1_000)
  const most = answeredAt.getTime() - written
  return least > TOLD_MS || most < -TOLD_MS ? Math.round((least + most) / 2_000) : null
}

function httpDate(text: string): number | null {
  const time = text.endsWith(' GMT') ? Date.parse(text) : NaN
  return Number.isNaN(time) ? null : time
}

interface MaskingInput {
  sensitiveValues: readonly JsonValue[]
  /** Base URLs of the registered services. */
  serviceAddresses: readonly string[]
}

/** A header with at most this many characters is shown as a whole. */
const SHOWN_MAX = 200

/** Without the word at the cut: it may be the start of a secret that becomes known later. */
function shortened(header: string): string {
  if (header.length <= SHOWN_MAX) return header
  return `${header.slice(0, header.lastIndexOf(' ', SHOWN_MAX) + 1)}…`
}

/** A header for display, without sensitive values and without what the platform issued or resolved. */
export function maskHeader(text: string, { sensitiveValues, serviceAddresses }: MaskingInput): string {
  if (text.includes(CREDENTIAL_START)) return MASK
  const masked = hidePlatformMaterial(String(maskStrings(text, secretsInHeaders(sensitiveValues))), {
    serviceAddresses,
  })
  return hideProtectedName(masked)
}

/**
 * What an attempt records of the head of its response; null if it tells nothing.
 *
 * @param isUsable The response was understood: of it only a difference of the clocks is kept.
 */
export function recordWire(
  { headers, retryAfterSeconds, clockBehindSeconds }: WireReading,
  { isUsable, isClockKnown, ...masking }: MaskingInput & { isUsable: boolean; isClockKnown: boolean },
): WireEvidence | null {
  const shown = isUsable
    ? []
    : Object.entries(headers).map(
        ([name, value = '']) => [name, shortened(maskHeader(value, masking))] as const,
      )
  const evidence: WireEvidence = {
    ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    ...(clockBehindSeconds !== null && isClockKnown && { clockBehindSeconds }),
  }
  return Object.keys(evidence).length === 0 ? null : evidence
}

/** The evidence with these secrets masked too: they became known after it was recorded. */
export function maskEvidence(wire: WireEvidence | null, secrets: readonly JsonValue[]): WireEvidence | null {
  if (wire?.headers === undefined) return wire
  const hidden = secretsInHeaders(secrets)
  const headers = Object.entries(wire.headers).map(([name, value]) => [
    name,
    String(maskStrings(value, hidden)),
  ])
  return { ...wire, headers: Object.fromEntries(headers) }
}

/** By name in lower case, as they came. */
type SentHeaders = Readonly<Partial<Record<string, string | string[]>>>

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
export function wireHeaders(headers: SentHeaders, url: string): WireHeaders {
  const kept: WireHeaders = {}
  for (const name of KEPT) {
    const value = visibleHeader(headers[name])
    if (value !== '') kept[name] = value
  }
  const location = originOf(visibleHeader(headers['location']), url)
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
