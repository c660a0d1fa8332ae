import { decodeJwt } from 'jose'
import { encodingsOf } from '#http-kit/text/scrub.ts'

/**
 * What must not be kept: tokens of the platform (with the assertions of people), credentials of plugins, the cookie of a
 * session, addresses that a resolution gave, sensitive values, the secret and the address of a webhook, the credential of the
 * console, the password of a person, also typed as a user name, the token of a service account, and each private key.
 */
export const CANARY_KINDS = [
  'token',
  'credential',
  'cookie',
  'address',
  'value',
  'webhook secret',
  'webhook address',
  'service credential',
  'password',
  'mistyped password',
  'account token',
  'sealing key',
  'runtime key',
  'assertion key',
  'provider key',
] as const
export type CanaryKind = (typeof CANARY_KINDS)[number]

/**
 * A secret is searched for in pieces of this many characters, so that a part of it is found too: every part of twice the
 * length contains a whole piece.
 */
const PIECE = 24
const TOKEN = /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g
const FILTER_BITS = 22

interface Needle {
  bytes: Buffer
  kind: CanaryKind
  label: string
}

/** Every secret that a run has seen, and the search for them. */
export class Canaries {
  private readonly seen = new Map<string, CanaryKind>()
  private readonly needles = new Set<string>()
  private readonly byStart = new Map<number, Needle[]>()
  /** One bit for each hash of the first four bytes of a needle. Most positions of a text are passed over by it. */
  private readonly filter = new Uint8Array(1 << FILTER_BITS)

  /** How many different ones were seen. */
  count(kind: CanaryKind): number {
    return [...this.seen.values()].filter((one) => one === kind).length
  }

  all(kind: CanaryKind): string[] {
    return [...this.seen].flatMap(([text, one]) => (one === kind ? [text] : []))
  }

  add(kind: CanaryKind, text: string): void {
    if (text.length < 8 || this.seen.has(text)) return
    this.seen.set(text, kind)
    const label = kind === 'token' ? labelOf(text) : kind
    for (const piece of piecesOf(kind, text))
      for (const needle of spellingsOf(piece, kind)) this.addNeedle(Buffer.from(needle), kind, label)
  }

  /** Adds every token of the platform in a text. */
  addTokensIn(text: string): void {
    for (const [token] of text.matchAll(TOKEN)) this.add('token', token)
  }

  /** Which kinds of secret these bytes contain, each with one that was found; empty if none. */
  findIn(bytes: Uint8Array): Map<CanaryKind, string> {
    const found = new Map<CanaryKind, string>()
    let start = 0
    for (let end = 0; end < bytes.length; end++) {
      start = (start >>> 8) | ((bytes[end] ?? 0) << 24)
      if (end < 3 || this.filter[slotOf(start)] === 0) continue
      for (const needle of this.byStart.get(start) ?? [])
        if (!found.has(needle.kind) && isAt(bytes, end - 3, needle.bytes))
          found.set(needle.kind, needle.label)
    }
    return found
  }

  private addNeedle(bytes: Buffer, kind: CanaryKind, label: string): void {
    const text = bytes.toString('latin1')
    if (this.needles.has(text)) return
    this.needles.add(text)
    const start = bytes.readInt32LE(0)
    this.filter[slotOf(start)] = 1
    const others = this.byStart.get(start)
    if (others === undefined) this.byStart.set(start, [{ bytes, kind, label }])
    else others.push({ bytes, kind, label })
  }
}

/** The beginning of a longer secret is one too: it may be all that a limited text had room for. That of an address is none. */
const BEGINNING = 14

/** How a secret may be written: as it is, encoded, escaped for JSON, JSON in JSON, HTML, URLs and forms, and cut off. */
function spellingsOf(text: string, kind: CanaryKind): Set<string> {
  const json = (value: string): string => JSON.stringify(value).slice(1, -1)
  const percent = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return new Set([
    ...encodingsOf(text),
    json(json(text)),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    new URLSearchParams({ x: text }).toString().slice(2),
    percent,
    percent.toUpperCase(),
    ...(kind !== 'address' && text.length >= 2 * BEGINNING ? [text.slice(0, BEGINNING)] : []),
  ])
}

const slotOf = (start: number): number => Math.imul(start, 0x9e3779b1) >>> (32 - FILTER_BITS)

function isAt(bytes: Uint8Array, at: number, needle: Buffer): boolean {
  if (at + needle.length > bytes.length) return false
  for (let index = 0; index < needle.length; index++) if (bytes[at + index] !== needle[index]) return false
  return true
}

/** The header of a token is the same in all of them and no secret. */
function piecesOf(kind: CanaryKind, text: string): string[] {
  if (kind !== 'token') return [text]
  const [, ...parts] = text.split('.')
  return parts.flatMap((part) =>
    Array.from({ length: Math.max(1, Math.floor(part.length / PIECE)) }, (_, index) =>
      part.slice(index * PIECE, (index + 1) * PIECE),
    ),
  )
}

function labelOf(token: string): string {
  try {
    const { aud, sub } = decodeJwt(token)
    return `token of ${sub} for ${String(aud)}`
  } catch {
    return 'token'
  }
}
