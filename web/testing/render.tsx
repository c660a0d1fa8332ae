import { QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { createContext, Profiler, use, type ReactNode } from 'react'
import { render, type RenderResult } from 'vitest-browser-react'
import { queryClient } from '../app/query-client.ts'
import { SignedIn } from '../app/SignedIn.tsx'
import { ShellContext, type ShellContextValue } from '../subjects/shell/shell-context.ts'
import { router as consoleRouter } from '../app/router.ts'
import type { RouterContext } from '../addresses/routes.ts'

const UnderTest = createContext<ReactNode>(null)

/**
 * Renders a component as in a page of the console: with its router, its query client, and a person who has every
 * permission. Links only change `address()`.
 */
export async function renderInConsole(
  ui: ReactNode,
  shell: Partial<ShellContextValue> = {},
): Promise<RenderResult & { address: () => string }> {
  const root = createRootRouteWithContext<RouterContext>()()
  const anywhere = createRoute({ getParentRoute: () => root, path: '$', component: Anywhere })
  const { parseSearch, stringifySearch } = consoleRouter.options
  const router = createRouter({
    context: { queryClient },
    parseSearch,
    stringifySearch,
    routeTree: root.addChildren([anywhere]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  const value: ShellContextValue = {
    user: { id: 'olivia', name: 'Olivia' },
    roles: ['operator'],
    can: () => true,
    connection: 'live',
    environmentMarks: [],
    signOut: () => undefined,
    search: () => Promise.resolve([]),
    ...shell,
  }
  const inConsole = (content: ReactNode) => (
    <QueryClientProvider client={queryClient}>
      <ShellContext value={value}>
        <UnderTest value={content}>
          <RouterProvider router={router} />
        </UnderTest>
      </ShellContext>
    </QueryClientProvider>
  )
  const screen = await render(inConsole(ui))
  return {
    ...screen,
    rerender: (next: ReactNode) => screen.rerender(inConsole(next)),
    address: () => router.history.location.href,
  }
}

function Anywhere() {
  return use(UnderTest)
}

/**
 * Renders the whole console at an address: its routes, its session and its event stream. Responses come from
 * `serveApi`. Pages and their texts are loaded on demand, as in production.
 */
export async function renderConsole(address: string): Promise<
  RenderResult & {
    address: () => string
    /** Follows a link. */
    goTo: (address: string) => void
    renders: () => number
  }
> {
  let renders = 0
  const history = createMemoryHistory({ initialEntries: [address] })
  const router = createRouter({ ...consoleRouter.options, history })
  const screen = await render(
    <QueryClientProvider client={queryClient}>
      <Profiler id="console" onRender={() => (renders += 1)}>
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      </Profiler>
    </QueryClientProvider>,
  )
  return {
    ...screen,
    address: () => history.location.href,
    goTo: (next) => history.push(next),
    renders: () => renders,
  }
}

/** For each row of a table's body the number of its elements, itself included. */
export const rowElements = (): number[] =>
  [...document.querySelectorAll('tbody:not([aria-hidden]) tr')].map(
    (row) => row.querySelectorAll('*').length + 1,
  )
