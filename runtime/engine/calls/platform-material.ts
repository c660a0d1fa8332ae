import { textsIn } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { MASK } from '#contract/protocol/data.ts'

/** How to recognize a credential that the platform issued. */
export interface PlatformCredentials {
  isPlatformToken(text: string): boolean
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
  const bases = material.serviceAddresses.flatMap((address) => addressOf(address) ?? [])
  return textsIn(value).some((text) => isOrHoldsCredential(text, material) || holdsAddress(text, bases))
}

/** A token, also one that was cut after its header. */
const TOKEN_PART = /ey[\w-]{8,}\.ey[\w-]*(?:\.[\w-]*)?/g

/** A text for people without tokens, whole or cut, and without URLs under a registered service. */
export function hidePlatformMaterial(text: string, { serviceAddresses }: Addresses): string {
  const bases = serviceAddresses.flatMap((address) => addressOf(address) ?? [])
  return text
    .split(URL_START)
    .map((part) => {
      const found = urlAtStart(part)
      return found !== '' && isService(found, bases) ? MASK + part.slice(found.length) : part
    })
    .join('')
    .replaceAll(TOKEN_PART, MASK)
}

function isOrHoldsCredential(text: string, credentials: PlatformCredentials): boolean {
  for (const secret of credentials.issuedCredentials) if (text.includes(secret)) return true
  return holdsToken(text, credentials)
}

const HEADER_MAX = 256
/** Length of an Ed25519 signature (64 bytes) in base64url. */
const SIGNATURE_LENGTH = 86
/** No legitimate value contains this many candidates. Beyond it the check stops, to bound its cost. */
const CANDIDATES_MAX = 2000

/** Checks every part of the text that could be a compact JWT, even if other characters surround it. */
function holdsToken(text: string, { isPlatformToken }: PlatformCredentials): boolean {
  if (!text.includes('.ey')) return false
  let candidates = 0
  for (const word of text.split(/[^\w.-]+/)) {
    const parts = word.split('.')
    for (const [index, header] of parts.entries()) {
      const payload = parts[index + 1] ?? ''
      // cut at the exact length, because other letters may follow directly
      const signature = (parts[index + 2] ?? '').slice(0, SIGNATURE_LENGTH)
      // header and payload are JSON objects, so they start with "ey" in base64url; the header was checked above
      if (!payload.startsWith('ey') || signature === '') continue
      const from = Math.max(0, header.length - HEADER_MAX)
      for (let start = header.indexOf('ey', from); start >= 0; start = header.indexOf('ey', start + 1)) {
        if (++candidates > CANDIDATES_MAX) return true
        if (isPlatformToken([header.slice(start), payload, signature].join('.'))) return true
      }
    }
  }
  return false
}

interface Address {
  origin: string
  path: string
}

const ADDRESS_MAX = 2048

/** Before each scheme, to find a URL inside another one too. */
const URL_START = /(?=https?:\/\/)/i

function holdsAddress(text: string, bases: readonly Address[]): boolean {
  return bases.length > 0 && text.split(URL_START).some((part) => isService(urlAtStart(part), bases))
}

/** The URL with which a text starts; empty if there is none. */
function urlAtStart(text: string): string {
  if (!/^https?:/i.test(text)) return ''
  const [found = ''] = text.slice(0, ADDRESS_MAX).split(/[\s"'<>\\,;)\]}]/, 1)
  return found
}

function isService(found: string, bases: readonly Address[]): boolean {
  const address = addressOf(found)
  return address !== null && bases.some((base) => isBelow(address, base))
}

function addressOf(text: string): Address | null {
  const url = URL.parse(text)
  return url === null ? null : { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}

function isBelow(found: Address, base: Address): boolean {
  return found.origin === base.origin && (found.path === base.path || found.path.startsWith(`${base.path}/`))
}
