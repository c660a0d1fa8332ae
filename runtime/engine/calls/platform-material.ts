import { textsIn } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'

/** How to recognize a credential that the platform issued. */
export interface PlatformCredentials {
  isPlatformPayload(payload: string): boolean
  /** The issued plugin credentials that the response contains. */
  issuedCredentials: ReadonlySet<string>
}

interface Addresses {
  /** Base URLs of the registered services. */
  serviceAddresses: readonly string[]
}

export interface PlatformMaterial extends PlatformCredentials, Addresses {}

/** Whether a value contains a credential that the platform issued: a signed token, or the credential of any plugin. */
export function holdsPlatformCredential(value: JsonValue, credentials: PlatformCredentials): boolean {
  return textsIn(value).some((text) => isOrHoldsCredential(text, credentials))
}

/**
 * Whether a value contains a platform credential or a URL under a registered service anywhere. These come from resolved
 * references, and a plugin must never write them back.
 */
export function holdsPlatformMaterial(value: JsonValue, material: PlatformMaterial): boolean {
  const bases = basesOf(material.serviceAddresses)
  return textsIn(value).some((text) => isOrHoldsCredential(text, material) || holdsAddress(text, bases))
}

/**
 * A token, also one that was cut after its header, from the start of its word. The lookahead keeps it from searching the rest of the
 * word from each `ey` of very many.
 */
const TOKEN_PART = /(?<![\w-])(?=[\w-]+\.ey)([\w-]*?)ey[\w-]{8,}\.ey[\w-]*(?:\.[\w-]*)?/g

/** A text for people without tokens, whole or cut, and without URLs under a registered service. */
export function hidePlatformMaterial(text: string, { serviceAddresses }: Addresses): string {
  const bases = basesOf(serviceAddresses)
  return text
    .split(URL_START)
    .map((part) => {
      const found = urlAtStart(part)
      return found !== '' && isService(found, bases)
        ? MASK + part.slice(withoutEnd(found, PUNCTUATION).length)
        : part
    })
    .join('')
    .replaceAll(TOKEN_PART, (_, before: string) => before + MASK)
}

/** With what every credential of a plugin begins. */
export const CREDENTIAL_START = 'bpc_'

/** Matches anywhere, even between other letters: 32 bytes are 43 base64url characters. */
const CREDENTIAL = /(?=(bpc_[\w-]{43}))bpc_/g

/** Returns every part of a text that looks like the credential of a plugin. Whether it was issued decides whether it is one. */
export function possibleCredentialsIn(text: string): string[] {
  return text.includes(CREDENTIAL_START)
    ? [...text.matchAll(CREDENTIAL)].map(([, credential = '']) => credential)
    : []
}

/** Not each text is searched for each credential: a response may have very many of both. */
function isOrHoldsCredential(text: string, credentials: PlatformCredentials): boolean {
  const { issuedCredentials } = credentials
  return (
    possibleCredentialsIn(text).some((one) => issuedCredentials.has(one)) || holdsToken(text, credentials)
  )
}

/**
 * Checks every part of the text that could be a compact JWT, even if other characters surround it. Header and payload are JSON
 * objects, so both contain "ey" in base64url. Each payload is looked at once, because a response may have very many.
 */
function holdsToken(text: string, { isPlatformPayload }: PlatformCredentials): boolean {
  if (!text.includes('.ey')) return false
  return text.split(/[^\w.-]+/).some((word) => {
    const parts = word.split('.')
    return parts.some(
      (payload, index) =>
        payload.startsWith('ey') &&
        parts[index - 1]?.includes('ey') === true &&
        (parts[index + 1] ?? '') !== '' &&
        isPlatformPayload(payload),
    )
  })
}

interface Address {
  origin: string
  path: string
}

/** Paths by origin, and their greatest length: a response may have very many URLs, and an origin very many services. */
type Bases = ReadonlyMap<string, { paths: ReadonlySet<string>; longest: number }>

