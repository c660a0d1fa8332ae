import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KeyFile } from './format.ts'

/** Every key and secret that a data directory may hold. */
const NAMES = [
  'sealing.key',
  'actor-key.json',
  'runtime-signing-key.json',
  'idp-signing-key.json',
  'runtime-credential',
]

/** Where the keys are: files named by settings take precedence over those in the data directory. */
export interface KeyPlaces {
  dataDir: string
  sealingKeyFiles: readonly string[]
  assertionKeyFile: string | null
}

/** Writes the keys of a deployment to a new file, readable by its owner only. Returns the names of the keys. */
export async function writeKeys(places: KeyPlaces, file: string): Promise<string[]> {
  const files: Record<string, string> = {}
  for (const name of NAMES) {
    const text = await readText(placeOf(places, name))
    if (text !== null) files[name] = text
  }
  const content: KeyFile = { format: 'bundle-console keys 1', at: new Date().toISOString(), files }
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  return Object.keys(files)
}

function placeOf({ dataDir, sealingKeyFiles, assertionKeyFile }: KeyPlaces, name: string): string {
  const [sealingKeyFile] = sealingKeyFiles
  if (name === 'sealing.key' && sealingKeyFile !== undefined) return sealingKeyFile
  if (name === 'actor-key.json' && assertionKeyFile !== null) return assertionKeyFile
  return join(dataDir, name)
}

/** Throws one line if the file is not one of keys, or if a key would replace another one. Writes nothing. */
export async function readKeys(file: string, dataDir: string): Promise<KeyFile> {
  const text = await readText(file)
  if (text === null) throw new Error(`There is no file ${file}`)
  const parsed = KeyFile.safeParse(parseJson(text))
  if (!parsed.success) throw new Error(`${file} is not a file of keys of this program. Use another one.`)
  for (const [name, key] of Object.entries(parsed.data.files)) {
    const present = await readText(join(dataDir, name))
    if (present !== null && present !== key)
      throw new Error(
        `DATA_DIR already has another ${name}. Nothing is overwritten: restore into an empty DATA_DIR.`,
      )
  }
  return parsed.data
}

/** Writes keys that {@link readKeys} accepted into a data directory. */
export async function restoreKeys({ files }: KeyFile, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  for (const [name, key] of Object.entries(files)) {
    const file = join(dataDir, name)
    if ((await readText(file)) === null) await writeFile(file, key, { mode: 0o600, flag: 'wx' })
  }
}

function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`${file} cannot be read`, { cause: error })
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
