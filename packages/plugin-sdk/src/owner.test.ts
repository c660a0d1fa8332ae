import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { isOwnerGone, newOwner } from './owner.ts'

/** The owner that an ended process of this host had, with its parts. */
function ownerOfEndedProcess(): unknown[] {
  const module = new URL('./owner.ts', import.meta.url).href
  const code = `import { newOwner } from '${module}'; console.log(newOwner())`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
  })
  return JSON.parse(stdout) as unknown[]
}

test('an owner is gone if its process has ended, and not while it runs', () => {
  assert.equal(isOwnerGone(newOwner()), false)
  const ended = ownerOfEndedProcess()
  assert.equal(isOwnerGone(JSON.stringify(ended)), true)
  // another process, alive, and one of this id that ended
  assert.equal(isOwnerGone(JSON.stringify(ended.with(1, process.ppid))), false)
  assert.equal(isOwnerGone(JSON.stringify(ended.with(1, process.pid))), true)
})

test('of an owner in another container or on another host, only the lease tells', () => {
  const ended = ownerOfEndedProcess()
  assert.equal(isOwnerGone(JSON.stringify(ended.with(0, 'another-host'))), false)
  assert.equal(isOwnerGone(JSON.stringify(ended.with(4, 'pid:[1]'))), false)
  assert.equal(isOwnerGone(JSON.stringify(ended.with(4, null))), false)
  // of a version of the SDK that did not say where its process ids are
  assert.equal(isOwnerGone(JSON.stringify(ended.slice(0, 4))), false)
})
