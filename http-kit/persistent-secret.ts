import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nullWhen, writeOnce } from './write-once.ts'

/** Where a generated secret is stored. */
export interface SecretLocation {
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
