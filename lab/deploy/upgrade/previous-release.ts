import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The sources of the previous release, with the packages of this version. */
export interface PreviousRelease {
  folder: string
  /** The entry point of its runtime. */
  runtime: URL
  remove(): void
}

const ROOT = join(import.meta.dirname, '../../..')

/** Unpacks it from git into a temporary directory. Returns the reason as a string if that is not possible. */
export function unpackPreviousRelease(): PreviousRelease | string {
  const archive = spawnSync('git', ['archive', '--format=tar', RELEASED.commit], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  })
  if (archive.status !== 0)
    return `needs the previous release, and git does not have the commit ${RELEASED.commit.slice(0, 12)} here`
  const folder = mkdtempSync(join(tmpdir(), 'bundle-console-release-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const { status } = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout })
  if (status !== 0) {
    remove()
    return 'needs tar to unpack the previous release'
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return { folder, runtime: pathToFileURL(join(folder, 'runtime/main.ts')), remove }
}

/**
 * The previous release; raise it with each release (CONTRIBUTING.md). Nothing has been released yet: the commit has the
 * schema of the first release.
 */
export const RELEASED = {
  /** In this repository. */
  commit: '757ce491805f040ba17e9d9f314295518e1916a7',
  /** The last migrations that are known to be right; later ones are examined. */
  runtime: '0001',
  bff: '0001',
}
