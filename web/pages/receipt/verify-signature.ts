import type { PlatformKey, Signature } from '#contract/console-api/shapes.ts'

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
