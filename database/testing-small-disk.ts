import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own that can be filled. */
export interface SmallDisk {
  path: string
  /** Takes all space that is left. */
  fill(): void
  /** Gives back what `fill` took. */
  free(): void
  remove(): void
}

/** A file system in memory of so many MiB; null where this user may not mount one, as most may not. */
export function smallDisk(mebibytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=755`, 'small-disk', path])
  if (mount.status !== 0) {
    rmdirSync(path)
    return null
  }
  const ballast = join(path, 'ballast')
  const remove = (): void => {
    spawnSync('umount', ['-l', path])
    rmSync(path, { recursive: true, force: true })
    process.off('exit', remove)
  }
  process.once('exit', remove)
  return { path, fill: () => fill(ballast), free: () => rmSync(ballast, { force: true }), remove }
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a')
  try {
    for (const size of [1_048_576, 4_096]) {
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(size))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      }
    }
  } finally {
    closeSync(descriptor)
  }
}