const parsed = new WeakMap<readonly string[], Bases>()

/** The addresses of the services, parsed once for all texts of a response. */
function basesOf(serviceAddresses: readonly string[]): Bases {
  const known = parsed.get(serviceAddresses)
  if (known !== undefined) return known
  const addresses = serviceAddresses.flatMap((address) => addressOf(address) ?? [])
  const byOrigin = Map.groupBy(addresses, ({ origin }) => origin)
  const bases = new Map(
    [...byOrigin].map(([origin, those]) => {
      const paths = new Set(those.map(({ path }) => path))
      return [origin, { paths, longest: Math.max(...Array.from(paths, ({ length }) => length)) }]
    }),
  )
  parsed.set(serviceAddresses, bases)
  return bases
}

const ADDRESS_MAX = 2048

/** Before each scheme, to find a URL inside another one too. JSON may escape each slash. */
const URL_START = /(?=https?:(?:\\*\/){2})/i

/** From a scheme to the first character that ends a URL in prose, in code or in JSON. */
const URL_AT_START = /^https?:(?:\\*\/){2}(?:\[[\da-f:.]*\])?(?:[^\s"'`|<>\\,;)\]}]|\\+\/)*/i

/** The part of a found URL that is certainly one: another character after the port, or one outside ASCII, is of the text around it. */
const CERTAIN_PART = /^https?:\/\/(?:[^/?#@]*@)?(?:\[[\da-f:.]*\]|[\w.%-]*)(?::\d+)?(?:[/?#][!-~]*)?/i

/** Often follows a URL, but may also be its end. */
const PUNCTUATION = new Set('.:!?*&_~。：！？…')

function holdsAddress(text: string, bases: Bases): boolean {
  return bases.size > 0 && text.split(URL_START).some((part) => isService(urlAtStart(part), bases))
}

/** The URL with which a text starts, with punctuation that may follow it; empty if there is none. */
function urlAtStart(text: string): string {
  const [found = ''] = URL_AT_START.exec(text.slice(0, ADDRESS_MAX)) ?? []
  return found
}

/** Whether a URL is under a service in one of the ways to read it: with all that follows it, or without what may not belong to it. */
function isService(found: string, bases: Bases): boolean {
  if (found === '') return false
  const whole = found.replaceAll(/\\+\//g, '/')
  const [certain = ''] = CERTAIN_PART.exec(whole) ?? []
  return [...new Set([whole, certain, withoutEnd(certain, PUNCTUATION)])].some((url) =>
    isUnderService(url, bases),
  )
}

/** Where a path may end in a text: `/api&x` is under `/api`, but `/apis` and `/api-2` are not. */
const PATH_END = /[^\w.~%-]/g

function isUnderService(text: string, bases: Bases): boolean {
  const address = addressOf(text)
  if (address === null) return false
  const { origin, path } = address
  const services = bases.get(origin)
  if (services === undefined) return false
  for (const { index } of path.slice(0, services.longest + 1).matchAll(PATH_END))
    if (services.paths.has(path.slice(0, index))) return true
  return services.paths.has(path)
}

/** The address in one spelling: no dot after the host, ASCII decoded, no empty segments, no slash at the end. */
function addressOf(text: string): Address | null {
  const url = URL.parse(text)
  if (url === null) return null
  const { origin, pathname } = url
  const path = pathname
    .replaceAll(/%[\da-f]{2}/gi, (code) =>
      /^%[0-7]/.test(code) ? decodeURIComponent(code) : code.toUpperCase(),
    )
    .replaceAll(/\/+/g, '/')
  return { origin: origin.replace(/\.(?=:\d+$|$)/, ''), path: withoutEnd(path, SLASH) }
}

const SLASH = new Set('/')

/** Not a regular expression, which would begin at each of very many such characters. */
function withoutEnd(text: string, characters: ReadonlySet<string>): string {
  let end = text.length
  while (end > 0 && characters.has(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
