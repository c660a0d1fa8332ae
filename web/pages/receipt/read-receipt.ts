import canonicalize from 'canonicalize'
import { config } from 'zod/mini'
import { isJsonObject, type JsonValue } from '#contract/json-schema/json.ts'
import { BODY_DEPTH_MAX } from '#contract/protocol/limits.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import type { OperationReceipt, PlatformKey, Signature } from '#contract/console-api/shapes.ts'
import { loadWithRetry } from '../../base/load-with-retry.ts'

// the content security policy forbids code from strings; schemas read this when they are created, so they load later
config({ jitless: true })
const loadContract = () => import('#contract/console-api/receipt.ts')
// starts to load now; opening a file tries again after a failure
loadContract().catch(() => undefined)

/** Far above the receipt of any operation: a larger file is not read. */
export const RECEIPT_BYTES_MAX = 32 * 1024 * 1024

export type ReceiptRefusal =
  | 'unreadable'
  | 'tooLarge'
  | 'notJson'
  | 'notReceipt'
  | 'version'
  | 'altered'
  | 'invalid'

export type ReceiptReading =
  | {
      kind: 'receipt'
      receipt: OperationReceipt
      /** The digest that the platform keys sign. */
      signed: string
    }
  | { kind: 'refused'; reason: ReceiptRefusal }

/** Reads a receipt and checks its digest. Needs no server. Never rejects. */
export async function readReceipt(file: Blob): Promise<ReceiptReading> {
  if (file.size > RECEIPT_BYTES_MAX) return refuse('tooLarge')
  try {
    const [contract, text] = await Promise.all([loadWithRetry(loadContract), file.text()])
    return readText(text, contract)
  } catch {
    // the file was moved or changed since it was chosen, or the console's own script did not load
    return refuse('unreadable')
  }
}

async function readText(
  text: string,
  { OperationReceipt, RECEIPT_FORMAT, RECEIPT_VERSION }: Awaited<ReturnType<typeof loadContract>>,
): Promise<ReceiptReading> {
  const reading = readReceiptJson(text)
  if (typeof reading === 'string') return refuse(reading)
  const { json } = reading
  if (!isJsonObject(json) || json['format'] !== RECEIPT_FORMAT) return refuse('notReceipt')
  if (json['version'] !== RECEIPT_VERSION) return refuse('version')
  const { sha256, ...content } = json
  if (typeof sha256 !== 'string') return refuse('invalid')
  if (sha256 !== (await digestOf(content))) return refuse('altered')
  const parsed = OperationReceipt.safeParse(json)
  const { signatures: _, ...unsigned } = content
  const signed = await digestOf(unsigned)
  return parsed.success && signed !== null
    ? { kind: 'receipt', receipt: parsed.data, signed }
    : refuse('invalid')
}

const refuse = (reason: ReceiptRefusal): ReceiptReading => ({ kind: 'refused', reason })

/**
 * Strict about repeated keys and numbers, because the digest would not show them. The runtime writes neither, so a file
 * that has them was altered.
 */
function readReceiptJson(text: string): { json: JsonValue } | 'notJson' | 'altered' {
  try {
    return { json: parseStrictJson(text, LIMITS) }
  } catch {
    return isJson(text) ? 'altered' : 'notJson'
  }
}

/** Those of the file bound everything but the nesting: that of a request, inside the receipt. */
const LIMITS = {
  maxDepth: BODY_DEPTH_MAX + 20,
  maxKeys: RECEIPT_BYTES_MAX,
  maxStringBytes: RECEIPT_BYTES_MAX,
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Null if the content has no canonical form, such as one with an unpaired surrogate. */
async function digestOf(content: object): Promise<string | null> {
  try {
    const canonical = new TextEncoder().encode(canonicalize(content))
    const digest = await crypto.subtle.digest('SHA-256', canonical)
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  } catch {
    return null
  }
}

/** `foreign` if none of these keys has signed it, `unknown` if this browser cannot verify signatures. */
export type Authenticity = 'authentic' | 'forged' | 'foreign' | 'unsigned' | 'unknown'

/** Whether the platform with these keys has signed a receipt with this digest. Never rejects. */
export async function verifySignature(
  keys: readonly PlatformKey[],
  signatures: readonly Signature[] | undefined,
  digest: string,
): Promise<Authenticity> {
  if (signatures === undefined || signatures.length === 0) return 'unsigned'
  const known = signatures.flatMap(({ keyId, value }) => {
    const key = keys.find(({ kid }) => kid === keyId)
    return key === undefined ? [] : [{ key, value }]
  })
  if (known.length === 0) return 'foreign'
  const text = new TextEncoder().encode(`bundle-console operation receipt\n${digest}`)
  try {
    const verdicts = await Promise.all(known.map(({ key, value }) => isSignatureOf(key, value, text)))
    return verdicts.every(Boolean) ? 'authentic' : 'forged'
  } catch {
    return 'unknown'
  }
}

async function isSignatureOf(
  { kty, crv, x }: PlatformKey,
  value: string,
  text: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify'])
  const bytes = bytesOf(value)
  return bytes !== null && (await crypto.subtle.verify('Ed25519', key, bytes, text))
}

/** Null if the text is not base64url: somebody has changed it. */
function bytesOf(base64url: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
