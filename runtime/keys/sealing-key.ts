import { createHmac, randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findPersistentSecret, persistentSecret } from '#http-kit/persistent-secret.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { KEY_BYTES } from './cipher.ts'

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
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null)
    throw new SettingsError(
      `${subject} cannot be read; restore it, or name another file (openssl rand -base64 32 makes a key for a new database)`,
    )
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
