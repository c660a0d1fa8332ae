import { QueryClient } from '@tanstack/react-query'
import { createMemoryHistory, createRouter } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { App } from '../app/App.tsx'
import { coreTexts, LOCALES, pageTexts, type Locale } from '../i18n/catalogue.ts'
import { localeStateOf, setLocaleState, type LocaleState } from '../i18n/locale.ts'
import { setTimeZone } from '../i18n/zone.ts'
import { router } from '../router.ts'
import { LostNotice } from './LostNotice.tsx'

/** What a page is rendered from. `bff/document/page-renderer.ts` has the same type; this module is built apart. */
export interface RenderedPage {
  /** The path and the search of the address. */
  address: string
  language: Locale
  /** A name of the IANA database. */
  timeZone: string
  /** All answers that the first render reads, with the session. */
  answers: readonly { name: string; call: unknown; answer: unknown }[]
}

const REACT_GAVE_UP = '<!--$!-->'
/** A page may have a part within a part that is loaded on demand. */
const TRIES = 3
const LOADING_TEXTS = loadTexts()

/**
 * The HTML of a page as a browser renders it first, for the document: the browser shows it until its own page is ready
 * (docs/decisions/0015-documents-carry-their-data.md). Null for a page that cannot be rendered here: one that redirects or
 * does not exist. Rejects if a part of the page fails or is still loading.
 */
export async function renderPage({
  address,
  language,
  timeZone,
  answers,
}: RenderedPage): Promise<string | null> {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, gcTime: Infinity } } })
  for (const { name, call, answer } of answers) client.setQueryData([name, call], answer)
  const texts = (await LOADING_TEXTS)[language]
  setLocaleState(texts)
  const history = createMemoryHistory({ initialEntries: [address] })
  const pageRouter = createRouter({
    ...router.options,
    history,
    context: { queryClient: client },
    // its inline script is not for a page that is replaced
    scrollRestoration: false,
  })
  await pageRouter.load()
  const { matches } = pageRouter.state
  // a redirect, as to the usual spelling of an address, leaves no matches, and would be rendered as an empty page
  if (matches.length === 0 || matches.some(({ status }) => status !== 'success')) return null
  for (let tries = 1; tries <= TRIES; tries++) {
    // these belong to the process: nothing else renders before this render ends
    setLocaleState(texts)
    setTimeZone(timeZone)
    const html = renderToString(
      <StrictMode>
        <App router={pageRouter} />
        <LostNotice />
      </StrictMode>,
    )
    if (!html.includes(REACT_GAVE_UP)) {
      client.clear()
      return withoutInput(html)
    }
    // a part that is loaded on demand is there after its first render
    await new Promise((resolve) => setTimeout(resolve))
  }
  client.clear()
  // React does not say which: it leaves both to the browser
  throw new Error('A part of the page failed, or is still loading')
}

/**
 * Keeps out what a page without its scripts cannot do: the controls are inert, the title is that of the document, and
 * styles of elements, which the content security policy blocks in HTML, are left to a script of the document.
 */
function withoutInput(html: string): string {
  return html
    .replaceAll(/<title>[^<]*<\/title>/g, '')
    .replaceAll(/<(?:button|input|select|textarea)(?=[ >])/g, '$& inert="" aria-disabled="true"')
    .replaceAll(/(<[^<>]*) style="/g, '$1 data-style="')
}

async function loadTexts(): Promise<Record<Locale, LocaleState>> {
  const states = LOCALES.map(async (locale) => {
    const pages = Object.entries(pageTexts[locale]).map(async ([name, load]) => [name, await load()] as const)
    const texts = { ...(await coreTexts[locale]()), ...Object.fromEntries(await Promise.all(pages)) }
    return [locale, localeStateOf(locale, texts)] as const
  })
  return Object.fromEntries(await Promise.all(states)) as Record<Locale, LocaleState>
}
