import { exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import * as z from 'zod'
import { persistentSecret } from '#http-kit/persistent-secret.ts'
import { SettingsError } from '#http-kit/settings.ts'

/** The algorithm with which the embedded identity provider signs ID tokens. */
export const ID_TOKEN_ALGORITHM = 'ES256'

const KEY_FILE = 'idp-signing-key.json'
const PrivateJwk = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

/**
 * The signing key of the embedded identity provider, stored in the data directory. An ID token is read once, by
 * the process that signed it, so replicas with separate directories may have different keys.
 *
 * @throws SettingsError if the file does not contain such a key.
 */
export async function idpSigningKey(directory: string): Promise<JWK> {
  const text = await persistentSecret({ directory, file: KEY_FILE, make: makeKey })
  const key = PrivateJwk.safeParse(parse(text))
  if (key.success) return { ...key.data, alg: ID_TOKEN_ALGORITHM, use: 'sig' }
  throw new SettingsError(`DATA_DIR is wrong: ${KEY_FILE} in it is not a P-256 key; restore or remove it`)
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(ID_TOKEN_ALGORITHM, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
