import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PLANTED } from '../lab/nightly/planted-imports.ts'
import { root } from './process.ts'

// The nightly run plants these imports and expects the compiler to refuse them. Files move, so that it might refuse one only
// because nothing is there any more.

const IMPORT = /^import (?:type )?\{ (\w+) \} from '(.+)'$|import\('(.+)'\)/m

for (const [file, source] of Object.entries(PLANTED)) {
  test(`what ${file} would import exists`, () => {
    const [, name, named, whole] = IMPORT.exec(source) ?? []
    const target = named ?? whole
    // what is planted may also be a global
    if (target === undefined) return assert.match(source, /process\.env/)
    const path = target.startsWith('.') ? join(dirname(file), target) : target.slice(1)
    assert.ok(existsSync(join(root, path)), `${path} does not exist`)
    if (name === undefined) return
    const exported = new RegExp(`export .*\\b${name}\\b`)
    assert.match(readFileSync(join(root, path), 'utf8'), exported, `${path} does not export ${name}`)
  })
}
