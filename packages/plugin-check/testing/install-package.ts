import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, pack, root } from './pack.ts'

export interface InstalledPackages {
  /** A folder outside of the repository, with a `package.json` and the packed packages in its `node_modules`. */
  folder: string
  /** The paths in the first of the packed packages. */
  files: string[]
  remove(): void
}

/**
 * Builds and packs packages of this repository, and installs them as an author would. The registry is not used: their
 * dependencies are those of this repository's `node_modules`.
 */
export function installPackages(...names: readonly string[]): InstalledPackages {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-author-'))
  const packed = pack(
    folder,
    names.map((name) => `packages/${name}`),
  )
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'author', type: 'module' }))
  const dependencies = dependenciesOf(names.map((name) => join(root, 'packages', name)))
  // --install-links copies the dependencies; by default npm would link to their folders
  const options = ['--offline', '--no-audit', '--no-fund', '--install-links', '--ignore-scripts']
  npm(['install', ...options, ...packed.map(({ filename }) => `./${filename}`), ...dependencies], folder)
  return {
    folder,
    files: packed[0]?.files.map(({ path }) => path) ?? [],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The folders of everything that the packages depend on, as far as this platform has it. */
function dependenciesOf(packages: readonly string[]): string[] {
  const found = new Set<string>()
  const add = (from: string): void => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(from, 'package.json'), 'utf8'),
    ) as Record<string, object | undefined>
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const folder = join(root, 'node_modules', name)
      if (found.has(folder) || !existsSync(folder)) continue
      found.add(folder)
      add(folder)
    }
  }
  for (const from of packages) add(from)
  return [...found]
}
