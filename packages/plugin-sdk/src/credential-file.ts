import { readFile } from 'node:fs/promises'

/**
 * A credential that is read from a file at every use, so that a rotated one is used without a restart: mount the secret
 * as a file and replace the file. White space around it is ignored. Throws if the file is missing or empty.
 */
export const credentialFromFile = (file: string) => async (): Promise<string> => {
  const credential = (await readFile(file, 'utf8')).trim()
  if (credential === '') throw new Error('The credential file is empty')
  return credential
}
