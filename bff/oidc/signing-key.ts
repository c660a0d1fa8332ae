import { exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import * as z from 'zod'
import { persistentSecret } from '#http-kit/persistent-secret.ts'
import { SettingsError } from '#http-kit/settings.ts'

/** The algorithm that the embedded identity provider signs ID tokens with. */
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
 * The signing key of the embedded identity provider, kept in the data directory. An ID token is read once, by the
 * process that signed it, so replicas with directories of their own may have keys of their own.
 *
 * @throws SettingsError where the file holds no such key.
 */
export async function idpSigningKey(directory: string): Promise<JWK> {
  const text = await persistentSecret({ directory, file: KEY_FILE, make: makeKey })
  const key = PrivateJwk.safeParse(parse(text))
  if (key.success) return { ...key.data, alg: ID_TOKEN_ALGORITHM, use: 'sig' }
  throw new SettingsError(`DATA_DIR is wrong: ${KEY_FILE} in it is no P-256 key; restore it, or remove it`)
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
