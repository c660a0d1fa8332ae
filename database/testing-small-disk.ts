import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small file system that tests can fill up. */
export interface SmallDisk {
  path: string
  /** Uses up all free space. */
  fill(): void
  /** Frees what `fill` used. */
  free(): void
  remove(): void
}

/** An in-memory file system of this many MiB; null if this user may not mount one, as is common. */
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
    // the folder can still be busy for a moment after the unmount
    rmSync(path, { recursive: true, force: true, maxRetries: 10 })
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
