import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildConsole } from '../../scripts/console-build.ts'
import { isRefused, startPlace } from '../../scripts/testing-start.ts'
import type { StartPlace } from '../../scripts/testing-start.ts'

// Whole processes, as `npm start` starts them, on file systems of their own. `scripts/start.test.ts` has the rest.

describe('npm start on a disk that is read-only or full', () => {
  let place: StartPlace
  const mounted: string[] = []
  before(async () => {
    await buildConsole()
    place = await startPlace()
  })
  after(async () => {
    for (const path of mounted) spawnSync('umount', ['--lazy', path])
    await place.close()
  })

  it('fails if DATA_DIR is on a read-only file system', async (context) => {
    const disk = mountDisk(place, 'ro')
    if (disk === null) return context.skip('this user may not mount a file system')
    await isRefused(
      place.start({ DATA_DIR: join(disk.path, 'data') }),
      /^DATA_DIR .* cannot be used: its file system is read-only; choose another DATA_DIR\n$/,
    )
  })

  for (const size of ['4k', '16m']) {
    it(`fails if the disk is full (${size}), and succeeds with free space`, async (context) => {
      const disk = mountDisk(place, `size=${size}`)
      if (disk === null) return context.skip('this user may not mount a file system')
      if (size === '4k') writeFileSync(join(disk.path, 'large'), Buffer.alloc(4096))
      const dataDir = join(disk.path, 'data')
      await isRefused(
        place.start({ DATA_DIR: dataDir }),
        /^The disk of DATA_DIR or of the database is full; free some space and restart\.\n$/,
      )
      const left = existsSync(dataDir) ? readdirSync(dataDir) : []
      assert.deepEqual(
        left.filter((name) => name.startsWith('postgresql')),
        [],
      )
      disk.remount('size=200m')
      const second = place.start({ DATA_DIR: dataDir })
      await second.isUp()
      assert.equal(await second.stop(), 0, second.errors())
    })
  }

  /** A small in-memory file system; null if this user may not mount one. */
  function mountDisk({ dataDir }: StartPlace, options: string) {
    const path = mkdtempSync(join(dirname(dataDir), 'disk-'))
    const mount = (all: string) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', `mode=755,${all}`, 'tmpfs', path]).status === 0
    if (!mount(options)) return null
    mounted.push(path)
    return { path, remount: (changes: string) => mount(`remount,${changes}`) }
  }
})
