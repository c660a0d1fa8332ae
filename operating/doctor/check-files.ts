import { stat } from 'node:fs/promises'
import { fileVariable, SECRET_VARIABLES } from '#http-kit/known-variables.ts'
import { ok, warn } from './finding.ts'
import type { Finding } from './finding.ts'

const EVERYBODY = 0o004

/** Whether everybody on the machine can read a file that contains a secret. Key files of that kind are refused anyway. */
export async function checkFiles(env: Record<string, string | undefined>): Promise<Omit<Finding, 'check'>> {
  const names = SECRET_VARIABLES.map(fileVariable)
  const open: string[] = []
  for (const name of names) {
    const path = env[name]
    // the settings are valid, so the file can be read
    if (path && ((await stat(path)).mode & EVERYBODY) !== 0) open.push(`${name}=${path}`)
  }
  if (open.length === 0) return ok('no file with a secret can be read by everybody')
  return warn(`everybody on this machine can read ${open.join(' and ')}: chmod o= it`)
}
