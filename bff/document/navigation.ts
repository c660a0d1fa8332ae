import type { Context } from 'hono'
import { languageOf } from '../oidc/language.ts'
import { isLanguage } from '#contract/protocol/languages.ts'
import type { Language } from '#contract/protocol/languages.ts'
import { cookiesOf } from '../session/cookies.ts'

/** Set by the console when a person chooses a language; without it only the browser's storage has the choice. */
const LANGUAGE_COOKIE = 'console_language'

/** Whether a browser navigates to a page of the console: not to a file, nor to anything below `/api`. */
export function isNavigation(c: Context): boolean {
  const mode = c.req.header('sec-fetch-mode')
  const last = c.req.path.slice(c.req.path.lastIndexOf('/') + 1)
  return (
    (mode === undefined || mode === 'navigate') &&
    (c.req.header('accept') ?? '').includes('text/html') &&
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
