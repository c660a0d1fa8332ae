import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { root, tool } from './process.ts'

// The rules of the linter that hold back a mistake of security, on planted files in a folder of its own.

const folder = mkdtempSync(join(tmpdir(), 'lint-rules-'))
copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'))
after(() => rmSync(folder, { recursive: true }))

/** What the linter reports about a file with this text, without its colors. */
function lint(file: string, text: string): string {
  const path = join(folder, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  const { stdout } = spawnSync(process.execPath, [tool('oxlint/bin/oxlint'), '--format=unix', file], {
    cwd: folder,
    encoding: 'utf8',
  })
  return stdout
}

describe('the linter', () => {
  it('refuses calls of servers that do not go through the outbound module (E04)', () => {
    for (const text of [
      "export const call = () => fetch('http://example.org/')",
      "import { request } from 'node:http'\nexport const call = request",
      "import { request } from 'node:https'\nexport const call = request",
      "import { Pool } from 'undici'\nexport const pool = Pool",
    ]) {
      for (const file of ['runtime/worker/planted.ts', 'bff/routes/planted.ts', 'operating/planted.ts'])
        assert.match(lint(file, text), /no-restricted-(?:globals|imports)/, `${file}: ${text}`)
    }
    const ofTypes = "import type { IncomingMessage } from 'node:http'\nexport type Incoming = IncomingMessage"
    assert.doesNotMatch(lint('bff/routes/planted.ts', ofTypes), /no-restricted/)
    const outbound = "import { Pool } from 'undici'\nexport const pool = Pool"
    assert.doesNotMatch(lint('http-kit/outbound.ts', outbound), /no-restricted/)
  })

  it('refuses markup from text in the console (C06)', () => {
    for (const text of [
      'export const Planted = () => <p dangerouslySetInnerHTML={{ __html: "x" }} />',
      'export const plant = (element: Element, text: string) => (element.innerHTML = text)',
      'export const plant = (element: Element, text: string) => element.insertAdjacentHTML("beforeend", text)',
      'export const plant = (range: Range, text: string) => range.createContextualFragment(text)',
    ])
      assert.match(lint('web/ui/Planted.tsx', text), /no-danger|no-restricted-properties/, text)
    assert.doesNotMatch(
      lint('web/ui/Planted.tsx', 'export const Planted = ({ text }: { text: string }) => <p>{text}</p>'),
      /Error/,
    )
  })
})
