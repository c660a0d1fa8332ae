import { randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a file that its owner only can read, unless it exists. A crash never leaves a partial file. Once this resolves,
 * the file survives a power loss.
 *
 * @param directory is created with mode 0700 if it is missing.
 */
export async function writeOnce(directory: string, file: string, text: string): Promise<void> {
  const path = join(directory, file)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeDurably(draft, text)
    await link(draft, path).catch(nullWhen('EEXIST'))
  } finally {
    await unlink(draft).catch(nullWhen('ENOENT'))
  }
  await syncDirectory(directory)
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * A new file name is durable only after its directory is synced. Windows cannot open directories and persists names
 * itself.
 */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** For `catch`: null for the error with this code; rethrows every other one. */
export function nullWhen(code: string) {
  return (error: unknown): null => {
    if (error instanceof Error && 'code' in error && error.code === code) return null
    throw error
  }
}

/** Where a generated secret is stored. */
interface SecretLocation {
  directory: string
  file: string
}

/**
 * Reads a generated secret from its file, or creates and stores it, readable by its owner only. Two processes that
 * start together on one directory get the same secret, and a crash never leaves a partial file. Once this resolves, the
 * secret survives a power loss, so data that it protects may be written immediately.
 *
 * @param options.directory is created with mode 0700 if it is missing.
 */
export async function persistentSecret(
  options: SecretLocation & { make: () => string | Promise<string> },
): Promise<string> {
  const found = await findPersistentSecret(options)
  if (found !== null) return found
  // if another process was first, its secret is used
  await writeOnce(options.directory, options.file, await options.make())
  return await readFile(join(options.directory, options.file), 'utf8')
}

/** The secret of {@link persistentSecret} if it exists, else null. */
export function findPersistentSecret({ directory, file }: SecretLocation): Promise<string | null> {
  return readFile(join(directory, file), 'utf8').catch(nullWhen('ENOENT'))
}
