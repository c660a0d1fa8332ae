import { readFile, stat } from 'node:fs/promises'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { JWK } from 'jose'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { persistentSecret } from '#http-kit/persistent-secret.ts'
import { SettingsError } from '#http-kit/settings.ts'
import type { AssertionKey } from './actor-assertion.ts'

const KEY_FILE = 'actor-key.json'

/**
 * The key that signs actor assertions: from the given file or, without one, generated once and stored in the data
 * directory with mode 0600.
 *
 * @throws SettingsError if the file is missing, other users may read or change it, or it contains no such key.
 */
export async function loadActorKey(dataDir: string, file: string | null = null): Promise<AssertionKey> {
  if (file !== null) return readActorKey(file)
  const text = await persistentSecret({ directory: dataDir, file: KEY_FILE, make: makeActorKey })
  return parseActorKey(text, `DATA_DIR is wrong: its file ${KEY_FILE}`)
}

async function readActorKey(file: string): Promise<AssertionKey> {
  const subject = `ACTOR_ASSERTION_KEY_FILE is wrong: ${file}`
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null)
    throw new SettingsError(`${subject} cannot be read; "npm run keys:assertion -- --out FILE" creates a key`)
  const { mode } = await stat(file)
  // its group may read it: files that are mounted into a container are often readable by a group
  if (process.platform !== 'win32' && (mode & 0o027) !== 0)
    throw new SettingsError(`${subject} may be read or changed by other users; chmod 600 it`)
  return parseActorKey(text, subject)
}

/**
 * Reads an Ed25519 key in JWK form.
 *
 * @param subject the start of the error message.
 */
export async function parseActorKey(text: string, subject: string): Promise<AssertionKey> {
  try {
    const jwk = parseStrictJson(text) as JWK
    const privateKey = await importJWK(jwk, 'EdDSA')
    if (!(privateKey instanceof Uint8Array) && jwk.kty === 'OKP' && jwk.d !== undefined) {
      const { kty, crv, x } = jwk
      const publicPart: JWK = { kty, ...(crv !== undefined && { crv }), ...(x !== undefined && { x }) }
      const kid = await calculateJwkThumbprint(publicPart)
      return { privateKey, kid, publicJwk: { ...publicPart, kid, alg: 'EdDSA', use: 'sig' } }
    }
  } catch (error) {
    if (error instanceof StrictJsonError)
      throw new SettingsError(
        `${subject} is not JSON as it is needed: ${error.messageWithoutPath}; correct it there, or restore it`,
      )
    // reported below, without the content of the file
  }
  throw new SettingsError(`${subject} is not a private Ed25519 key in JWK form; restore it`)
}

/** A new key, as the text of its file. */
export async function makeActorKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}
