import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { projectFiles, root } from './process.ts'

// Files and sections move; what refers to them must follow.

const tracked = projectFiles()
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
const isPath = (name: string) => name.includes('/') && FOLDERS.has(name.slice(0, name.indexOf('/')))

/** The names in a section of which there is no file. A name without its folder is in a folder that the section names. */
function missingIn(section: string): string[] {
  const names = [...section.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name)
  const paths = names.filter((name) => isPath(name))
  const folders = paths.flatMap((path) => [path, dirname(path)])
  const isMissing = (name: string) =>
    /\w\.(?:tsx?|sql|mjs)$/.test(name) &&
    !tracked.includes(name) &&
    !folders.some((folder) => existsSync(join(root, folder, name)))
  return [
    ...paths.filter((path) => !existsSync(join(root, path))),
    ...names.filter((name) => !isPath(name) && isMissing(name)),
  ]
}

test('files that the pages for contributors name exist', () => {
  const problems = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md'].flatMap((page) =>
    prose(page)
      .split(/^#+ /m)
      .flatMap((section) => missingIn(section).map((name) => `${page}: ${name}`)),
  )
  assert.deepEqual(problems, [])
})

test('decisions that are named by their number exist', () => {
  const numbers = new Set(tracked.flatMap((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? []))
  const problems = tracked
    .filter((path) => /\.(?:md|tsx?|mjs|sql|css|ya?ml)$/.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/\bdecisions?(?:\/| )(\d{1,4})\b/gi)]
        .filter(([, number = '']) => !numbers.has(number.padStart(4, '0')))
        .map(([reference]) => `${path}: ${reference}`),
    )
  assert.deepEqual(problems, [])
})
