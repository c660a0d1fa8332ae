import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { root } from './process.ts'

// plain JavaScript without types; see its docstring
const { isInstalled } = (await import(new URL('installed.mjs', import.meta.url).href)) as {
  isInstalled(root: string): boolean
}

const LOCKED = {
  '': {},
  'packages/own': { version: '0.1.0' },
  'node_modules/own': { resolved: 'packages/own', link: true },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/a-mac': { version: '1.0.0', integrity: 'sha512-m', optional: true },
}

describe('isInstalled', () => {
  const project = mkdtempSync(join(tmpdir(), 'installed-'))
  after(() => rmSync(project, { recursive: true }))
  mkdirSync(join(project, 'node_modules'))
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: LOCKED }))

  it('is true of the packages that these tests run with', () => {
    assert.ok(isInstalled(root))
  })

  it('is false of a project that npm has not installed', () => {
    assert.equal(isInstalled(project), false)
  })

  const cases: [expected: boolean, what: string, installed: object][] = [
    [true, 'all', LOCKED],
    [true, 'all but an optional package', { 'node_modules/a': LOCKED['node_modules/a'] }],
    [false, 'an older version', { 'node_modules/a': { version: '0.9.0', integrity: 'sha512-a' } }],
    [false, 'other contents', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
    [false, 'too little', { 'node_modules/a-mac': LOCKED['node_modules/a-mac'] }],
  ]
  for (const [expected, what, packages] of cases) {
    it(`is ${expected} where ${what} is installed`, () => {
      writeFileSync(join(project, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
      assert.equal(isInstalled(project), expected)
    })
  }
})
