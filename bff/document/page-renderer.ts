import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Language } from '../oidc/language.ts'

/** What a page is rendered from; the same type as in `web/server/render-page.tsx`. */
export interface RenderedPage {
  /** The path and the search of the address. */
  address: string
  language: Language
  /** A name of the IANA database. */
  timeZone: string
  /** All answers that the first render reads, with the session. */
  answers: readonly { name: string; call: unknown; answer: unknown }[]
}

/** The HTML of a page; null if it can only be rendered by a browser. */
export type PageRenderer = (page: RenderedPage) => Promise<string | null>

/** After the start of the server, which loading would delay. */
const LOAD_AFTER_MS = 1_000

/**
 * The renderer in the folder of the built console; null if it has none, as in tests of the API alone. It is loaded soon after
 * the start, or by the first page; until it is loaded, the browser renders.
 */
export function openPageRenderer(folder: string): PageRenderer | null {
  const path = join(folder, '.server', 'render-page.js')
  if (!existsSync(path)) return null
  let loaded: PageRenderer | null = null
  let loading: Promise<void> | null = null
  const load = async (): Promise<void> => {
    // built from web/server/render-page.tsx
    const { renderPage } = (await import(pathToFileURL(path).href)) as { renderPage: PageRenderer }
    loaded = renderPage
  }
  const start = (): Promise<void> => (loading ??= load())
  // a failure is reported with the next page
  setTimeout(() => void start().catch(() => undefined), LOAD_AFTER_MS).unref()
  return async (page) => {
    if (loaded !== null) return loaded(page)
    await start()
    return null
  }
}
