import type { Context } from 'hono'
import { frameReads, readsOf } from '#contract/console-api/pages/pages.ts'
import type { PagePath, PageRead } from '#contract/console-api/pages/pages.ts'
import { rawSearch } from '#contract/console-api/pages/search-params.ts'
import type { Session } from '#contract/console-api/rows.ts'
import { fillPath, splitName } from '#contract/endpoint/endpoint.ts'

/** A page and its parameters. */
interface PageRequest {
  path: PagePath
  params: Record<string, string>
  search: URLSearchParams
}

/**
 * The responses that the first render of a page needs, each as the JSON of `{name, call, answer}`, the session first. Omits
 * reads that fail or do not end before the signal aborts. Null without a session.
 */
export async function readPageData(
  { path, params, search }: PageRequest,
  readApi: ReadApi,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const session = await bodyOf(readApi('/session', { isActivity: true, signal }), signal)
  if (session === null) return null
  // the API has just written it from this type
  const { permissions, user } = JSON.parse(session) as Session
  const address = { params, search: rawSearch(search), now: Date.now(), personId: user.id }
  const reads = [...readsOf(path, address), ...frameReads]
  const allowed = reads.filter(({ needs }) => needs === undefined || permissions.includes(needs))
  const read = await Promise.all(
    allowed.map(async (read) => {
      const answer = await bodyOf(readApi(addressOf(read), { isActivity: false, signal }), signal)
      return answer === null ? [] : [entry(read, answer)]
    }),
  )
  return [entry({ name: 'GET /session', call: {} }, session), ...read.flat()]
}

/** `answer` is JSON already. */
const entry = ({ name, call }: Pick<PageRead, 'name' | 'call'>, answer: string): string =>
  `{"name":${JSON.stringify(name)},"call":${JSON.stringify(call)},"answer":${answer}}`

function addressOf(read: PageRead): string {
  // the call matches its endpoint's row; only its parts are needed here
  const { params = {}, query = {} } = read.call as {
    params?: Record<string, string | number>
    query?: Record<string, string | number | undefined>
  }
  const entries = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return `${fillPath(splitName(read.name).path, params)}?${new URLSearchParams(entries).toString()}`
}

/** The body of a successful response; null if the read fails or the signal aborts first. */
async function bodyOf(reading: Promise<Response>, signal: AbortSignal): Promise<string | null> {
  const aborted = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  const body = reading
    .then((response) => (response.status === 200 ? response.text() : null))
    .catch(() => null)
  return Promise.race([body, aborted])
}

/** Reads a path below `/api` on behalf of one person; the response is that of the console API. */
export type ReadApi = (
  path: string,
  options: { isActivity: boolean; signal: AbortSignal },
) => Promise<Response>

/**
 * Reads the console API for the person of a request. Each read passes through the whole app, so sessions, rate limits,
 * permissions and the protected property are enforced in one place.
 */
export function createApiReader({
  fetch,
  publicOrigin,
}: {
  fetch: (request: Request, env: unknown) => Response | Promise<Response>
  publicOrigin: string
}): (c: Context) => ReadApi {
  const { host } = new URL(publicOrigin)
  return (c) => {
    const cookie = c.req.header('cookie')
    const authorization = c.req.header('authorization')
    return async (path, { isActivity, signal }) => {
      const headers = {
        host,
        accept: 'application/json',
        'x-requested-by': 'console',
        'sec-fetch-site': 'same-origin',
        'sec-fetch-dest': 'empty',
        ...(cookie !== undefined && { cookie }),
        // the API refuses requests that carry one
        ...(authorization !== undefined && { authorization }),
        ...(!isActivity && { 'x-background': 'true' }),
      }
      return fetch(new Request(`${publicOrigin}/api${path}`, { headers, signal }), c.env)
    }
  }
}

/** The id of the element that holds the data; `web/api/document-data.ts` reads it. */
const ELEMENT_ID = 'document-data'

/**
 * JSON as a data block of an HTML document. Browsers do not run data blocks, so the content security policy needs no
 * exception for it. Every `<` is escaped, so no value can end the element or open a comment.
 */
export function dataBlock(json: string): string {
  const escaped = json.replace(/[<\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${code}`
  })
  return `<script type="application/json" id="${ELEMENT_ID}">${escaped}</script>`
}
