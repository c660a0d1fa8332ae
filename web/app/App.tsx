import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider, type RegisteredRouter } from '@tanstack/react-router'
import { SignedIn } from './SignedIn.tsx'

/** The console at the address of its router, whose first page is loaded. */
export function App({ router }: { router: RegisteredRouter }) {
  return (
    <QueryClientProvider client={router.options.context.queryClient}>
      {/* the only page without a session; leaving it loads a new document */}
      {router.history.location.pathname === '/signed-out' ? (
        <RouterProvider router={router} />
      ) : (
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      )}
    </QueryClientProvider>
  )
}
