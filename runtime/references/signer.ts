import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calculateJwkThumbprint, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWK } from 'jose'
import type { Clock } from '#edge/clock.ts'
import { SettingsError } from '#edge/settings.ts'
import type { Signer } from '../plugins/lifecycle-token.ts'

/** The public half of a signing key, as it stands in a JWKS. */
export type PublicKey = JWK & { kid: string }

export interface KeyedSigner extends Signer {
  publicKey: PublicKey
}

const KEY_FILE = 'runtime-signing-key.json'
const ALGORITHM = 'EdDSA'

/**
 * The signer of this replica. Its Ed25519 key is made once, in `runtime-signing-key.json` below `directory`, readable by
 * its owner only; replicas that share a directory share the key.
 *
 * @throws SettingsError where the file is there and holds no such key.
 */
export async function loadSigner(options: {
  directory: string
  issuer: string
  clock: Pick<Clock, 'now'>
}): Promise<KeyedSigner> {
  const { issuer, clock } = options
  const privateKey = await loadOrMakeKey(options.directory)
  const publicKey = await publicKeyOf(privateKey)
  return {
    issuer,
    publicKey,
    async sign(claims, audience, ttlSeconds) {
      const now = Math.floor(clock.now().getTime() / 1000)
      return new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid: publicKey.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + ttlSeconds)
        .sign(privateKey)
    },
    isPlatformToken: (text) => issuerOf(text) === issuer,
  }
}

/**
 * Whoever names us as the issuer is taken by the word: whether the signature holds says nothing about where the text
 * came from, and another replica's key may not be known here.
 */
function issuerOf(text: string): string | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return undefined
  try {
    return decodeJwt(text).iss
  } catch {
    return undefined
  }
}

async function publicKeyOf(privateKey: KeyObject): Promise<PublicKey> {
  const jwk = await exportJWK(createPublicKey(privateKey))
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: 'sig' }
}

async function loadOrMakeKey(directory: string): Promise<KeyObject> {
  const file = join(directory, KEY_FILE)
  const found = await readFile(file, 'utf8').catch(nullWhereMissing)
  if (found !== null) return parseKey(found, file)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  const text = JSON.stringify(await exportJWK(privateKey))
  // Written aside and linked, so that two that start together end with one whole key.
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  return parseKey(await readFile(file, 'utf8'), file)
}

function parseKey(text: string, file: string): KeyObject {
  try {
    const key = createPrivateKey({ key: JSON.parse(text), format: 'jwk' })
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // told below, without a word of what stands in the file
  }
  throw new SettingsError(
    `DATA_DIR is wrong: ${file} is no Ed25519 key; restore it, or remove it to have a new one made`,
  )
}

function nullWhereMissing(error: unknown): null {
  if (isErrno(error, 'ENOENT')) return null
  throw error
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
