import { MASK } from '#contract/protocol/data.ts'
import { hideProtectedName } from '#contract/protocol/protected-property.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { WireEvidence } from '#contract/runtime-api/operations.ts'
import { maskStrings, secretsInHeaders } from '#http-kit/text/scrub.ts'
import { hidePlatformMaterial } from './platform-material.ts'

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

/** With what every credential of a plugin begins. */
const CREDENTIAL_START = 'bpc_'

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
