import { createPrivateKey } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { calculateJwkThumbprint, importJWK } from 'jose'
import type { JWK } from 'jose'
import * as oidc from 'openid-client'
import { SettingsError, whyUnreadable } from '#http-kit/settings.ts'

/** How the console proves to the provider that it is its client (OpenID Connect Core, section 9). */
export const CLIENT_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const
export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number]

/** The private key of `private_key_jwt`. */
export interface ClientKey {
  jwk: JWK
  algorithm: string
}

/** The algorithm of each kind of key. */
const ALGORITHMS: Record<string, string> = {
  RSA: 'RS256',
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'Ed25519',
}

/**
 * Reads `OIDC_CLIENT_KEY_FILE`: a private key in PEM or JWK form. A JWK may name its own `kid`.
 *
 * @throws SettingsError if the file is missing, other users may read or change it, or it contains no such key.
 */
export function readClientKey(file: string): ClientKey {
  const subject = `OIDC_CLIENT_KEY_FILE is wrong: ${file}`
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    // its group may read it: files that are mounted into a container are often readable by a group
    if (process.platform !== 'win32' && (statSync(file).mode & 0o027) !== 0)
      throw new SettingsError(`${subject} may be read or changed by other users; chmod 600 it`)
  } catch (error) {
    if (error instanceof SettingsError) throw error
    throw new SettingsError(`${subject} ${whyUnreadable(error)}`)
  }
  try {
    const given = text.trimStart().startsWith('{') ? (JSON.parse(text) as JWK) : {}
    const key = createPrivateKey(given.kty === undefined ? text : { key: given, format: 'jwk' })
    const jwk = key.export({ format: 'jwk' }) as JWK
    const algorithm = given.alg ?? ALGORITHMS[jwk.crv ?? jwk.kty ?? '']
    if (algorithm !== undefined)
      return { jwk: { ...jwk, ...(given.kid !== undefined && { kid: given.kid }) }, algorithm }
  } catch {
    // reported below, without the content of the file
  }
  throw new SettingsError(`${subject} is not a private key in PEM or JWK form (RSA, EC or Ed25519)`)
}

/** What the settings say about the console as a client. */
export interface ClientCredentials {
  /** Default: `client_secret_basic`. */
  clientAuth?: ClientAuthMethod
  /** Null with `private_key_jwt`. */
  clientSecret: string | null
  clientKey?: ClientKey | null
}

/** The authentication of the console at the token endpoint. */
export async function clientAuthOf(credentials: ClientCredentials): Promise<oidc.ClientAuth> {
  const { clientAuth = 'client_secret_basic', clientSecret, clientKey = null } = credentials
  if (clientAuth === 'private_key_jwt' && clientKey !== null) {
    const { jwk, algorithm } = clientKey
    const key = await importJWK(jwk, algorithm)
    if (key instanceof Uint8Array) throw new TypeError('The client key is not a key pair')
    return oidc.PrivateKeyJwt({ key, kid: jwk.kid ?? (await calculateJwkThumbprint(jwk)) })
  }
  if (clientSecret === null) throw new TypeError('The client has no secret')
  return clientAuth === 'client_secret_post'
    ? oidc.ClientSecretPost(clientSecret)
    : oidc.ClientSecretBasic(clientSecret)
}
