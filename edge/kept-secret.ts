import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A generated secret: read from its file, or made once and kept there, readable by its owner only. Two processes that
 * start together on one directory end with the same secret, and a crash leaves no half of one.
 *
 * @param options.directory is made with mode 0700 when it is missing.
 */
export async function keptSecret(options: {
  directory: string
  file: string
  make: () => string | Promise<string>
}): Promise<string> {
  const path = join(options.directory, options.file)
  const found = await readFile(path, 'utf8').catch(nullWhen('ENOENT'))
  if (found !== null) return found
  await mkdir(options.directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, await options.make(), { mode: 0o600, flag: 'wx' })
  // a link fails where the other process was first; its secret counts then
  await link(draft, path).catch(nullWhen('EEXIST'))
  await unlink(draft)
  return await readFile(path, 'utf8')
}

function nullWhen(code: string) {
  return (error: unknown): null => {
    if (error instanceof Error && 'code' in error && error.code === code) return null
    throw error
  }
}
