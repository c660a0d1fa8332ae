import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { root, runNode, typeCheckArgs } from '../../scripts/process.ts'
import { PLANTED } from './planted-imports.ts'

mkdirSync(join(root, '.cache'), { recursive: true })
const copy = mkdtempSync(join(root, '.cache', 'boundaries-'))
after(() => rmSync(copy, { recursive: true, force: true }))

test('the compiler rejects every forbidden import', async () => {
  const left = new Set(['node_modules', '.git', '.cache', 'dist', 'data'])
  for (const name of readdirSync(root).filter((entry) => !left.has(entry)))
    cpSync(join(root, name), join(copy, name), { recursive: true })
  linkFiles(join(root, 'node_modules'), join(copy, 'node_modules'))
  // with the results of the last compilation only the planted files are compiled
  const known = join(root, '.cache', 'types')
  if (existsSync(known)) cpSync(known, join(copy, '.cache', 'types'), { recursive: true })
  for (const [file, text] of Object.entries(PLANTED)) writeFileSync(join(copy, file), text)
  const { code, output } = await runNode(typeCheckArgs(join(copy, 'tsconfig.json')), {
    quiet: true,
  })
  assert.notEqual(code, 0)
  for (const file of Object.keys(PLANTED)) {
    assert.match(
      output,
      new RegExp(`${file.replaceAll('.', '\\.')}\\(\\d+,\\d+\\): error TS(6307|2591|2580)`),
      `${file} was not rejected`,
    )
  }
})

/** Makes a copy of a folder whose files are hard links: through a symbolic link the compiler would see other paths. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFiles(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkSync(source, target)
  }
}
