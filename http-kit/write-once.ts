import { randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
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
