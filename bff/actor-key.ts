import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { JWK } from 'jose'
import { persistentSecret } from '#http-kit/persistent-secret.ts'
import type { AssertionKey } from './actor-assertion.ts'

/** The key that signs actor assertions: generated once and stored in the data directory with mode 0600. */
export async function loadActorKey(dataDir: string): Promise<AssertionKey> {
  const text = await persistentSecret({ directory: dataDir, file: 'actor-key.json', make: makeKey })
  const jwk = JSON.parse(text) as JWK
  const privateKey = await importJWK(jwk, 'EdDSA')
  if (privateKey instanceof Uint8Array) throw new TypeError('actor-key.json is not an Ed25519 key')
  const { d: _, ...publicPart } = jwk
  const kid = await calculateJwkThumbprint(publicPart)
  return { privateKey, kid, publicJwk: { ...publicPart, kid, alg: 'EdDSA', use: 'sig' } }
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}
