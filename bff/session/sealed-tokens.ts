import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** What the provider gave for a session. */
export interface ProviderTokens {
  /** For the end of the session at the provider; null if it is too long for an address. */
  idToken: string | null
  /** To ask the provider about the person; null if it gave none. */
  refreshToken: string | null
}

const IV_BYTES = 12
const TAG_BYTES = 16
/** An ID token is sent in the address of the sign-out, and servers refuse long ones. */
const MAX_ID_TOKEN = 6_000
const MAX_REFRESH_TOKEN = 16_000

/**
 * Encrypts the tokens of a session with a key that is derived from its id. Only the cookie contains the id, and the
 * database its hash, so what is stored cannot be opened without a request of that browser. Null if nothing is worth
 * keeping.
 */
export function sealTokens(sessionId: string, { idToken, refreshToken }: ProviderTokens): Buffer | null {
  const kept: ProviderTokens = {
    idToken: idToken !== null && idToken.length <= MAX_ID_TOKEN ? idToken : null,
    refreshToken: refreshToken !== null && refreshToken.length <= MAX_REFRESH_TOKEN ? refreshToken : null,
  }
  if (kept.idToken === null && kept.refreshToken === null) return null
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(sessionId), iv)
  const sealed = [iv, cipher.update(JSON.stringify(kept), 'utf8'), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()])
}

/** The tokens of a session; null if there are none, or if they were not sealed for this session. */
export function openTokens(sessionId: string, sealed: Buffer | null): ProviderTokens | null {
  if (sealed === null || sealed.length < IV_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', keyOf(sessionId), sealed.subarray(0, IV_BYTES))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
    // authenticated: we wrote it
    return JSON.parse(text.toString('utf8')) as ProviderTokens
  } catch {
    return null
  }
}

function keyOf(sessionId: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', sessionId, '', 'bundle-console session tokens', 32))
}
