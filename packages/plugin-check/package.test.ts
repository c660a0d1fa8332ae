import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { installPackages } from './testing/install-package.ts'
import { CASES } from './src/cases/all-cases.ts'

const { folder, files, remove } = installPackages('plugin-check')
after(remove)

test('the package contains JavaScript and types, and nothing else', () => {
  const other = files.filter(
    (file) => !/^dist\/(?:contract|packages\/plugin-check\/src)\/.*\.(?:js|d\.ts)$/.test(file),
  )
  assert.deepEqual(other.sort(), ['LICENSE', 'README.md', 'package.json'])
})

test('the installed command runs in an empty folder', () => {
  const command = join(
    folder,
    'node_modules',
    '@bundle-console',
    'plugin-check',
    'dist/packages/plugin-check/src/main.js',
  )
  const output = execFileSync(process.execPath, [command, 'list'], { cwd: folder, encoding: 'utf8' })
  assert.equal(output.trim().split('\n').length, CASES.length)
})

test('the installed package is a library with the cases', () => {
  const program =
    "import('@bundle-console/plugin-check').then(({ CASES, check }) => console.log(CASES.length, typeof check))"
  const output = execFileSync(process.execPath, ['-e', program], { cwd: folder, encoding: 'utf8' })
  assert.equal(output.trim(), `${CASES.length} function`)
})
