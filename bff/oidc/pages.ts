import type { ServerResponse } from 'node:http'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { LANGUAGE_TAGS } from '#contract/protocol/languages.ts'
import type { Language } from '#contract/protocol/languages.ts'
import { pageTexts } from './page-texts.ts'

/** The paths of the pages' stylesheet and of its font. */
const STYLESHEET_PATH = '/auth/sign-in.css'
const FONT_PATH = '/auth/inter.woff2'

const EMPTY = html``

/** Why a submitted form was refused. */
export type SignInProblem = 'wrong' | 'incomplete' | 'limited'

/** The form of the embedded identity provider. */
export function signInPage(options: {
  language: Language
  action: string
  username: string
  problem: SignInProblem | null
}): string {
  const { language, action, username, problem } = options
  const t = pageTexts[language]
  const described = problem === null ? EMPTY : html` aria-describedby="problem" aria-invalid="true"`
  const focusName = username === '' ? html` autofocus` : EMPTY
  const focusPassword = username === '' ? EMPTY : html` autofocus`
  const content = html`<h1>${t.signIn}</h1>
    ${problem === null ? EMPTY : html`<p class="problem" id="problem" role="alert">${t[problem]}</p>`}
    <form method="post" action="${action}">
      <label for="username">${t.username}</label>
      <input
        id="username"
        name="username"
        value="${username}"
        maxlength="64"
        required
        autocomplete="username"
        autocapitalize="none"
        spellcheck="false"
        ${described}${focusName}
      />
      <label for="password">${t.password}</label>
      <input
        id="password"
        name="password"
        type="password"
        maxlength="256"
        required
        autocomplete="current-password"
        ${described}${focusPassword}
      />
      <button type="submit">${t.signIn}</button>
    </form>`
  return page(language, t.signIn, content)
}

/** Sends a page of this file from Node's own request listeners. */
export function sendPage(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(text)
}

/** Why a sign-in did not create a session. */
export type Notice =
  | 'expired'
  | 'failed'
  | 'unreachable'
  | 'noRole'
  | 'limited'
  | 'otherPerson'
  | 'notRecent'
  | 'noAuthTime'
  | 'futureAuthTime'

const TITLES = {
  expired: 'expiredTitle',
  failed: 'failedTitle',
  unreachable: 'unreachableTitle',
  noRole: 'noRoleTitle',
  limited: 'limitedTitle',
  otherPerson: 'otherPersonTitle',
  notRecent: 'notRecentTitle',
  noAuthTime: 'notRecentTitle',
  futureAuthTime: 'notRecentTitle',
} as const satisfies Record<Notice, string>

/**
 * A page that says why a sign-in did not create a session, and what to do.
 *
 * @param options.name The person's.
 * @param options.confirms The page that a person is confirming their sign-in for.
 * @param options.requestId Of the request, to find its line in the log.
 */
export function noticePage(options: {
  language: Language
  notice: Notice
  name?: string | undefined
  confirms?: string | undefined
  requestId?: string | undefined
}): string {
  const { language, notice, name = '', confirms, requestId } = options
  const t = pageTexts[language]
  const title = t[TITLES[notice]]
  const link = notice === 'noRole' ? t.otherAccount : t.again
  const href =
    confirms !== undefined
      ? `/auth/login?confirm=true&returnTo=${encodeURIComponent(confirms)}`
      : notice === 'noRole'
        ? '/auth/login?prompt=login'
        : '/auth/login'
  const back = confirms === undefined ? EMPTY : html`<p class="back"><a href="${confirms}">${t.back}</a></p>`
  const [before = '', after] = t[notice].split('{name}')
  const words = after === undefined ? html`${before}` : html`${before}<strong>${name}</strong>${after}`
  return page(
    language,
    title,
    html`<h1>${title}</h1>
      <p>${words}</p>
      <a class="button" href="${href}">${link}</a>
      ${back} ${requestId === undefined ? EMPTY : html`<p class="request">${t.requestId}: ${requestId}</p>`}`,
  )
}

// the console's mark (web/ui/Icon.tsx); its colors come from the stylesheet
const MARK = html`<svg viewBox="0 0 20 20" width="40" height="40" aria-hidden="true">
  <rect class="tile" width="20" height="20" rx="5" />
  <path d="M7 4.8H4.8v10.4H7M13 4.8h2.2v10.4H13" />
  <rect class="signal" x="7.6" y="7.6" width="4.8" height="4.8" rx="0.8" />
</svg>`

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" rx="5" fill="#1c1c19"/>' +
    '<path d="M7 4.8H4.8v10.4H7M13 4.8h2.2v10.4H13" fill="none" stroke="#fff" stroke-width="1.6" ' +
    'stroke-linejoin="round" stroke-linecap="round"/>' +
    '<rect x="7.6" y="7.6" width="4.8" height="4.8" rx="0.8" fill="#c8f031"/></svg>',
)}`

function page(language: Language, title: string, content: ReturnType<typeof html>): string {
  const { product } = pageTexts[language]
  const whole = html`<!doctype html>
    <html lang="${LANGUAGE_TAGS[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${product}</title>
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${STYLESHEET_PATH}" />
      </head>
      <body>
        <main>
          <p class="product">${MARK} ${product}</p>
          ${content}
        </main>
      </body>
    </html> `
  // it is a promise only if a value in it is one
  return String(whole)
}

/** The files of the sign-in pages: their stylesheet and the console's font. */
export function pageFiles(): Hono {
  const stylesheet = readFileSync(new URL('sign-in.css', import.meta.url), 'utf8')
  // written out, because an image contains the packages that the sources name
  const font = import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
  const fontBytes = new Uint8Array(readFileSync(fileURLToPath(font)))
  return new Hono()
    .get(STYLESHEET_PATH, (c) =>
      c.body(stylesheet, 200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' }),
    )
    .get(FONT_PATH, (c) =>
      c.body(fontBytes, 200, { 'content-type': 'font/woff2', 'cache-control': 'public, max-age=604800' }),
    )
}
