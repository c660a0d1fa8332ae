import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface InstalledPackage {
  /** A folder outside of the repository, with a `package.json` and the packed package in its `node_modules`. */
  folder: string
  /** The paths in the packed package. */
  files: string[]
  remove(): void
}

/**
 * Builds and packs a package of this repository, and installs it as an author would. The registry is not used: its
 * dependencies are those of this repository's `node_modules`.
 */
export function installPackage(name: string, dependencies: readonly string[]): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-author-'))
  const json = npm(['pack', '--json', '--pack-destination', folder], join(root, 'packages', name))
  // npm prints one entry for each packed folder
  const [packed] = JSON.parse(json) as { filename: string; files: { path: string }[] }[]
  if (packed === undefined) throw new Error('npm packed nothing')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'author', type: 'module' }))
  const folders = dependencies.map((dependency) => join(root, 'node_modules', dependency))
  // --install-links copies the dependencies; by default npm would link to their folders
  const options = ['--offline', '--no-audit', '--no-fund', '--install-links', '--ignore-scripts']
  npm(['install', ...options, `./${packed.filename}`, ...folders], folder)
  return {
    folder,
    files: packed.files.map(({ path }) => path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Runs npm and returns its standard output; its messages are printed only if it fails. */
function npm(args: readonly string[], cwd: string): string {
  const isWindows = process.platform === 'win32'
  return execFileSync(isWindows ? 'npm.cmd' : 'npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    shell: isWindows,
  })
}
