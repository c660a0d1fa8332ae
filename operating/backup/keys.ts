import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { explainFailedWrite } from '#http-kit/settings.ts'
import { parseSealingKey, readSealingKeys } from '#runtime/keys/sealing-key.ts'
import { KeyFile } from './format.ts'

/** Every other key and secret that a data directory may hold. */
const NAMES = ['actor-key.json', 'runtime-signing-key.json', 'idp-signing-key.json', 'runtime-credential']

/** Where the keys are: files named by settings take precedence over those in the data directory. */
export interface KeyPlaces {
  dataDir: string
  sealingKeyFiles: readonly string[]
  assertionKeyFile: string | null
}

type Keys = KeyFile['files']

/** The name of each sealing key in a data directory: a runtime without settings uses the first. */
const sealingKeyName = (index: number): string => (index === 0 ? 'sealing.key' : `sealing-${index + 1}.key`)
const isSealingKey = (name: string): boolean => /^sealing(-\d+)?\.key$/.test(name)

/** All keys of a deployment, among them each sealing key of the settings. Throws one line if one cannot be read. */
export async function collectKeys({ dataDir, sealingKeyFiles, assertionKeyFile }: KeyPlaces): Promise<Keys> {
  const sealingKeys = await readSealingKeys({ dataDir, files: sealingKeyFiles })
  const keys: Keys = {}
  for (const [index, { source }] of sealingKeys.entries())
    keys[sealingKeyName(index)] = await readFile(source, 'utf8')
  for (const name of NAMES) {
    const isNamed = name === 'actor-key.json' && assertionKeyFile !== null
    const text = await readText(isNamed ? assertionKeyFile : join(dataDir, name))
    if (text !== null) keys[name] = text
  }
  return keys
}

/** Writes keys to a new file, readable by its owner only. */
export async function writeKeys(files: Keys, file: string): Promise<void> {
  const content: KeyFile = { format: 'bundle-console keys 1', at: new Date().toISOString(), files }
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  }).catch(explainFailedWrite(file))
}

/** Which of the sealing keys with these fingerprints are not among the keys. */
export function missingSealingKeys(keys: Keys, fingerprints: readonly string[]): string[] {
  const present = new Set(
    Object.entries(keys).flatMap(([name, text]) => (isSealingKey(name) ? [fingerprintOf(text)] : [])),
  )
  return fingerprints.filter((fingerprint) => !present.has(fingerprint))
}

/**
 * Reads a file of keys, and names its sealing keys so that those of the backup come first. Throws one line if the file
 * is not one of keys, or if a key would replace another one. Writes nothing.
 *
 * @param needed the fingerprints of the sealing keys of the backup.
 */
export async function readKeys(file: string, dataDir: string, needed: readonly string[]): Promise<Keys> {
  const text = await readText(file)
  if (text === null) throw new Error(`There is no file ${file}`)
  const parsed = KeyFile.safeParse(parseJson(text, file))
  if (!parsed.success) throw new Error(`${file} is not a file of keys of this program. Use another one.`)
  const keys = neededFirst(parsed.data.files, needed)
  for (const [name, key] of Object.entries(keys)) {
    const present = await readText(join(dataDir, name))
    if (present !== null && present !== key)
      throw new Error(
        `DATA_DIR already has another ${name}. Nothing is overwritten: restore into an empty DATA_DIR.`,
      )
  }
  return keys
}

function neededFirst(keys: Keys, needed: readonly string[]): Keys {
  const entries = Object.entries(keys)
  const isNeeded = (text: string): boolean => needed.includes(fingerprintOf(text))
  const sealingKeys = entries.filter(([name]) => isSealingKey(name)).map(([, text]) => text)
  const ordered = [...sealingKeys.filter(isNeeded), ...sealingKeys.filter((text) => !isNeeded(text))]
  return Object.fromEntries([
    ...ordered.map((text, index) => [sealingKeyName(index), text]),
    ...entries.filter(([name]) => !isSealingKey(name)),
  ])
}

const fingerprintOf = (text: string): string => parseSealingKey(text)?.fingerprint ?? ''

/** Writes keys that {@link readKeys} returned into a data directory. Returns the files of its sealing keys. */
export async function restoreKeys(keys: Keys, dataDir: string): Promise<string[]> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  for (const [name, key] of Object.entries(keys)) {
    const file = join(dataDir, name)
    if ((await readText(file)) === null) await writeFile(file, key, { mode: 0o600, flag: 'wx' })
  }
  return Object.keys(keys)
    .filter(isSealingKey)
    .map((name) => join(dataDir, name))
}

function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`${file} cannot be read`, { cause: error })
  })
}

function parseJson(text: string, file: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new Error(
      `${file} is not a file of keys of this program: ${error.messageWithoutPath}. Use another one.`,
      { cause: error },
    )
  }
}
