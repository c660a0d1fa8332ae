import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto'

export interface SigningKey {
  kid: string
  privateKey: KeyObject
  jwk: { kty: string; crv: string; x: string; kid: string; alg: 'EdDSA'; use: 'sig' }
}

/** A new Ed25519 key under a kid that no cache of a plugin knows. */
export function newSigningKey(): SigningKey {
  return signingKey(generateKeyPairSync('ed25519').privateKey, `check-${randomBytes(8).toString('hex')}`)
}

/** PKCS #8 and kid, to store a key between runs. */
export const exportKey = ({ kid, privateKey }: SigningKey): { kid: string; pem: string } => ({
  kid,
  pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
})

/** Throws if it is not an Ed25519 key. */
export function importKey({ kid, pem }: { kid: string; pem: string }): SigningKey {
  const privateKey = createPrivateKey(pem)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new Error('not an Ed25519 key')
  return signingKey(privateKey, kid)
}

function signingKey(privateKey: KeyObject, kid: string): SigningKey {
  // The export of an Ed25519 key has these members (RFC 8037).
  const { kty, crv, x } = createPublicKey(privateKey).export({ format: 'jwk' }) as Omit<
    SigningKey['jwk'],
    'kid'
  >
  return { kid, privateKey, jwk: { kty, crv, x, kid, alg: 'EdDSA', use: 'sig' } }
}

/** How a token is signed: by a key, or in one of the ways that a plugin must refuse. */
export type Signature =
  | { by: 'key'; key: SigningKey; kid?: string; alg?: string; isInHeader?: boolean }
  | { by: 'nothing' }
  | { by: 'public-key-as-secret'; key: SigningKey }

/** A compact JWS (RFC 7515) of the claims. */
export function signToken(claims: Readonly<Record<string, unknown>>, signature: Signature): string {
  switch (signature.by) {
    case 'key': {
      const { key, kid = key.kid, alg = 'EdDSA', isInHeader = false } = signature
      const header = { alg, kid, typ: 'JWT', ...(isInHeader && { jwk: key.jwk }) }
      const input = `${encode(header)}.${encode(claims)}`
      return `${input}.${sign(null, Buffer.from(input), key.privateKey).toString('base64url')}`
    }
    case 'nothing':
      return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`
    case 'public-key-as-secret': {
      const { kid, jwk } = signature.key
      const input = `${encode({ alg: 'HS256', kid, typ: 'JWT' })}.${encode(claims)}`
      const secret = Buffer.from(jwk.x, 'base64url')
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
    }
  }
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
