import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from '#contract/protocol/languages.ts'

/** The page written by the build, in three parts; the server inserts the data of a request between them. */
export interface Shell {
  /** Up to the end of `<head>`, with a preload link for each script that the page imports. */
  head(pagePath: string | null, language: Language): string
  /** What precedes the data, and what follows it. */
  body: string
  end: string
  /** The inline scripts as sources of `script-src`, such as `'sha256-…'`. */
  inlineScripts: readonly string[]
}

/** The scripts of each page by path and language, written by `scripts/console/page-scripts.ts` during the build. */
type PageScripts = Readonly<Record<string, Readonly<Record<Language, readonly string[]>>>>

/** Reads the shell from the folder of the built console; null if it has none, as in tests of the API alone. */
export function readShell(folder: string): Shell | null {
  const path = join(folder, 'index.html')
  if (!existsSync(path)) return null
  const html = readFileSync(path, 'utf8')
  const scripts = readPageScripts(join(folder, '.vite', 'page-scripts.json'))
  const headEnd = indexIn(html, '</head>')
  const bodyEnd = indexIn(html, '</body>')
  return {
    head: (pagePath, language) =>
      html.slice(0, headEnd) +
      (scripts[pagePath ?? '']?.[language] ?? [])
        .map((address) => `<link rel="modulepreload" crossorigin href="${address}">`)
        .join(''),
    body: html.slice(headEnd, bodyEnd),
    end: html.slice(bodyEnd),
    inlineScripts: [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) =>
      sourceOf(script),
    ),
  }
}

function readPageScripts(path: string): PageScripts {
  // without this file nothing is preloaded
  if (!existsSync(path)) return {}
  // written by the build from this type
  return JSON.parse(readFileSync(path, 'utf8')) as PageScripts
}

function indexIn(html: string, tag: string): number {
  const index = html.indexOf(tag)
  if (index < 0) throw new Error(`index.html of the built console has no ${tag}`)
  return index
}

const sourceOf = (script: string): string =>
  `'sha256-${createHash('sha256').update(script).digest('base64')}'`
