import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { queryClient } from './app/query-client.ts'
import { CrashPage } from './layouts/CrashPage.tsx'
import { OpeningPage } from './layouts/OpeningPage.tsx'
import { routeTree } from './routes.tsx'

/** People read addresses and paste them into tickets: plain `?state=FAILED&q=42`, without JSON or quotes. */
const plain = (value: unknown) => String(value)

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
  // unknown parameters, such as those added to links by a ticket system, never reach the API
  search: { strict: true },
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(plain),
})

export type ConsoleRouter = typeof router

declare module '@tanstack/react-router' {
  interface Register {
    router: ConsoleRouter
  }
}
