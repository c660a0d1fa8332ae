import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// Files and sections move; what refers to them must follow.

const root = fileURLToPath(new URL('..', import.meta.url))
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The markdown without its blocks of code. */
const prose = (path: string) => read(path).replaceAll(/^ *```[^]*?^ *```/gm, '')

/** The anchors of a page: of its headings, as GitHub makes them, and those that it writes itself. */
function anchorsOf(path: string): Set<string> {
  const text = prose(path)
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  const written = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id)
  return new Set([...headings, ...written])
}

/** Why a reference leads nowhere, or nothing. `target` is relative to the root. */
function problemOf(target: string, anchor: string | undefined): string | undefined {
  if (!existsSync(join(root, target))) return `${target} does not exist`
  if (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor)) return undefined
  return `${target} has no section #${anchor}`
}

test('links of documents lead to files and sections that exist', () => {
  const problems = tracked
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...prose(path).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => {
          const [file = '', anchor] = link.split('#')
          const problem = problemOf(file === '' ? path : join(dirname(path), file), anchor)
          return problem && `${path}: ${problem}`
        }),
    )
    .filter((problem) => problem !== undefined)
  assert.deepEqual(problems, [])
})

test('documents that the sources name exist, with their sections', () => {
  const problems = tracked
    .filter((path) => /\.(?:tsx?|mjs|sql|css|ya?ml)$/.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/\bdocs\/[\w/-]+\.md(?:#([\w-]+))?/g)].map(([reference, anchor]) => {
        const problem = problemOf(reference.split('#')[0] ?? '', anchor)
        return problem && `${path}: ${problem}`
      }),
    )
    .filter((problem) => problem !== undefined)
  assert.deepEqual(problems, [])
})

/** Folders of the sources; a name in backticks that begins with one of them is a path. */
const FOLDERS = new Set(
  tracked.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))),
)

test('files that the pages for contributors name exist', () => {
  const names = new Set(tracked.map((path) => path.slice(path.lastIndexOf('/') + 1)))
  const problems = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'].flatMap((page) =>
    [...prose(page).matchAll(/`([\w./-]+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => {
        if (name.includes('/') && FOLDERS.has(name.slice(0, name.indexOf('/')))) {
          return !existsSync(join(root, name))
        }
        return /\w\.(?:tsx?|sql|mjs)$/.test(name) && !names.has(name.slice(name.lastIndexOf('/') + 1))
      })
      .map((name) => `${page}: ${name}`),
  )
  assert.deepEqual(problems, [])
})
