import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Where a generated secret is kept. */
export interface KeptPlace {
  directory: string
  file: string
}

/**
 * A generated secret: read from its file, or made once and kept there, readable by its owner only. Two processes that
 * start together on one directory end with the same secret, and a crash leaves no half of one. Once this has answered, the
 * secret outlives a loss of power: what it protects may be written down at once.
 *
 * @param options.directory is made with mode 0700 when it is missing.
 */
export async function keptSecret(
  options: KeptPlace & { make: () => string | Promise<string> },
): Promise<string> {
  const found = await findKeptSecret(options)
  if (found !== null) return found
  const path = join(options.directory, options.file)
  await mkdir(options.directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeDurably(draft, await options.make())
    // a link fails where the other process was first; its secret counts then
    await link(draft, path).catch(nullWhen('EEXIST'))
  } finally {
    await unlink(draft).catch(nullWhen('ENOENT'))
  }
  await syncDirectory(options.directory)
  return await readFile(path, 'utf8')
}

/** The secret of {@link keptSecret} where it was made already, else null. */
export function findKeptSecret({ directory, file }: KeptPlace): Promise<string | null> {
  return readFile(join(directory, file), 'utf8').catch(nullWhen('ENOENT'))
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

/** A name is only safe when its directory is. Windows cannot open one, and keeps names by itself. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function nullWhen(code: string) {
  return (error: unknown): null => {
    if (error instanceof Error && 'code' in error && error.code === code) return null
    throw error
  }
}
