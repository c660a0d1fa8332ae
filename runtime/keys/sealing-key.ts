import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findPersistentSecret, persistentSecret } from '#http-kit/secret-files.ts'
import { SettingsError, whyUnreadable } from '#http-kit/settings.ts'
import type { WrappedDataKey } from '../model/vault.ts'

/** The key that wraps the data keys. It is stored in a file and never in the database. */
export interface SealingKey {
  key: Buffer
  /** Identifies the key without revealing it. */
  fingerprint: string
  /** Names the key in error messages. */
  source: string
}

/** The sources of sealing keys: the configured files, otherwise one in the data directory. */
export interface SealingKeySettings {
  dataDir: string
  files: readonly string[]
}

const KEY_FILE = 'sealing.key'

/** Reads the existing sealing keys; none if no file is configured and none was created yet. */
export async function readSealingKeys({ dataDir, files }: SealingKeySettings): Promise<SealingKey[]> {
  if (files.length > 0)
    return Promise.all(files.map((file) => readSealingKey(file, `SEALING_KEY_FILE is wrong: ${file}`)))
  const stored = await findPersistentSecret({ directory: dataDir, file: KEY_FILE })
  return stored === null ? [] : [await readKept(dataDir)]
}

/** Reads the sealing key of the data directory. Creates it if it does not exist. */
export async function makeSealingKey(dataDir: string): Promise<SealingKey> {
  const make = (): string => `${randomBytes(KEY_BYTES).toString('base64')}\n`
  await persistentSecret({ directory: dataDir, file: KEY_FILE, make })
  return readKept(dataDir)
}

const readKept = (dataDir: string): Promise<SealingKey> => {
  const file = sealingKeyPath(dataDir)
  return readSealingKey(file, `DATA_DIR is wrong: ${file}`)
}

export const sealingKeyPath = (dataDir: string): string => join(dataDir, KEY_FILE)

/**
 * Reads a sealing key from its file.
 *
 * @param subject the start of the error message.
 * @throws SettingsError if the file is missing, may be read by everyone, or holds no key.
 */
export async function readSealingKey(file: string, subject: string): Promise<SealingKey> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = whyUnreadable(error)
    throw new SettingsError(
      reason === 'does not exist'
        ? `${subject} ${reason}; restore it, or name another file (openssl rand -base64 32 makes a key for a new database)`
        : `${subject} ${reason}`,
    )
  })
  const { mode } = await stat(file)
  // a group may read it, as with files that are mounted into a container; nobody else may read it, and only the owner
  // may write it
  if (process.platform !== 'win32' && (mode & 0o027) !== 0)
    throw new SettingsError(`${subject} may be read or changed by other users; chmod 600 it`)
  const parsed = parseSealingKey(text)
  if (parsed === null)
    throw new SettingsError(`${subject} is not a sealing key (32 bytes in base64); restore it`)
  return { ...parsed, source: file }
}

/** The sealing key that a file contains; null if it contains none. */
export function parseSealingKey(text: string): Pick<SealingKey, 'key' | 'fingerprint'> | null {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) return null
  return { key, fingerprint: fingerprintOf(key) }
}

function fingerprintOf(key: Buffer): string {
  return createHmac('sha256', key).update('sealing key').digest('hex').slice(0, 16)
}

// AES-256-GCM. The encrypted bytes are nonce, ciphertext and tag, in this order. Keys are key objects: Node takes six times as long
// with the bytes of a key.

const KEY_BYTES = 32
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts with a random nonce. `context` is not stored; decryption needs the same one. */
export function encrypt(key: KeyObject, plain: Uint8Array, context: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(context)
  const encrypted = cipher.update(plain)
  return Buffer.concat([nonce, encrypted, cipher.final(), cipher.getAuthTag()])
}

/** Decrypts. Throws if a single bit of the key, the context or the encrypted bytes differs. */
export function decrypt(key: KeyObject, encrypted: Buffer, context: Buffer): Buffer {
  if (encrypted.length < NONCE_BYTES + TAG_BYTES) throw new Error('the encrypted data is too short')
  const nonce = encrypted.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(context)
  decipher.setAuthTag(encrypted.subarray(-TAG_BYTES))
  const plain = decipher.update(encrypted.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([plain, decipher.final()])
}

/** An unwrapped key that seals values. */
export interface DataKey {
  id: number
  key: KeyObject
  /** For digests: each key has only one purpose. */
  digestKey: KeyObject
}

export const newDataKey = (id: number): DataKey => dataKey(id, randomBytes(KEY_BYTES))

export function wrapDataKey({ id, key }: DataKey, sealingKey: SealingKey): WrappedDataKey {
  return {
    id,
    wrapped: encrypt(createSecretKey(sealingKey.key), key.export(), keyContextOf(id)),
    fingerprint: sealingKey.fingerprint,
  }
}

/** Returns null if none of the sealing keys has wrapped the data key. Throws if it is damaged. */
export function unwrapDataKey(
  { id, wrapped, fingerprint }: WrappedDataKey,
  sealingKeys: readonly SealingKey[],
): DataKey | null {
  const sealingKey = sealingKeys.find((one) => one.fingerprint === fingerprint)
  if (sealingKey === undefined) return null
  return dataKey(id, decrypt(createSecretKey(sealingKey.key), wrapped, keyContextOf(id)))
}

function dataKey(id: number, key: Buffer): DataKey {
  const digestKey = Buffer.from(hkdfSync('sha256', key, '', 'digest', KEY_BYTES))
  return { id, key: createSecretKey(key), digestKey: createSecretKey(digestKey) }
}

const keyContextOf = (id: number): Buffer => Buffer.from(JSON.stringify(['data_key', id]))
