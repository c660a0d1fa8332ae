import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { queryClient } from './app/query-client.ts'
import { CrashPage } from './layouts/CrashPage.tsx'
import { routeTree } from './routes.tsx'

/** Addresses are read by people and pasted into tickets: plain `?state=FAILED&q=42`, no JSON and no quotes. */
const plain = (value: unknown) => String(value)

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadDelay: 60,
  // the queries know how old an answer may be
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: CrashPage,
  scrollRestoration: true,
  // what no page knows, such as what a ticket system hangs onto a link, never reaches the API
  search: { strict: true },
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(plain),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
