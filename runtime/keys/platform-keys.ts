import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { PlatformKey, Signature } from '#contract/runtime-api/platform-keys.ts'
import type { SignedKind } from '../model/vault.ts'
import type { SealingKey } from './sealing-key.ts'

type Key = Pick<SealingKey, 'key'>

/** What stands before the seed of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The public halves of the platform keys that are derived from these sealing keys. */
export const platformKeysOf = (keys: readonly Key[]): PlatformKey[] =>
  keys.map((key) => publicHalf(derived(key)))

/** A signature of a text with each platform key. Anyone with the public halves can verify it without the sealing keys. */
export function signaturesOf(keys: readonly Key[], kind: SignedKind, text: string): Signature[] {
  return keys.map((key) => {
    const privateKey = derived(key)
    const value = sign(null, signedBytes(kind, text), privateKey).toString('base64url')
    return { keyId: publicHalf(privateKey).kid, value }
  })
}

/** Whether a text is as the platform signed it: `unknown` if none of these keys has signed it, `forged` if one does not match. */
export function authenticityBy(
  keys: readonly PlatformKey[],
  signatures: readonly Signature[],
  { kind, text }: { kind: SignedKind; text: string },
): 'authentic' | 'forged' | 'unknown' {
  const known = signatures.flatMap(({ keyId, value }) => {
    const key = keys.find(({ kid }) => kid === keyId)
    return key === undefined ? [] : [{ key, value }]
  })
  if (known.length === 0) return 'unknown'
  const isRight = known.every(({ key, value }) => {
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' })
    return verify(null, signedBytes(kind, text), publicKey, Buffer.from(value, 'base64url'))
  })
  return isRight ? 'authentic' : 'forged'
}

/** With the kind, so that no signature of one thing is taken for that of another. */
const signedBytes = (kind: SignedKind, text: string): Buffer => Buffer.from(`bundle-console ${kind}\n${text}`)

function derived({ key }: Key): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', key, '', 'platform key', 32))
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' })
}

function publicHalf(privateKey: KeyObject): PlatformKey {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  // the thumbprint of RFC 7638
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x }
}
