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

/** What the linter reports about each of these files, in their order. It is started once for all of them. */
function lint(files: readonly { path: string; text: string }[]): string[] {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const paths = files.map(({ path }) => path)
  const { stdout } = spawnSync(process.execPath, [tool('oxlint/bin/oxlint'), '--format=unix', ...paths], {
    cwd: folder,
    encoding: 'utf8',
  })
  const lines = stdout.split('\n')
  return paths.map((path) => lines.filter((line) => line.startsWith(`${path}:`)).join('\n'))
}

describe('the linter', () => {
  it('refuses calls of servers that do not go through the outbound module (E04)', () => {
    const calls = [
      "export const call = () => fetch('http://example.org/')",
      "import { request } from 'node:http'\nexport const call = request",
      "import { request } from 'node:https'\nexport const call = request",
      "import { Pool } from 'undici'\nexport const pool = Pool",
    ]
    const refused = ['runtime/worker', 'bff/routes', 'operating'].flatMap((place) =>
      calls.map((text, index) => ({ path: `${place}/planted-${index}.ts`, text })),
    )
    const allowed = [
      {
        path: 'bff/routes/types.ts',
        text: "import type { IncomingMessage } from 'node:http'\nexport type Incoming = IncomingMessage",
      },
      { path: 'http-kit/outbound.ts', text: "import { Pool } from 'undici'\nexport const pool = Pool" },
    ]
    for (const [index, report] of lint([...refused, ...allowed]).entries()) {
      const planted = refused[index]
      if (planted === undefined) assert.doesNotMatch(report, /no-restricted/)
      else assert.match(report, /no-restricted-(?:globals|imports)/, `${planted.path}: ${planted.text}`)
    }
  })

  it('refuses markup from text in the console (C06)', () => {
    const refused = [
      'export const Planted = () => <p dangerouslySetInnerHTML={{ __html: "x" }} />',
      'export const plant = (element: Element, text: string) => (element.innerHTML = text)',
      'export const plant = (element: Element, text: string) => element.insertAdjacentHTML("beforeend", text)',
      'export const plant = (range: Range, text: string) => range.createContextualFragment(text)',
    ]
    const allowed = 'export const Planted = ({ text }: { text: string }) => <p>{text}</p>'
    const reports = lint(
      [...refused, allowed].map((text, index) => ({ path: `web/ui/Planted${index}.tsx`, text })),
    )
    for (const [index, text] of refused.entries())
      assert.match(reports[index] ?? '', /no-danger|no-restricted-properties/, text)
    assert.equal(reports.at(-1), '')
  })
})
