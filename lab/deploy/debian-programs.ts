import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Programs that this project does not contain. */
export interface Programs {
  /** The absolute path of a program; throws if there is none. */
  path(name: string): string
  /** With these, unpacked programs find their libraries. */
  env: Record<string, string>
  /** Removes what was unpacked. */
  remove(): void
}

export interface Wanted {
  /** The Debian packages that contain the programs. */
  packages: readonly string[]
  programs: readonly string[]
}

/**
 * The programs of this machine or, if one is missing and the machine is a Debian, those of Debian packages. The packages
 * are unpacked into a temporary directory and not installed: that needs no root, changes nothing on the machine and
 * starts no service. Returns a text if that is not possible: the reason, in one line.
 */
export function findPrograms({ packages, programs }: Wanted): Programs | string {
  if (programs.every((name) => search('/', name) !== undefined))
    return { path: (name) => found('/', name), env: {}, remove: () => undefined }
  const needed = `the programs ${programs.join(', ')} (on Debian: apt-get install ${packages.join(' ')})`
  if (spawnSync('apt-get', ['--version']).status !== 0) return `needs ${needed}`
  const root = mkdtempSync(join(tmpdir(), 'bundle-console-programs-'))
  const remove = (): void => rmSync(root, { recursive: true, force: true })
  process.once('exit', remove)
  const problem = unpack(packages, root)
  const missing = programs.filter((name) => search(root, name) === undefined)
  if (problem === null && missing.length === 0)
    return { path: (name) => found(root, name), env: environment(root), remove }
  remove()
  return `needs ${needed}; ${problem ?? `the packages lack ${missing.join(', ')}`}`
}

/** Unpacks the packages and those that they depend on, except for what is installed. Null, or what did not work. */
function unpack(packages: readonly string[], root: string): string | null {
  const downloads = join(root, 'downloads')
  mkdirSync(downloads)
  chmodSync(root, 0o755)
  const plan = (): string[] | null => {
    const options = ['--simulate', '--no-install-recommends', '--no-upgrade']
    const { status, stdout } = run('apt-get', [...options, 'install', ...packages])
    return status === 0 ? [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name) : null
  }
  const download = (names: readonly string[]): boolean =>
    run('apt-get', ['--quiet', 'download', ...names], downloads).status === 0
  let names = plan()
  if (names === null || !download(names)) {
    // the lists are missing or older than the mirror
    run('apt-get', ['--quiet', 'update'])
    names = plan()
    if (names === null) return 'apt-get does not know them'
    if (!download(names)) return 'apt-get could not download them'
  }
  for (const file of readdirSync(downloads))
    if (run('dpkg-deb', ['--extract', join(downloads, file), root]).status !== 0)
      return `${file} could not be unpacked`
  rmSync(downloads, { recursive: true })
  return null
}

function run(program: string, args: readonly string[], cwd?: string) {
  return spawnSync(program, args, { encoding: 'utf8', ...(cwd !== undefined && { cwd }) })
}

function found(root: string, name: string): string {
  const path = search(root, name)
  if (path === undefined) throw new Error(`there is no program ${name}`)
  return path
}

/** In what was unpacked, else on this machine: where `PATH` says, and where Debian has the programs of servers. */
function search(root: string, name: string): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '')
  const folders = [...(root === '/' ? [] : foldersBelow(root)), ...onPath, ...foldersBelow('/')]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

function foldersBelow(root: string): string[] {
  const servers = join(root, 'usr/lib/postgresql')
  const versions = existsSync(servers) ? readdirSync(servers).toSorted() : []
  return [
    join(root, 'usr/bin'),
    join(root, 'usr/sbin'),
    ...versions.map((version) => join(servers, version, 'bin')),
  ]
}

function environment(root: string): Record<string, string> {
  const libraries = join(root, 'usr/lib')
  const platforms = existsSync(libraries)
    ? readdirSync(libraries).filter((name) => name.includes('-linux-'))
    : []
  return {
    LD_LIBRARY_PATH: platforms.map((name) => join(libraries, name)).join(':'),
    PYTHONPATH: join(libraries, 'python3/dist-packages'),
    GOPATH: join(root, 'usr/share/gocode'),
  }
}
