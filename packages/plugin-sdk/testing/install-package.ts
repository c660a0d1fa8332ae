import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const DEPENDENCIES = ['@cfworker/json-schema', 'jose', 'zod']

export interface InstalledPackage {
  /** A folder outside of the repository, with a `package.json` and the packed SDK in its `node_modules`. */
  folder: string
  /** The paths in the packed SDK. */
  files: string[]
  remove(): void
}

/**
 * Builds and packs the SDK and installs it as an author would. The registry is not used: the SDK's dependencies are
 * those of this repository's `node_modules`.
 */
export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-author-'))
  const json = npm(['pack', '--json', '--pack-destination', folder], join(root, 'packages/plugin-sdk'))
  // npm prints one entry for each packed folder
  const [packed] = JSON.parse(json) as { filename: string; files: { path: string }[] }[]
  if (packed === undefined) throw new Error('npm packed nothing')
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'author', type: 'module' }))
  const dependencies = DEPENDENCIES.map((name) => join(root, 'node_modules', name))
  // --install-links copies the dependencies; by default npm would link to their folders
  const options = ['--offline', '--no-audit', '--no-fund', '--install-links', '--ignore-scripts']
  npm(['install', ...options, `./${packed.filename}`, ...dependencies], folder)
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
