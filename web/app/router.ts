import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { queryClient } from './query-client.ts'
import { CrashPage } from '../layouts/CrashPage.tsx'
import { OpeningPage } from '../layouts/OpeningPage.tsx'
import { routeTree } from './routes.tsx'

/** People read addresses and paste them into tickets: plain `?state=FAILED&q=42`, without JSON or quotes. */
const plain = (value: unknown) => String(value)
/** A list is what an address repeats and no page understands; it stays as it is. */
const stringifyPlain = stringifySearchWith(plain)
function stringifySearch(search: Record<string, unknown>): string {
  const lists = Object.entries(search).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  )
  if (lists.length === 0) return stringifyPlain(search)
  const others = Object.entries(search).filter(([, value]) => !Array.isArray(value))
  const repeated = lists.flatMap(([name, values]) => values.map((value) => [name, String(value)]))
  const text = stringifyPlain(Object.fromEntries(others))
  return `${text === '' ? '?' : `${text}&`}${new URLSearchParams(repeated).toString()}`
}

/**
 * A path whose escapes cannot be decoded, such as `/operations/%zz`, is read as it is spelled: `%` as itself. The router fails at
 * such a path otherwise.
 */
function readSpelled({ url }: { url: URL }): URL | undefined {
  try {
    decodeURIComponent(url.pathname)
    return undefined
  } catch {
    const spelled = new URL(url)
    spelled.pathname = url.pathname.replaceAll('%', '%25')
    return spelled
  }
}

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadDelay: 60,
  // the stale times of the queries apply
  defaultPreloadStaleTime: 0,
  // another object is another page: what was typed or refused for the last one does not apply to it
  defaultRemountDeps: ({ params }) => params,
  defaultErrorComponent: CrashPage,
  // the address is that of the next page already, so the previous one must not stay under it
  defaultPendingComponent: OpeningPage,
  scrollRestoration: true,
  // parameters of other systems, such as those that a ticket system adds to links, never reach the API
  search: { strict: true },
  parseSearch: parseSearchWith((value) => value),
  stringifySearch,
  rewrite: { input: readSpelled },
})
