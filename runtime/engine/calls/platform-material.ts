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
      return found !== '' && isService(found, bases) ? MASK + part.slice(found.length) : part
    })
    .join('')
    .replaceAll(TOKEN_PART, (_, before: string) => before + MASK)
}

function isOrHoldsCredential(text: string, credentials: PlatformCredentials): boolean {
  for (const secret of credentials.issuedCredentials) if (text.includes(secret)) return true
  return holdsToken(text, credentials)
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

/** Before each scheme, to find a URL inside another one too. */
const URL_START = /(?=https?:\/\/)/i

function holdsAddress(text: string, bases: Bases): boolean {
  return bases.size > 0 && text.split(URL_START).some((part) => isService(urlAtStart(part), bases))
}

/** The URL with which a text starts; empty if there is none. */
function urlAtStart(text: string): string {
  if (!/^https?:/i.test(text)) return ''
  const [found = ''] = text.slice(0, ADDRESS_MAX).split(/[\s"'<>\\,;)\]}]/, 1)
  return found
}

function isService(found: string, bases: Bases): boolean {
  const address = addressOf(found)
  if (address === null) return false
  const { origin, path } = address
  const services = bases.get(origin)
  if (services === undefined) return false
  for (let end = 0; end !== -1 && end <= services.longest; end = path.indexOf('/', end + 1))
    if (services.paths.has(path.slice(0, end))) return true
  return services.paths.has(path)
}

function addressOf(text: string): Address | null {
  const url = URL.parse(text)
  if (url === null) return null
  const { origin, pathname } = url
  // not a regular expression, which would begin at each of very many slashes
  let end = pathname.length
  while (pathname[end - 1] === '/') end--
  return { origin, path: pathname.slice(0, end) }
}
