import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What npm says about one packed package. */
export interface Packed {
  name: string
  version: string
  filename: string
  integrity: string
  shasum: string
  files: { path: string }[]
}

/**
 * Packs folders of this repository into the folder `to`; our own packages are built before.
 *
 * @param paths relative to the root
 */
export function pack(to: string, paths: readonly string[], options: readonly string[] = []): Packed[] {
  const lock = join(root, '.cache', 'packing')
  mkdirSync(join(root, '.cache'), { recursive: true })
  return locked(lock, () => {
    const folders = paths.map((path) => `./${path}`)
    const output = npm(['pack', '--json', '--pack-destination', to, ...options, ...folders], root)
    // npm prints one entry for each folder, after what the scripts of the packages print
    return JSON.parse(output.slice(output.search(/^\[/m))) as Packed[]
  })
}

/** A build begins by deleting the last one, and several test files build the same packages at the same time. */
function locked<Result>(folder: string, run: () => Result): Result {
  const giveUpAt = performance.now() + 120_000
  for (;;) {
    try {
      mkdirSync(folder)
      break
    } catch (error) {
      // a process that was killed left it behind
      if (performance.now() > giveUpAt) rmSync(folder, { recursive: true, force: true })
      else if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      else spawnSync(process.execPath, ['-e', 'setTimeout(() => undefined, 200)'])
    }
  }
  try {
    return run()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs npm and returns its standard output; its messages are printed only if it fails. */
export function npm(args: readonly string[], cwd: string): string {
  const isWindows = process.platform === 'win32'
  return execFileSync(isWindows ? 'npm.cmd' : 'npm', args, {
    cwd,
    encoding: 'utf8',
    stdio: 'pipe',
    shell: isWindows,
  })
}
