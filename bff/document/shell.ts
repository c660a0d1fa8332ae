import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from 'hono'
import { isLanguage } from '#contract/protocol/languages.ts'
import type { Language } from '#contract/protocol/languages.ts'
import { languageOf } from '../oidc/page-texts.ts'
import { cookiesOf } from '../session/sessions.ts'

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

/** Set by the console when a person chooses a language; without it only the browser's storage has the choice. */
const LANGUAGE_COOKIE = 'console_language'

/** A monitor sends no `Accept`, or takes anything. */
const acceptsHtml = (accept = '*/*'): boolean => accept.includes('text/html') || accept.trim() === '*/*'

/** Whether a browser navigates to a page of the console: not to a file, nor to anything below `/api`. */
export function isNavigation(c: Context): boolean {
  const mode = c.req.header('sec-fetch-mode')
  const last = c.req.path.slice(c.req.path.lastIndexOf('/') + 1)
  return (
    (mode === undefined || mode === 'navigate') &&
    acceptsHtml(c.req.header('accept')) &&
    // a missing asset must be a 404, as must any spelling of an API path
    !/\.(js|css|map|json|woff2|png|svg|ico|webmanifest)$/.test(last) &&
    !/^\/(api|auth|idp|assets)(\/|$)/i.test(c.req.path)
  )
}

/**
 * Whether the document of this request may carry data: only a top-level navigation that this origin or the person
 * started. Another site cannot read a document, but must not be able to cause one with data either.
 */
export function mayCarryData(c: Context): boolean {
  const site = c.req.header('sec-fetch-site')
  const destination = c.req.header('sec-fetch-dest')
  return (
    (site === undefined || site === 'same-origin' || site === 'none') &&
    (destination === undefined || destination === 'document')
  )
}

/** The language in which the page will most likely be shown. */
export function languageOfRequest(c: Context): Language {
  const chosen = cookiesOf(c).find(([name]) => name === LANGUAGE_COOKIE)?.[1]
  return isLanguage(chosen) ? chosen : languageOf(c.req.header('accept-language'))
}
