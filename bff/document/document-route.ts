import { pipeline, Readable } from 'node:stream'
import { constants, createBrotliCompress } from 'node:zlib'
import type { Context, Next } from 'hono'
import { matchPage } from '#contract/console-api/pages/pages.ts'
import type { Log } from '#http-kit/log.ts'
import type { SessionVariables } from '../session/sessions.ts'
import { dataBlock, readPageData } from './page-data.ts'
import type { ReadApi } from './page-data.ts'
import { isNavigation, languageOfRequest, mayCarryData } from './shell.ts'
import type { Shell } from './shell.ts'

export interface DocumentOptions {
  shell: Shell
  /** Reads the console API for the person of a request. */
  readApiFor: (c: DocumentContext) => ReadApi
  /** Whether a request has a session cookie; without one nothing is read. */
  hasSessionCookie: (c: DocumentContext) => boolean
  /** Whether this process has too much to do for data in documents; default never. Then pages read it themselves, within limits. */
  isBehind?: () => boolean
  /** The newest event position that this process knows, or null; a stream that resumes there misses nothing. */
  eventPosition: () => string | null
  log: Log
  /** How long a document waits for its data; default 300. */
  waitMs?: number
}

type DocumentContext = Context<{ Variables: SessionVariables }>
type PageMatch = NonNullable<ReturnType<typeof matchPage>>

const WAIT_MS = 300
/** Whether a request gets a document, and what is in it, depends on these. */
const VARY =
  'Accept, Accept-Encoding, Accept-Language, Cookie, Sec-Fetch-Dest, Sec-Fetch-Mode, Sec-Fetch-Site'
const COMPRESSION = {
  // sends each part as soon as it is written
  flush: constants.BROTLI_OPERATION_FLUSH,
  // fast, with a small window: every document has its own compressor
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
}

/**
 * Answers a navigation with the console's page. It sends the head immediately, so that the browser can fetch scripts, styles
 * and fonts, and then the data that the page's first render needs, if the request has a session
 * (docs/decisions/0015-documents-carry-their-data.md). Reads that fail or take too long are left out; the page requests
 * them itself. The document belongs to one person, so it must not be cached.
 */
export function documentRoute(options: DocumentOptions) {
  return async (c: DocumentContext, next: Next): Promise<Response | void> => {
    const { method, path } = c.req
    if ((method !== 'GET' && method !== 'HEAD') || !isNavigation(c)) return next()
    const isBrotli = /\bbr\b/.test(c.req.header('accept-encoding') ?? '')
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'private, no-store',
      vary: VARY,
      ...(isBrotli && { 'content-encoding': 'br' }),
    }
    if (method === 'HEAD') return c.body(null, 200, headers)
    const page = matchPage(path)
    const parts = Readable.from(partsOf(c, page, options), { objectMode: false })
    // an error in either stream destroys the other: the browser has left, or sees the response cut off
    const stream = isBrotli ? pipeline(parts, createBrotliCompress(COMPRESSION), () => undefined) : parts
    return c.body(Readable.toWeb(stream) as ReadableStream, 200, headers)
  }
}

/**
 * The console's page for a navigation to an address that nothing can have, such as one with an escape that cannot be decoded: the
 * page says that there is nothing. Null for other requests.
 */
export function lostDocument(c: Context, shell: Shell): Response | null {
  if (c.req.method !== 'GET' || !isNavigation(c)) return null
  const html = shell.head(null, languageOfRequest(c)) + shell.body + shell.end
  return c.body(html, 404, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'private, no-store',
    vary: VARY,
  })
}

async function* partsOf(
  c: DocumentContext,
  page: PageMatch | null,
  options: DocumentOptions,
): AsyncGenerator<string> {
  const { shell, hasSessionCookie, isBehind = () => false } = options
  const data =
    page !== null && mayCarryData(c) && hasSessionCookie(c) && !isBehind() ? readData(c, page, options) : null
  yield shell.head(page?.path ?? null, languageOfRequest(c)) + shell.body
  if (data !== null) yield (await data) ?? ''
  yield shell.end
}

async function readData(
  c: DocumentContext,
  page: PageMatch,
  { readApiFor, eventPosition, log, waitMs = WAIT_MS }: DocumentOptions,
): Promise<string | null> {
  // read before the responses, so that a stream from here has every change that they may lack
  const position = eventPosition()
  try {
    const { searchParams } = new URL(c.req.url)
    const answers = await readPageData(
      { ...page, search: searchParams },
      readApiFor(c),
      AbortSignal.timeout(waitMs),
    )
    if (answers === null) return null
    return dataBlock(`{"position":${JSON.stringify(position)},"answers":[${answers.join(',')}]}`)
  } catch (error) {
    log.error('a document is sent without its data', { requestId: c.var.requestId }, error)
    return null
  }
}
