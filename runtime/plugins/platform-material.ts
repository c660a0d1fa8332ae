import type { JsonValue } from '#contract/protocol/json.ts'

export interface PlatformMaterial {
  /** Base addresses of the registered services. */
  serviceAddresses: readonly string[]
  isPlatformToken(text: string): boolean
}

/**
 * Whether a value holds, anywhere inside, a token that the platform issued or an address below a registered service's:
 * access material of a resolution, which a plugin must never write back.
 */
export function holdsPlatformMaterial(value: JsonValue, material: PlatformMaterial): boolean {
  const bases = material.serviceAddresses.flatMap((address) => addressOf(address) ?? [])
  return textsIn(value).some((text) => holdsToken(text, material) || holdsAddress(text, bases))
}

/** All strings inside, keys included; with a list of its own, as a value may nest deeply and be wide. */
function textsIn(value: JsonValue): string[] {
  const texts: string[] = []
  const open: JsonValue[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') texts.push(next)
    else if (Array.isArray(next)) for (const item of next) open.push(item)
    else if (typeof next === 'object' && next !== null)
      for (const [key, item] of Object.entries(next)) open.push(key, item)
  }
  return texts
}

const HEADER_MAX = 256
/** Of an Ed25519 signature, 64 bytes, in base64url. */
const SIGNATURE_LENGTH = 86
/** Nothing that a business writes looks like so many tokens; checking on would only cost time. */
const CANDIDATES_MAX = 2000

/** Looks at every part of the text that could be a compact JWT, also where other characters touch it. */
function holdsToken(text: string, { isPlatformToken }: PlatformMaterial): boolean {
  let candidates = 0
  for (const word of text.split(/[^\w.-]+/)) {
    const parts = word.split('.')
    for (const [index, header] of parts.entries()) {
      const payload = parts[index + 1] ?? ''
      // cut where it must end, as letters may follow it at once
      const signature = (parts[index + 2] ?? '').slice(0, SIGNATURE_LENGTH)
      // header and payload are JSON objects, so in base64url they begin with "ey"
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

function holdsAddress(text: string, bases: readonly Address[]): boolean {
  if (bases.length === 0) return false
  // cut before each scheme, so that an address inside another one is found too
  for (const part of text.split(/(?=https?:\/\/)/i)) {
    if (!/^https?:/i.test(part)) continue
    const [found = ''] = part.slice(0, ADDRESS_MAX).split(/[\s"'<>\\,;)\]}]/, 1)
    const address = addressOf(found)
    if (address !== null && bases.some((base) => isBelow(address, base))) return true
  }
  return false
}

function addressOf(text: string): Address | null {
  const url = URL.parse(text)
  return url === null ? null : { origin: url.origin, path: url.pathname.replace(/\/+$/, '') }
}

function isBelow(found: Address, base: Address): boolean {
  return found.origin === base.origin && (found.path === base.path || found.path.startsWith(`${base.path}/`))
}
