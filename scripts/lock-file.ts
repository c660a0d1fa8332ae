import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'

/** The part of a package-lock.json of version 3 that {@link lockFileProblems} reads. */
export interface LockFile {
  /** By path: `''` is the project, `node_modules/a/node_modules/b` a package inside another. */
  packages: Record<string, LockedPackage>
}

export interface LockedPackage {
  resolved?: string
  /** A workspace of this repository; `resolved` is its folder. */
  link?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Why `npm ci` would fail with this lock file on some platform or with another registry; empty if it would not.
 *
 * A lock file created with a registry that lacks a platform's packages silently omits them. `npm ci` rejects such a
 * file, or installs on that platform without the native part.
 */
export function lockFileProblems({ packages }: LockFile): string[] {
  return Object.entries(packages).flatMap(([path, locked]) => {
    const wanted = { ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies }
    const missing = Object.keys(wanted).filter((name) => !isLocked(packages, path, name))
    const owner = path === '' ? 'package.json' : path
    return [
      ...missing.map((name) => `${name}, a dependency of ${owner}, is missing`),
      ...(locked.resolved === undefined || locked.link === true
        ? []
        : [`${path} has the address of a registry`]),
    ]
  })
}

/** Looks for a package where Node does: inside the package that needs it, then in each parent. */
function isLocked(packages: LockFile['packages'], from: string, name: string): boolean {
  if (`${from === '' ? '' : `${from}/`}node_modules/${name}` in packages) return true
  if (from === '') return false
  return isLocked(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

if (import.meta.main) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile
  const problems = lockFileProblems(lock)
  for (const problem of problems) console.error(`package-lock.json: ${problem}`)
  if (problems.length > 0) {
    console.error(
      'Choose versions whose packages the registry has for every platform, then run "npm install".',
    )
    process.exitCode = 1
  }
}
