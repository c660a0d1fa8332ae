import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { Clock } from '#http-kit/clock.ts'
import { persistentSecret } from '#http-kit/secret-files.ts'
import { SettingsError } from '#http-kit/settings.ts'
import type { PublicKey } from '../model/vault.ts'
import type { Signer } from '../deps/signer.ts'

export interface KeyedSigner extends Signer {
  publicKey: PublicKey
}

const KEY_FILE = 'runtime-signing-key.json'
const ALGORITHM = 'EdDSA'

/**
 * The signer of this replica. Its Ed25519 key is created once, in `runtime-signing-key.json` in `directory`, readable
 * by its owner only. Replicas that share a directory share the key.
 *
 * @throws SettingsError if the file exists and holds no such key.
 */
export async function loadSigner(options: {
  directory: string
  issuer: string
  clock: Pick<Clock, 'now'>
}): Promise<KeyedSigner> {
  const { issuer, clock } = options
  const privateKey = await loadOrMakeKey(options.directory)
  const publicKey = await publicKeyOf(privateKey)
  // as it is in each of our payloads; to search costs less than to parse, above all what cannot be parsed
  const ownClaim = JSON.stringify({ iss: issuer }).slice(1, -1)
  const header = encoded({ alg: ALGORITHM, kid: publicKey.kid, typ: 'JWT' })
  return {
    issuer,
    publicKey,
    sign(claims, audience, ttlSeconds) {
      const now = Math.floor(clock.now().getTime() / 1000)
      const payload = { ...claims, iss: issuer, aud: audience, iat: now, exp: now + ttlSeconds }
      return Promise.resolve(signed(header, payload, privateKey))
    },
    // by its issuer only: a signature would not show where the text came from, and the key of another replica may be unknown
    isPlatformPayload: (payload) => Buffer.from(payload, 'base64url').includes(ownClaim),
  }
}

/**
 * A compact JWS (RFC 7515). Signs with Node's synchronous Ed25519, which takes a fraction of the time of the thread
 * pool.
 */
function signed(header: string, payload: JsonValue, privateKey: KeyObject): string {
  const input = `${header}.${encoded(payload)}`
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString('base64url')}`
}

function encoded(part: JsonValue): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

async function publicKeyOf(privateKey: KeyObject): Promise<PublicKey> {
  const jwk = await exportJWK(createPublicKey(privateKey))
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: 'sig' }
}

async function loadOrMakeKey(directory: string): Promise<KeyObject> {
  const text = await persistentSecret({ directory, file: KEY_FILE, make: makeKey })
  return parseKey(text, join(directory, KEY_FILE))
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

function parseKey(text: string, file: string): KeyObject {
  try {
    const key = createPrivateKey({ key: JSON.parse(text), format: 'jwk' })
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // reported below, without the content of the file
  }
  throw new SettingsError(
    `DATA_DIR is wrong: ${file} is not an Ed25519 key; restore it, or delete it to create a new one`,
  )
}
