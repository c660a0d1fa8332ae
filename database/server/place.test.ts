import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { abandonedDirectoriesIn } from './place.ts'

test('only directories of processes that have ended are abandoned', () => {
  const parent = mkdtempSync(join(tmpdir(), 'place-'))
  const make = (name: string): string => {
    const path = join(parent, `bundle-console-${name}`)
    mkdirSync(path)
    return path
  }
  try {
    const ended = spawnSync(process.execPath, ['--version'])
    make(`test-${process.pid}-a1B2c3`)
    make(`run-${ended.pid}-a1B2c3`)
    const abandoned = make(`test-${ended.pid}-a1B2c3`)
    assert.deepEqual(abandonedDirectoriesIn(parent), [abandoned])
  } finally {
    rmSync(parent, { recursive: true })
  }
})
