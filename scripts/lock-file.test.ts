import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { lockFileProblems } from './lock-file.ts'
import { root, run } from './process.ts'

describe('lockFileProblems', () => {
  it('accepts dependencies inside their package, next to it and in any parent', () => {
    const packages = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': { dependencies: { '@s/b': '1.0.0', c: '1.0.0' } },
      'node_modules/a/node_modules/@s/b': { optionalDependencies: { c: '1.0.0', d: '1.0.0' } },
      'node_modules/a/node_modules/d': {},
      'node_modules/c': {},
    }
    assert.deepEqual(lockFileProblems({ packages }), [])
  })

  it('accepts the link to a workspace, and names what the workspace lacks', () => {
    const packages = {
      '': {},
      'node_modules/own': { resolved: 'packages/own', link: true },
      'packages/own': { dependencies: { a: '1.0.0', b: '1.0.0' } },
      'node_modules/a': {},
    }
    assert.deepEqual(lockFileProblems({ packages }), ['b, a dependency of packages/own, is missing'])
  })

  it('names a missing package of another platform (K01)', () => {
    const packages = {
      '': { devDependencies: { linter: '1.0.0' } },
      'node_modules/linter': { optionalDependencies: { 'linter-linux': '1.0.0', 'linter-mac': '1.0.0' } },
      'node_modules/linter-linux': {},
      // inside another package, out of the linter's reach
      'node_modules/linter-linux/node_modules/linter-mac': {},
    }
    assert.deepEqual(lockFileProblems({ packages }), [
      'linter-mac, a dependency of node_modules/linter, is missing',
    ])
  })

  it('names a missing direct dependency', () => {
    const packages = { '': { devDependencies: { linter: '1.0.0' } } }
    assert.deepEqual(lockFileProblems({ packages }), ['linter, a dependency of package.json, is missing'])
  })

  it('rejects the address of a registry, and does not repeat it', () => {
    const packages = {
      '': { dependencies: { a: '1.0.0' } },
      'node_modules/a': { resolved: 'https://packages.example.com/a/-/a-1.0.0.tgz' },
    }
    assert.deepEqual(lockFileProblems({ packages }), ['node_modules/a has the address of a registry'])
  })
})

describe('npm ci', { skip: process.platform === 'win32' && 'npm is a shell script there' }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'lock-file-'))
  after(() => rmSync(copy, { recursive: true }))
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(root, file), join(copy, file))

  const platforms = [
    ['linux', 'x64', 'glibc'],
    ['linux', 'arm64', 'musl'],
    ['darwin', 'arm64', 'none'],
    ['darwin', 'x64', 'none'],
    ['win32', 'x64', 'none'],
  ] as const
  for (const [os, cpu, libc] of platforms) {
    it(`accepts the lock file on ${os} ${cpu}`, { timeout: 60_000 }, async () => {
      const target = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === 'none' ? [] : [`--libc=${libc}`])]
      const { code, output } = await run(
        'npm',
        ['ci', '--dry-run', '--offline', '--ignore-scripts', '--prefix', copy, ...target],
        { quiet: true },
      )
      assert.equal(code, 0, output)
    })
  }
})
