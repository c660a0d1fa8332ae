import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, describe, it } from 'node:test'
import { root, runNode } from './process.ts'
import { SHARED_SUFFIX, writeShared } from './share-processes.ts'
import type { UnitTally } from './unit-tests.ts'

const folder = mkdtempSync(join(tmpdir(), 'shared-'))
after(() => rmSync(folder, { recursive: true }))

const FILES = {
  'hooks.test.mjs': `import { beforeEach, test } from 'node:test'
    beforeEach(() => { globalThis.begun = (globalThis.begun ?? 0) + 1 })
    test('has its own hooks', () => {})`,
  'no-hooks.test.mjs': `import assert from 'node:assert/strict'
    import { test } from 'node:test'
    test('has no hooks of others', () => assert.equal(globalThis.begun, 1))
    test('fails', () => { throw new Error('planted') })`,
  'broken.test.mjs': `throw new Error('cannot be loaded')`,
  'hanging.test.mjs': `import { test } from 'node:test'
    test('hangs', () => new Promise((resolve) => setTimeout(resolve, 60_000).unref()))
    test('follows', () => {})`,
}

describe('test files that share a process', () => {
  it('keep their hooks, and a failure names its file', async () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
    const shared = join(folder, `all${SHARED_SUFFIX}`)
    const fileOf = (name: string) => relative(root, join(folder, name))
    writeShared(shared, Object.keys(FILES).map(fileOf))
    const report = join(folder, 'tally.json')
    const { code, output } = await runNode(
      [
        '--test',
        '--test-timeout=1000',
        '--test-reporter=./scripts/failures-reporter.ts',
        '--test-reporter-destination=stdout',
        '--test-reporter=./scripts/tally-reporter.ts',
        `--test-reporter-destination=${report}`,
        shared,
      ],
      // the process of a test file would take this run for a part of its own
      { quiet: true, env: { NODE_TEST_CONTEXT: undefined } },
    )
    assert.equal(code, 1)
    // written by the reporter
    const { passed, failed, failures, slowest } = JSON.parse(readFileSync(report, 'utf8')) as UnitTally
    assert.deepEqual(failures.toSorted(), [
      `${fileOf('broken.test.mjs')} (cannot be loaded)`,
      `${fileOf('hanging.test.mjs')}: hangs (test timed out after 1000ms)`,
      `${fileOf('no-hooks.test.mjs')}: fails (planted)`,
    ])
    assert.deepEqual({ passed, failed }, { passed: 3, failed: 3 })
    assert.deepEqual(slowest.map(({ file }) => file).toSorted(), Object.keys(FILES).map(fileOf).toSorted())
    for (const words of ['no-hooks.test.mjs: fails', 'broken.test.mjs', 'hanging.test.mjs: hangs'])
      assert.ok(output.includes(words), output)
  })
})
